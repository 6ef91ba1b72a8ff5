"""Does the bound hold for every honest product, and is it sharp enough to mean something?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import (
    Arithmetic,
    Sums,
    excused,
    gamma,
    limit,
    promise,
    underflow,
)
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import Array, keep_bits, larger_part, widen
from tests.drawing import make
from tests.numerics.planted import cut, half_blocks, half_pairwise, honest, stored, truncated

NAMES = list(DTYPES)
BOUNDED = [name for name, fill in FILLS.items() if fill.check == "bounded"]
F32, F16, BF16, C64 = (DTYPES[n] for n in ("float32", "float16", "bfloat16", "complex64"))


def share(
    A: Array, B: Array, got: Array, dtype: DType, arithmetic: Arithmetic | None = None
) -> float:
    """Return the worst error as a share of the limit."""
    exact, size = product(A, B), magnitude(A, B)
    allowed = limit(arithmetic or promise(dtype), dtype, exact, size, A.shape[-1])
    return float((larger_part(widen(got) - exact) / allowed).max())


def in_order(A: Array, B: Array, dtype: DType) -> Array:
    """Sum one product after the other, each rounded: the worst that an accumulator does."""
    kinds: dict[str, type] = {"float64": np.float64, "complex64": np.complex64}
    kind = kinds.get(dtype.name, np.float32)
    total: Array = np.zeros((A.shape[0], B.shape[1]), kind)
    for k in range(A.shape[1]):
        total += A[:, k, None].astype(kind) * B[None, k].astype(kind)
    return stored(total, dtype)


@pytest.mark.parametrize("fill", ["normal", "uniform", "spread", "large"])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=6, deadline=None)
@given(
    m=st.integers(1, 12), n=st.integers(1, 12), k=st.integers(1, 200), seed=st.integers(0, 2**32)
)
def test_honest_products_stay_within(
    name: str, fill: str, m: int, n: int, k: int, seed: int
) -> None:
    dtype = DTYPES[name]
    A, B = make(fill, dtype, (m, k), (k, n), dtype.significand, np.random.default_rng(seed))
    for summed in (in_order(A, B, dtype), honest(A, B, dtype)):
        assert share(A, B, summed, dtype) <= 1


@pytest.mark.parametrize("truncate", [False, True])
@given(k=st.integers(1, 300), seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_tf32_class_products_stay_within_their_own_bound(
    k: int, seed: int, *, truncate: bool
) -> None:
    A, B = make("uniform", F32, (6, k), (k, 5), 11, np.random.default_rng(seed))
    got = cut(11, truncate=truncate)(A, B, F32)
    assert share(A, B, got, F32, Arithmetic(11, operand_truncates=truncate)) <= 1


@given(k=st.integers(1, 100), seed=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_truncating_accumulators_stay_within_twice_the_unit(k: int, seed: int) -> None:
    A, B = make("uniform", F32, (5, k), (k, 4), 24, np.random.default_rng(seed))
    total = np.zeros((5, 4))
    for step in range(k):
        term = keep_bits(widen(A)[:, step, None] * widen(B)[None, step], 24, truncate=True)
        total = keep_bits(total + term, 24, truncate=True)
    truncating = replace(promise(F32), accumulator_unit=2.0**-23)
    assert share(A, B, total.astype(np.float32), F32, truncating) <= 1


@pytest.mark.parametrize("partitions", [2, 3, 8])
def test_partitions_shorten_the_sums_and_are_honoured(partitions: int) -> None:
    A, B = make("uniform", F32, (8, 100), (100, 8), 24, np.random.default_rng(1))
    step = -(-100 // partitions)
    split = replace(promise(F32), sums=Sums(step, partitions, partitions - 1))
    assert split.terms(F32, 100) == step + partitions - 1
    parts = [in_order(A[:, i : i + step], B[i : i + step], F32) for i in range(0, 100, step)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert share(A, B, total, F32, split) <= 1


def test_no_order_of_summation_rounds_a_product_more_often_than_there_are_products() -> None:
    assert replace(promise(F32), sums=Sums(8, 32, 30)).terms(F32, 10) == 10
    assert promise(F32).terms(F32, 10) == 10
    assert replace(promise(C64), sums=Sums(8, 2, 1)).terms(C64, 100) == 2 * 9 + 8


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_partial_sums_stored_in_half_are_only_within_a_bound_that_says_so(name: str) -> None:
    dtype = DTYPES[name]
    A, B = make("normal", dtype, (16, 256), (256, 16), dtype.significand, np.random.default_rng(4))
    parts = [
        stored(in_order(A[:, i : i + 16], B[i : i + 16], F32), dtype) for i in range(0, 256, 16)
    ]
    total = stored(np.sum([part.astype(np.float32) for part in parts], axis=0), dtype)
    said = replace(promise(dtype), sums=Sums(16, 16, 15, kept=name))
    assert share(A, B, total, dtype, said) <= 1
    assert share(A, B, total, dtype, replace(said, sums=Sums(16, 16, 15, kept="float32"))) > 1


def test_three_real_products_stay_within_the_complex_bound() -> None:
    for seed in range(30):
        A, B = make("normal", C64, (9, 60), (60, 9), 24, np.random.default_rng(seed))
        real, imaginary = A.real @ B.real, A.imag @ B.imag
        both = (A.real + A.imag) @ (B.real + B.imag)
        got = (real - imaginary) + 1j * (both - real - imaginary)
        assert share(A, B, got.astype(np.complex64), C64) <= 1


FAULTS: list[tuple[str, Callable[[Array, Array, DType], Array]]] = [
    ("float16", half_blocks(1)),
    ("float16", half_blocks(16)),
    ("float16", half_pairwise),
    ("float32", half_blocks(1)),
    ("float32", half_blocks(32)),
    ("float32", half_pairwise),
    ("bfloat16", half_blocks(1)),
    ("float32", cut(8, truncate=False)),
    ("float32", cut(8, truncate=True)),
    ("float32", cut(11, truncate=False)),
    ("float32", cut(11, truncate=True)),
    ("complex64", cut(11, truncate=False)),
    ("float16", truncated),
    ("bfloat16", truncated),
]


@pytest.mark.parametrize("fill", ["normal", "uniform"])
@pytest.mark.parametrize(("name", "faulty"), FAULTS)
def test_the_bound_is_sharp_at_64(
    name: str, faulty: Callable[[Array, Array, DType], Array], fill: str
) -> None:
    dtype = DTYPES[name]
    A, B = make(fill, dtype, (64, 64), (64, 64), dtype.significand, np.random.default_rng(2))
    assert share(A, B, faulty(A, B, dtype), dtype) > 1


def test_gamma_is_infinite_where_it_no_longer_holds() -> None:
    assert gamma(2**24, 2.0**-24) == np.inf
    assert gamma(0, 2.0**-24) == 0
    assert gamma(100, 2.0**-24) == pytest.approx(100 * 2.0**-24, rel=1e-4)


def test_operand_error_is_that_of_two_cut_factors() -> None:
    assert Arithmetic(24).operand_error(F32) == 0
    assert Arithmetic(11).operand_error(F16) == 0
    assert Arithmetic(11).operand_error(F32) == 2 * 2.0**-11 + 2.0**-22
    assert Arithmetic(11, operand_truncates=True).operand_error(F32) == 2 * 2.0**-10 + 2.0**-20


@pytest.mark.parametrize("name", NAMES)
def test_promises_keep_whole_operands(name: str) -> None:
    dtype = DTYPES[name]
    assert promise(dtype).operand_error(dtype) == 0
    assert promise(dtype).accumulator_unit == (2.0**-53 if name == "float64" else 2.0**-24)


def one_excuse(got: float, exact: float, allowed: float, dtype: DType, size: float = 1.0) -> bool:
    arrays = (np.array([value]) for value in (got, exact, allowed, size))
    return bool(excused(dtype, *arrays)[0])


def test_subnormal_results_may_be_flushed_but_not_changed() -> None:
    assert one_excuse(0, 1e-39, 0, F32)
    assert not one_excuse(2e-39, 1e-39, 0, F32)
    assert not one_excuse(0, 1e-37, 0, F32)
    assert underflow(F16, 64) < 2.0**-24


def test_overflow_is_excused_where_the_interval_reaches_it() -> None:
    assert one_excuse(np.inf, 65500, 10, F16)
    assert not one_excuse(-np.inf, 65500, 10, F16)
    assert not one_excuse(np.nan, 65500, 10, F16)
    assert not one_excuse(np.inf, 60000, 10, F16)
    assert one_excuse(np.nan, 1.0, 1.0, F32, size=3.5e38)


@pytest.mark.parametrize("got", [65504.0, np.inf])
def test_near_overflow_both_the_largest_number_and_inf_pass(got: float) -> None:
    """256 x 256 = 65536 lies within half a spacing of where float16 ends."""
    A = np.array([[256.0]], np.float16)
    result, rng = np.array([[got]], np.float16), np.random.default_rng(0)
    assert judge("bounded", A, A, result, F16, promise(F16), rng).verdict == "within"


@pytest.mark.parametrize("got", [np.nan, -np.inf, 65408.0])
def test_near_overflow_nothing_else_passes(got: float) -> None:
    A = np.array([[256.0]], np.float16)
    result, rng = np.array([[got]], np.float16), np.random.default_rng(0)
    assert judge("bounded", A, A, result, F16, promise(F16), rng).verdict == "over"
