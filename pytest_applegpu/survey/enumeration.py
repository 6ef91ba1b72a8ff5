"""Which calls are asked of the rules, so that every kernel that they name is named?

Every combination of choices is taken in turn, sizes are drawn: powers of two and their neighbours,
multiples of tiles, tails. The same seed gives the same calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any, Final

from packaging.version import Version

from pytest_applegpu.problem import TRANSPOSES
from pytest_applegpu.survey.drafts import Draft

_REAL: Final = ("float32", "float16", "bfloat16")
_FLAGS: Final = (False, True)

_SIDES: Final = (
    *(1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64, 65, 96, 100, 127, 128),
    *(129, 192, 256, 257, 500, 512, 640, 1000, 1024, 1025, 2048, 2049, 4096, 4100, 8192, 16384),
)
_FEW: Final = (1, 1, 1, 1, 2, 3)
_UNITS: Final = (1, 1, 2, 3, 4, 5, 8, 13, 16, 17, 32, 64, 128, 256, 300)
"""How many units of 32 or 64 columns quantized weights have."""

_LAYOUTS: Final = ("", "", "pad:8", "pad:3", "off:4", "off:3", "step")

_AFFINE: Final = tuple(product(("affine",), (32, 64, 128), (2, 3, 4, 5, 6, 8)))
_ONE_BIT: Final = tuple(product(("affine",), (32, 64, 128), (1,)))
_ONE_BIT_SINCE: Final = Version("0.32.4")
_FLOATING: Final = (("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4))

_HEADS: Final = (
    *((64, 64), (72, 72), (80, 80), (96, 96), (128, 128), (192, 192), (256, 256), (512, 512)),
    *((192, 128), (96, 64), (32, 32), (100, 100)),
)

Choices = dict[str, Sequence[Any]]

_DENSE: Final[Choices] = {
    "dtype": (*_REAL, "complex64"),
    "transpose": TRANSPOSES,
    "shared": _FLAGS,
}
_ON_REALS: Final[Choices] = _DENSE | {"dtype": _REAL}
_INDICES: Final[Choices] = {"sorted": _FLAGS, "both": _FLAGS}
_MASKS: Final[Choices] = {
    "block_size": (32, 64),
    "mask_out": _FLAGS,
    "mask_op": _FLAGS,
    "mask_bool": _FLAGS,
}

_MNK: Final[Choices] = {
    "m": _SIDES,
    "n": _SIDES,
    "k": (*_SIDES, 4097, 5000, 8192, 12288, 16384, 32768),
}
_EXPERTS: Final[Choices] = {
    "rows": (1, 2, 8, 15, 16, 17, 30, 64, 100, 200, 1024),
    "experts": (1, 2, 4, 8, 64),
    "m": (*(1,) * 20, *_SIDES[1:24]),  # rows of each product: one is the rule
}
_QUANTIZED: Final[Choices] = {"m": _SIDES, "n": (*_UNITS, 33, 100, 500, 4100), "k": _UNITS}

_ATTENTION: Final[Choices] = {
    "dtype": _REAL,
    "dims": _HEADS,
    "mask": ("", "causal", "bool", "float"),
    "sinks": _FLAGS,
}
_SEQUENCES: Final[Choices] = {
    "batch": (1, 1, 2),
    "kv_heads": (1, 2, 8),
    "gqa": (1, 1, 4, 8, 12, 16),
    "queries": (1, 1, 2, 8, 9, 64, 128, 512, 1024, 2048),
    "keys": (1, 16, 64, 127, 512, 1024, 2048, 4096, 8192, 16384),
}

_SPACES: Final[dict[str, tuple[Choices, Choices]]] = {
    "matmul": (_DENSE, _MNK | {"batch": _FEW}),
    "addmm": (
        _DENSE | {"row": _FLAGS, "scales": ((1.0, 1.0), (0.5, 2.0))},
        _MNK | {"batch": _FEW},
    ),
    "gather_mm": (_ON_REALS | _INDICES, _MNK | _EXPERTS),
    "segmented_mm": (_ON_REALS, _MNK | {"segments": (1, 2, 4, 16, 64)}),
    "block_masked_mm": (
        _ON_REALS | _MASKS,
        _MNK | {"m": (1, 1, *_SIDES[:32]), "n": (1, 1, *_SIDES), "batch": _FEW},
    ),
    "sdpa": (_ATTENTION, _SEQUENCES),
}
"""The choices of each operation without quantized weights, and the sizes that are drawn."""

SHARES: Final = {
    "matmul": 22,
    "addmm": 10,
    "gather_mm": 8,
    "segmented_mm": 4,
    "block_masked_mm": 10,
    "quantized_matmul": 24,
    "gather_qmm": 14,
    "qqmm": 2,
    "sdpa": 6,
}
"""Per cent of the calls that each operation has."""


def calls(mlx: str, count: int, seed: int) -> Iterator[Draft]:
    """Yield about `count` calls to MLX `mlx`, some of each operation."""
    random = Random(seed)  # noqa: S311 - cases, not secrets
    for op, share in SHARES.items():
        choices, sizes = _space(op, mlx)
        yield from _drawn(op, choices, sizes, -(-count * share // 100), random)


def _drawn(
    op: str, choices: Choices, sizes: Choices, count: int, random: Random
) -> Iterator[Draft]:
    every = [dict(zip(choices, row, strict=True)) for row in product(*choices.values())]
    random.shuffle(every)
    for number in range(count):
        chosen = dict(every[number % len(every)])
        if op in {"matmul", "gather_mm", "addmm"}:
            chosen["layouts"] = (random.choice(_LAYOUTS), random.choice(_LAYOUTS))
        yield Draft(op, {name: random.choice(options) for name, options in sizes.items()}, chosen)


_CROSSED: Final = frozenset(
    {"dtype", "format", "transpose", "mask", "mask_out", "mask_op", "mask_bool", "dims", "row"}
)
"""Choices of which each one is taken with each other one."""


def crossed(draft: Draft, mlx: str) -> Iterator[Draft]:
    """Yield `draft` with all combinations of formats, transposes and masks."""
    choices, _ = _space(draft.op, mlx)
    taken = {name: options for name, options in choices.items() if name in _CROSSED}
    for row in product(*taken.values()):
        yield replace(draft, choices={**draft.choices, **dict(zip(taken, row, strict=True))})


def _space(op: str, mlx: str) -> tuple[Choices, Choices]:
    """Return the choices of an operation, and the sizes that are drawn."""
    return _SPACES[op] if op in _SPACES else _weighted(op, mlx)


def _weighted(op: str, mlx: str) -> tuple[Choices, Choices]:
    affine = (*_AFFINE, *(_ONE_BIT if Version(mlx) >= _ONE_BIT_SINCE else ()))
    choices: Choices = {
        "dtype": _REAL,
        "format": (*affine, *_FLOATING),
        "weights": ("t", "n"),
        "unit": (32, 64),
        "tail": _FLAGS,
    }
    if op == "quantized_matmul":
        return choices | {"shared": _FLAGS}, _QUANTIZED | {"batch": _FEW}
    if op == "gather_qmm":
        return choices | _INDICES, _QUANTIZED | _EXPERTS
    packed: Choices = {"format": _FLOATING, "weights": ("t",), "w_quantized": _FLAGS}
    return choices | packed, _QUANTIZED
