"""Comparisons with made-up measurements."""

from __future__ import annotations

from math import exp
from types import SimpleNamespace
from typing import Any

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.compare.groups import Pass, passes
from pytest_applegpu.conduct.compare.product import Compared, Numbers
from pytest_applegpu.conduct.compare.run import Comparison
from pytest_applegpu.conduct.compare.toggle import Toggle
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.numerics.bits import Bits
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.shapes.shapes import Shape, ShapeSet
from pytest_applegpu.throughput.paired import Paired

NAX = Toggle("nax", ("on", "off"), (Setting(), Setting(nax="off")))
GEMM, GEMV, PACKED = (
    "matmul-f16-nt-512x4096x4096",
    "matmul-f16-nt-1x4096x4096",
    "quantized_matmul-f16-nt-512x4096x4096 bits=4 group=64",
)
ROUTES = ("gemm_nax", "gemm")


def case(text: str) -> Case:
    return parse_cases(f"{text} check=throughput", [Setting()])[0]


def time(ratio: float, seconds: float, half: float = 0.05) -> Paired:
    low, high = ratio * exp(-half), ratio * exp(half)
    return Paired(ratio, low, high, 0.02, 0.01, 0.5, 0.5, seconds * ratio, seconds, 4, 40)


def product(
    text: str,
    found: Paired | Ended,
    routes: tuple[str, str] = ("", ""),
    numbers: Numbers | None = None,
    doubt: str = "",
) -> Compared:
    same = Numbers(Bits(0, 64), (1e-4, 2e-4), ("within", "within"))
    return Compared(case(text), routes, numbers or same, found, doubt)


def model() -> ShapeSet:
    shapes = (
        Shape(parse_problem(GEMM), 3, "prefill", "queries"),
        Shape(parse_problem(PACKED), 1, "prefill", "down"),
        Shape(parse_problem(GEMV), 2, "decode", "queries"),
    )
    return ShapeSet("model", "nowhere", shapes, tokens=512)


def comparison(
    *found: Compared, sets: tuple[ShapeSet, ...] = (), null: str | None = None
) -> Comparison:
    known = {one.case.problem: one for one in found}
    made: tuple[Pass, ...] = tuple(passes(sets, known))
    return Comparison(NAX, "M5 Max, MLX 0.32.4", "metal", null, found, made)


def bench(backend: str = "metal", own: str | None = "applegpu_g17s", nax: str = "yes") -> Any:
    return SimpleNamespace(
        backend=backend,
        device=SimpleNamespace(
            name="M5 Max",
            architecture=SimpleNamespace(value=own),
            nax=SimpleNamespace(available=nax, reasons=("generation 16, letter s",)),
        ),
    )
