"""Are exact fills exact in any order, and can every fill fail in every shape?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.proof import prove
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import Array, keep_bits, round_to, widen
from tests.drawing import make
from tests.numerics.planted import honest

ALL, NAMES = list(DTYPES.values()), list(DTYPES)
EXACT = [name for name, fill in FILLS.items() if fill.check == "exact"]
BOUNDED = [name for name, fill in FILLS.items() if fill.check == "bounded"]
SIZES = (0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513)

Sum = Callable[[Array, Array], Array]


def accumulator(dtype: DType) -> type:
    kinds: dict[str, type] = {"float64": np.float64, "complex64": np.complex64}
    return kinds.get(dtype.name, np.float32)


def one_by_one(A: Array, B: Array) -> Array:
    total = np.zeros((A.shape[0], B.shape[1]), A.dtype)
    for k in range(A.shape[1]):
        total += A[:, k, None] * B[None, k]
    return total


def in_blocks(A: Array, B: Array) -> Array:
    total = np.zeros((A.shape[0], B.shape[1]), A.dtype)
    for k in range(0, A.shape[1], 8):
        total += A[:, k : k + 8] @ B[k : k + 8]
    return total


def three_products(A: Array, B: Array) -> Array:
    """Multiply complex matrices as kernels do that save one of four real products."""
    real, imaginary = A.real @ B.real, A.imag @ B.imag
    both = (A.real + A.imag) @ (B.real + B.imag)
    result: Array = (real - imaginary) + 1j * (both - real - imaginary)
    return result


ORDERS: dict[str, Sum] = {
    "one by one": one_by_one,
    "backwards": lambda A, B: one_by_one(A[:, ::-1], B[::-1]),
    "in blocks": in_blocks,
    "by BLAS": lambda A, B: A @ B,
}


@pytest.mark.parametrize("fill", EXACT)
@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
@settings(max_examples=8, deadline=None)
@given(
    m=st.integers(1, 20),
    n=st.integers(1, 20),
    k=st.integers(1, 300),
    seed=st.integers(0, 2**32),
    tf32=st.booleans(),
)
def test_exact_fills_are_exact_in_any_order(
    fill: str, dtype: DType, m: int, n: int, k: int, seed: int, tf32: bool
) -> None:
    bits = 11 if tf32 and dtype.name in {"float32", "complex64"} else dtype.significand
    A, B = make(fill, dtype, (m, k), (k, n), bits, np.random.default_rng(seed))
    exact = product(A, B)
    orders = ORDERS | ({"three products": three_products} if dtype.is_complex else {})
    for how, order in orders.items():
        for truncate in (False, True):
            kept = [keep_bits(widen(X), bits, truncate=truncate) for X in (A, B)]
            got = order(*(X.astype(accumulator(dtype)) for X in kept))
            np.testing.assert_array_equal(got, exact, err_msg=how)


@pytest.mark.parametrize("fill", [name for name in EXACT if name != "round"])
@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
@pytest.mark.parametrize("k", [1, 2, 7, 64, 1000, 5000])
def test_exact_results_need_no_rounding(fill: str, dtype: DType, k: int) -> None:
    A, B = make(fill, dtype, (24, k), (k, 16), dtype.significand, np.random.default_rng(k))
    exact = product(A, B)
    np.testing.assert_array_equal(round_to(exact, dtype), exact)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_the_fill_round_must_be_rounded(name: str) -> None:
    dtype = DTYPES[name]
    for k in (1, 8, 64, 1000):
        A, B = make("round", dtype, (32, k), (k, 32), dtype.significand, np.random.default_rng(k))
        exact = product(A, B)
        assert (round_to(exact, dtype) != exact).mean() > 0.4
        assert np.isfinite(round_to(exact, dtype)).all()


@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
def test_integers_stay_within_what_the_output_counts_to(dtype: DType) -> None:
    for k in (1, 3, 100, 3000):
        A, B = make("integer", dtype, (9, k), (k, 9), dtype.significand, np.random.default_rng(k))
        limit = 2**36 if dtype.name == "float64" else dtype.exact_integer
        assert magnitude(A, B).max() <= limit
        parts = product(A, B).view(np.float64)
        assert (np.abs(parts) % 2 == 1).all()


@pytest.mark.parametrize(
    "dtype", [DTYPES["float32"], DTYPES["float16"]], ids=["float32", "float16"]
)
@pytest.mark.parametrize("k", [64, 131, 1024, 4096])
def test_cancelling_sums_leave_a_half_accumulator(dtype: DType, k: int) -> None:
    A, B = make("cancel", dtype, (16, k), (k, 16), 11, np.random.default_rng(k))
    partial = np.cumsum(widen(A)[:, :, None] * widen(B)[None], axis=1)
    assert np.abs(partial).max(axis=1).min() > 10 * 2**11
    assert np.abs(product(A, B)).max() <= 255


@pytest.mark.parametrize("k", [64, 131, 1024, 4096])
def test_large_sums_pass_a_half_accumulator_and_come_back(k: int) -> None:
    dtype = DTYPES["float16"]
    A, B = make("large", dtype, (16, k), (k, 16), 11, np.random.default_rng(k))
    partial = np.cumsum(widen(A)[:, :, None] * widen(B)[None], axis=1)
    assert np.abs(partial).max(axis=1).min() > 2 * dtype.largest
    assert np.abs(product(A, B)).max() < dtype.largest


@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
def test_tiny_results_are_subnormal_here_and_normal_there(dtype: DType) -> None:
    A, B = make("tiny", dtype, (64, 64), (64, 64), dtype.significand, np.random.default_rng(5))
    sizes = np.abs(product(A, B))
    assert (sizes < dtype.smallest_normal).mean() > 0.05
    assert (sizes > dtype.smallest_normal).mean() > 0.5
    for X in (A, B):
        parts = np.abs(widen(X).view(np.float64))
        assert parts[parts > 0].min() >= dtype.smallest_normal


@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
@pytest.mark.parametrize("bits", [8, 11, 24, 53])
def test_copied_integers_have_every_promised_bit(dtype: DType, bits: int) -> None:
    kept = min(bits, dtype.significand)
    A, B = make("onehot", dtype, (16, 8), (8, 16), bits, np.random.default_rng(bits))
    dense = A if (A != 0).all() else B
    parts = np.abs(np.ascontiguousarray(widen(dense)).view(np.float64))
    assert (parts >= 2.0 ** (kept - 1)).all()
    assert (parts < 2.0**kept).all()
    assert (parts % 2 == 1).all()


def shapes(seed: int) -> Iterator[tuple[int, int, int]]:
    """Yield shapes in which every size stands once as M, as N and as K, large M by small N."""
    rng = np.random.default_rng(seed)
    shift, count = int(rng.integers(4)), len(SIZES)
    for m, k in enumerate(rng.permutation(SIZES)):
        yield SIZES[m], SIZES[(count - 1 - m + shift) % count], int(k)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
def test_every_fill_proves_something_in_every_shape_and_passes(dtype: DType, fill: str) -> None:
    seed = 100 * list(FILLS).index(fill) + ALL.index(dtype)
    rng = np.random.default_rng(seed)
    for m, n, k in shapes(seed):
        A, B = make(fill, dtype, (m, k), (k, n), dtype.significand, rng)
        check, C = FILLS[fill].check, honest(A, B, dtype)
        finding = judge(check, A, B, C, dtype, promise(dtype), rng)
        assert finding.passed, (m, n, k, finding)


@pytest.mark.parametrize("fill", [*EXACT, *BOUNDED])
@pytest.mark.parametrize("dtype", ALL, ids=NAMES)
def test_small_and_batched_shapes_prove_something_too(dtype: DType, fill: str) -> None:
    """Where few elements could happen to be alike, fills are drawn until they are not."""
    rng = np.random.default_rng(ALL.index(dtype))
    for m, n, k in [(1, 1, 1), (1, 2, 1), (2, 1, 3), (1, 1, 900), (2, 2, 2), (3, 1, 1)]:
        for batch in ((), (3,), (2, 2)):
            A, B = make(fill, dtype, (*batch, m, k), (*batch, k, n), dtype.significand, rng)
            assert prove(FILLS[fill].check, A, B, dtype) is None, (batch, m, n, k)


@pytest.mark.parametrize("fill", [*EXACT, *BOUNDED])
def test_tf32_class_routes_are_proved_as_well(fill: str) -> None:
    dtype, rng = DTYPES["float32"], np.random.default_rng(4)
    for k in (1, 17, 512, 4096):
        A, B = make(fill, dtype, (33, k), (k, 20), 11, rng)
        assert prove(FILLS[fill].check, A, B, dtype) is None, k


def test_the_same_seed_draws_the_same_operands() -> None:
    first, second = (
        make("normal", DTYPES["float16"], (5, 6), (6, 7), 11, np.random.default_rng(8))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_an_unknown_fill_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="fill 'random' is not one of integer, cancel"):
        make("random", DTYPES["float32"], (1, 1), (1, 1), 24, np.random.default_rng(0))


@pytest.mark.parametrize("fill", BOUNDED)
@pytest.mark.parametrize("name", ["float32", "complex64"])
@pytest.mark.parametrize("shape", [(33, 5, 33), (31, 64, 63), (512, 3, 32), (65, 31, 64)])
def test_real_data_prove_something_although_operands_are_cut(
    fill: str, name: str, shape: tuple[int, int, int]
) -> None:
    m, n, k = shape
    dtype, cut = DTYPES[name], Arithmetic(11, operand_truncates=True, accumulator_unit=2.0**-23)
    for seed in range(5):
        A, B = make(fill, dtype, (m, k), (k, n), 11, np.random.default_rng(seed))
        assert prove("bounded", A, B, dtype, cut) is None
