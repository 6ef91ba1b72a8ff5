"""An array library of NumPy's own, in front of which faults are planted, and cases to try."""

from __future__ import annotations

from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.emulated.arrays import DTYPES, View
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.fills import make
from pytest_applegpu.setting import Setting
from pytest_applegpu.views import Placement, store, view


def library() -> Any:
    """Return a fresh library: its array, its matmul, and the operator, all of them right."""

    def product(a: Any, b: Any) -> Any:
        wide = np.complex128 if a.values.dtype.kind == "c" else np.float64
        with np.errstate(all="ignore"):
            c = np.matmul(*(one.values.astype(wide) for one in (a, b)))
            return array(np.asarray(c).astype(a.values.dtype))

    class array(View):  # noqa: N801 - MLX's name
        __matmul__ = product

    return SimpleNamespace(array=array, matmul=product, eval=lambda *_: None, **DTYPES)


def operand(core: Any, placement: Placement, numbers: np.ndarray) -> Any:
    """Lay an operand out as a worker does, slices being taken by the library."""
    held = core.array(store(placement, numbers))
    for name, argument in placement.steps:
        if name == "slice":
            spans = (slice(a, None if s < 0 else b, s) for a, b, s in argument)
            held = held[tuple(spans)]
        else:
            held = held.seen(view(held.values, ((name, argument),)))
    return held


def operands(core: Any, case: Case) -> tuple[Any, Any]:
    """Return A and B of a case, the same each time."""
    problem = case.problem
    seed = int.from_bytes(sha256(case.data.encode()).digest()[:8])
    random = np.random.Generator(np.random.Philox(seed))
    shapes = [
        (*(1 for _ in shape[:-2]), *shape[-2:]) if layout == "bc" else shape
        for shape, layout in (
            (problem.shape_a, problem.layout_a),
            (problem.shape_b, problem.layout_b),
        )
    ]
    bits = promise(problem.dtype).operand_bits
    a, b = make(case.fill, problem.dtype, shapes[0], shapes[1], bits, random, proven=False)
    return (
        operand(core, problem.placement_a, np.broadcast_to(a, problem.shape_a)),
        operand(core, problem.placement_b, np.broadcast_to(b, problem.shape_b)),
    )


def result(core: Any, case: Case) -> Any:
    """Multiply as the case says."""
    a, b = operands(core, case)
    return a @ b if case.problem.param("via") == "operator" else core.matmul(a, b)


def plainly(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    """Return format, shape and bytes, which are equal where nothing differs."""
    return str(array.dtype), array.shape, array.values.tobytes()


@pytest.fixture(scope="session")
def planned() -> list[Case]:
    """Return the CPU's smoke tier, but for the sides of routing boundaries."""
    settings = (Setting("on"), Setting("off"))
    dtypes = backend_dtypes("cpu")
    return numeric_cases("matmul", "cpu", dtypes, tier="smoke", seed=0, settings=settings)


@pytest.fixture
def core() -> Any:
    """Return a library whose functions are right."""
    return library()
