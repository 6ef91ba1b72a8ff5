"""An array library of NumPy's own, in front of which faults are planted, and cases to try."""

from __future__ import annotations

from hashlib import sha256
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.cases.refusals import refusal_cases
from pytest_applegpu.emulated.arrays import DTYPES, View
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.selftest.faults import plant
from pytest_applegpu.setting import Setting
from pytest_applegpu.views import Placement, store, view


@pytest.fixture
def _tf32_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLX_ENABLE_TF32", "0")


def planted(name: str) -> Any:
    """Return a library with a fault in front of it."""
    core = library()
    plant(core, name)
    return core


def one_case(text: str) -> Case:
    """Return a case with TF32 off."""
    (case,) = parse_cases(text, [Setting("off")])
    return case


def library() -> Any:
    """Return a fresh library: its array, its matmul, and the operator, all of them right."""

    def product(a: Any, b: Any) -> Any:
        wide = np.complex128 if a.values.dtype.kind == "c" else np.float64
        with np.errstate(all="ignore"):
            c = np.matmul(*(one.values.astype(wide) for one in (a, b)))
            return array(np.asarray(c).astype(a.values.dtype))

    class array(View):  # noqa: N801 - MLX's name
        __matmul__ = product

    def made(numbers: np.ndarray, like: Any) -> Any:
        with np.errstate(all="ignore"):
            return array(np.asarray(numbers).astype(like.values.dtype))

    operations = {name: _of_numbers(function, made) for name, function in _OPERATIONS.items()}
    return SimpleNamespace(
        array=array, matmul=product, eval=lambda *_: None, **DTYPES, **operations
    )


def _of_numbers(function: Any, made: Any) -> Any:
    """Return a function of arrays that does what `function` does of NumPy's, A's format given."""

    def plain(one: Any) -> Any:
        return _wide(one.values) if isinstance(one, View) else one

    def answer(*positions: Any, **named: Any) -> Any:
        arrays = [one for one in (*positions, *named.values()) if isinstance(one, View)]
        with np.errstate(all="ignore"):
            numbers = function(
                *map(plain, positions), **{name: plain(one) for name, one in named.items()}
            )
        return made(numbers, arrays[0])

    return answer


def _wide(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "bu":
        return values
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _addmm(c: Any, a: Any, b: Any, alpha: float = 1.0, beta: float = 1.0) -> Any:
    return alpha * np.matmul(a, b) + (beta * c if beta else 0)


def _gather_mm(
    a: Any, b: Any, lhs_indices: Any = None, rhs_indices: Any = None, *, sorted_indices: bool
) -> Any:
    del sorted_indices
    given = rhs_indices if lhs_indices is None else lhs_indices
    own = np.arange(given.size).reshape(given.shape)
    left, right = (own if one is None else one for one in (lhs_indices, rhs_indices))
    a, b = (one.reshape(prod(one.shape[:-2]), *one.shape[-2:]) for one in (a, b))
    return np.matmul(a[left], b[right])


def _segmented_mm(a: Any, b: Any, segments: Any) -> Any:
    parts = [a[:, start:stop] @ b[start:stop] for start, stop in segments]
    return np.stack(parts) if parts else np.zeros((0, a.shape[0], b.shape[1]))


def _block_masked_mm(
    a: Any,
    b: Any,
    block_size: int,
    mask_out: Any = None,
    mask_lhs: Any = None,
    mask_rhs: Any = None,
) -> Any:
    def masked(x: Any, mask: Any) -> Any:
        if mask is None:
            return x
        for axis in (-2, -1):
            mask = np.repeat(mask, block_size, axis)
        mask = mask[..., : x.shape[-2], : x.shape[-1]]
        return np.where(mask == 0, 0, x * mask)

    return masked(np.matmul(masked(a, mask_lhs), masked(b, mask_rhs)), mask_out)


_OPERATIONS = {
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "segmented_mm": _segmented_mm,
    "block_masked_mm": _block_masked_mm,
}
"""What operations other than `matmul` do, in NumPy's numbers."""


def answer(core: Any, case: Case) -> Any:
    """Call the function of `core` that a case's problem names, as a worker does."""
    problem = case.problem
    seed = int.from_bytes(sha256(case.data.encode()).digest()[:8])
    random = np.random.Generator(np.random.Philox(seed))
    bits = promise(problem.dtype).operand_bits
    drawn = draw(problem, case.fill, bits, random, proven=False)
    held = {
        form.name: operand(core, form.placement, numbers, form.guard)
        for form, numbers in zip(problem.operands, drawn.sent, strict=True)
    }
    said = problem.invocation

    def value(one: Any) -> Any:
        return held[one["operand"]] if isinstance(one, dict) else one

    named = {name: value(one) for name, one in said.named.items()}
    return getattr(core, said.name)(*map(value, said.arguments), **named)


def operand(
    core: Any, placement: Placement, numbers: np.ndarray, guard: float | None = None
) -> Any:
    """Lay an operand out as a worker does, slices being taken by the library."""
    held = core.array(store(placement, numbers, np.nan if guard is None else guard))
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
    bits = promise(problem.dtype).operand_bits
    drawn = draw(problem, case.fill, bits, random, proven=False)
    a, b = (
        operand(core, one.placement, numbers)
        for one, numbers in zip(problem.operands, drawn.sent, strict=True)
    )
    return a, b


def result(core: Any, case: Case) -> Any:
    """Multiply as the case says."""
    a, b = operands(core, case)
    return a @ b if case.problem.param("via") == "operator" else core.matmul(a, b)


def plainly(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    """Return format, shape and bytes, which are equal where nothing differs."""
    return str(array.dtype), array.shape, array.values.tobytes()


@pytest.fixture(scope="session")
def planned() -> list[Case]:
    """Return the CPU's standard tier of `matmul`, but for the sides of routing boundaries."""
    settings = (Setting("on"), Setting("off"))
    dtypes = backend_dtypes("cpu")
    return numeric_cases("matmul", "cpu", dtypes, tier="standard", seed=0, settings=settings)


@pytest.fixture(scope="session")
def tier() -> list[Case]:
    """Return the CPU's standard tier with TF32 off, of every operation."""
    dtypes = backend_dtypes("cpu")
    return [
        case
        for op in FORMS
        for case in (
            *numeric_cases(op, "cpu", dtypes, tier="standard", seed=0, settings=(Setting("off"),)),
            *refusal_cases(op, dtypes, (Setting("off"),)),
        )
    ]


@pytest.fixture
def core() -> Any:
    """Return a library whose functions are right."""
    return library()
