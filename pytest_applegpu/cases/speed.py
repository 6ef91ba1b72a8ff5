"""Which products are timed: GEMM, GEMV and batched, in sizes that fit the backend and the tier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.turns import in_turns
from pytest_applegpu.dtypes import DType
from pytest_applegpu.options import TIERS
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting

Shape = tuple[str, int, int, int, tuple[int, ...]]
"""Transposes, M, N, K and the batch."""

_CPU: Final[dict[str, tuple[Shape, ...]]] = {
    "smoke": (("nt", 192, 192, 192, ()), ("nt", 1, 1024, 1024, ()), ("nn", 64, 64, 64, (8,))),
    "standard": (
        ("nn", 256, 256, 256, ()),
        ("nt", 16, 512, 512, ()),
        ("tn", 1024, 1, 1024, ()),
        ("nt", 32, 32, 64, (4, 8)),
    ),
    "exhaustive": (("nt", 512, 512, 512, ()), ("nn", 64, 64, 4096, ()), ("nt", 1, 4096, 4096, ())),
}

_GPU: Final[dict[str, tuple[Shape, ...]]] = {
    "smoke": (
        ("nt", 2048, 2048, 2048, ()),
        ("nt", 1, 4096, 4096, ()),
        ("nn", 256, 256, 256, (32,)),
    ),
    "standard": (
        ("nn", 4096, 4096, 4096, ()),
        ("nt", 512, 4096, 4096, ()),
        ("nt", 64, 4096, 14336, ()),
        ("tn", 4096, 1, 14336, ()),
        ("nt", 8, 4096, 4096, ()),
        ("nt", 128, 128, 64, (4, 32)),
    ),
    "exhaustive": (
        ("nn", 8192, 8192, 8192, ()),
        ("nt", 64, 64, 16384, ()),
        ("nt", 16, 128256, 4096, ()),
    ),
}


def speed_cases(
    op: str, backend: str, dtypes: Iterable[DType], tier: str, settings: Iterable[Setting]
) -> list[Case]:
    """Return the timed cases of `op`: those of the tier and of every smaller one.

    An emulated device has none: its times mean nothing. Products of `matmul` alone are timed.
    """
    if backend == "emulated" or op != "matmul":
        return []
    dtypes = tuple(dtypes)
    return [
        Case(problem, "normal", "throughput", setting)
        for turn in in_turns(tuple(settings))
        for dtype in dtypes
        for problem in _problems(op, _CPU if backend == "cpu" else _GPU, dtype, tier)
        for setting in turn
    ]


def _problems(
    op: str, table: dict[str, tuple[Shape, ...]], dtype: DType, tier: str
) -> Iterator[Problem]:
    for name in TIERS[: TIERS.index(tier) + 1]:
        for transpose, m, n, k, batch in table[name]:
            yield Problem(op, dtype, m, n, k, transpose, batch_a=batch, batch_b=batch)
