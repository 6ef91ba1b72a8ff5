"""Is every planted fault seen, and called by its name?"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.cause import explain
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, widen
from tests.drawing import make
from tests.numerics import planted
from tests.numerics.planted import Product

NAMES = list(DTYPES)
EVERY = ("integer", "cancel", "onehot", "powers", "round", "normal", "uniform", "spread", "large")


def found(name: str, fill: str, faulty: Product, *, batch: tuple[int, ...] = (2,)) -> Finding:
    """Judge a faulty product of 48 x 131 x 70."""
    dtype, rng = DTYPES[name], np.random.default_rng(11)
    A, B = make(fill, dtype, (*batch, 48, 131), (*batch, 131, 70), dtype.significand, rng)
    return judge(
        FILLS[fill].check,
        A,
        B,
        faulty(A, B, dtype),
        dtype,
        promise(dtype),
        np.random.default_rng(1),
    )


def is_named(finding: Finding, cause: str | None, pattern: str | None = None) -> None:
    assert (finding.verdict, finding.cause) == ("over", cause)
    if pattern is not None:
        assert finding.pattern == pattern


@pytest.mark.parametrize("fill", [*EVERY, "ones", "tiny"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lost", [1, 3, 16])
def test_a_lost_tail_is_named(name: str, fill: str, lost: int) -> None:
    finding = found(name, fill, planted.without_tail(lost))
    size = f"{lost} elements" if lost > 1 else "element"
    if fill == "onehot" and lost == 1:
        # 48 rows use 48 of 131 places in K, and not those before the last.
        size = "3 elements"
    is_named(finding, f"as if the last {size} of K were dropped")


def test_a_lost_part_of_k_is_told_in_numbers_too() -> None:
    assert found("float32", "integer", planted.without_tail(3)).lost == (128, 131)
    assert found("float32", "ones", planted.without_tail(3)).lost == (128, 131)
    assert found("float32", "integer", planted.last_row_zero).lost is None


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_a_lost_stretch_of_k_is_named(name: str, fill: str) -> None:
    finding = found(name, fill, planted.chunk_lost)
    if (name, fill) == ("float16", "large"):
        # Nothing is left but Inf, which tells nothing but that sums were too large.
        assert finding.verdict == "over"
    else:
        is_named(finding, "as if k = 32 to 63 were dropped")


@pytest.mark.parametrize("fill", ["integer", "cancel", "normal", "uniform"])
@pytest.mark.parametrize("name", NAMES)
def test_a_tail_lost_in_a_corner_is_named_and_placed(name: str, fill: str) -> None:
    finding = found(name, fill, planted.tail_lost_in_last_columns)
    is_named(finding, "as if the last 3 elements of K were dropped")
    assert finding.pattern == "last 16 columns (columns >= 54) of every batch"


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_a_stale_last_row_is_named(name: str, fill: str) -> None:
    finding = found(name, fill, planted.last_row_stale)
    is_named(finding, "row 47 repeats row 46", "the last row (47) of every batch")


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_a_last_row_or_column_never_written_is_named(name: str, fill: str) -> None:
    cause = "zero wherever it is wrong"
    is_named(found(name, fill, planted.last_row_zero), cause, "the last row (47) of every batch")
    column = found(name, fill, planted.last_column_zero)
    is_named(column, cause, "the last column (69) of every batch")


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_swapped_columns_are_named(name: str, fill: str) -> None:
    cause = "columns 1 and 4 are swapped"
    is_named(found(name, fill, planted.columns_swapped), cause, "columns 1, 4 of every batch")


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_a_repeated_batch_is_named(name: str, fill: str) -> None:
    finding = found(name, fill, planted.batch_repeated)
    is_named(finding, "batch 1 repeats batch 0")
    assert finding.pattern is not None
    assert finding.pattern.startswith("batch 1 only")


@pytest.mark.parametrize("fill", EVERY)
@pytest.mark.parametrize("name", NAMES)
def test_transposed_operands_and_zero_results_are_named(name: str, fill: str) -> None:
    is_named(found(name, fill, planted.transposed_a), "operand A read as its transpose")
    is_named(found(name, fill, planted.zero_result), "the result is all zeros")


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize(("bits", "family"), [(8, "bfloat16"), (11, "TF32-class")])
@pytest.mark.parametrize("fill", ["onehot", "normal", "uniform", "spread", "large"])
@pytest.mark.parametrize("name", ["float32", "complex64"])
def test_cut_operands_are_named(
    name: str, fill: str, bits: int, family: str, *, truncate: bool
) -> None:
    how = "truncated" if truncate else "rounded"
    cause = f"operands cut to {bits} significant bits ({how}, {family})"
    is_named(found(name, fill, planted.cut(bits, truncate=truncate)), cause)


def test_cut_integers_are_named_to_the_bit() -> None:
    cause = "operands cut to 8 significant bits (rounded, bfloat16)"
    is_named(found("float32", "integer", planted.cut(8, truncate=False)), cause)


@pytest.mark.parametrize("fill", ["round", "normal", "uniform", "spread"])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_truncated_output_is_named_and_shows_as_bias(name: str, fill: str) -> None:
    finding = found(name, fill, planted.truncated)
    is_named(finding, "output truncated instead of rounded")
    assert finding.bias == pytest.approx(-0.4, abs=0.15)


def test_a_float32_accumulator_is_its_output_and_cannot_be_truncated() -> None:
    for fill in ("integer", "onehot", "normal"):
        assert found("float32", fill, planted.truncated).passed


@pytest.mark.parametrize("size", [1, 16, 32, 64])
@pytest.mark.parametrize("fill", ["cancel", "normal", "uniform"])
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_half_accumulation_is_named(name: str, fill: str, size: int) -> None:
    finding = found(name, fill, planted.half_blocks(size))
    assert finding.verdict == "over"
    assert finding.cause is not None
    assert finding.cause.startswith("accumulated in float16 (")


@pytest.mark.parametrize("fill", ["normal", "spread", "cancel"])
def test_half_accumulation_in_another_order_is_named(fill: str) -> None:
    finding = found("float16", fill, planted.half_pairwise)
    assert finding.cause is not None
    assert finding.cause.startswith("accumulated in float16 (")


def test_half_accumulators_that_overflow_are_named() -> None:
    finding = found("float32", "onehot", planted.half_pairwise)
    cause = "accumulated in float16 (not finite where partial sums pass its largest number)"
    is_named(finding, cause, "every element")


def test_one_wrong_element_in_a_million_is_found_and_not_explained() -> None:
    dtype, rng = DTYPES["float32"], np.random.default_rng(2)
    A, B = make("integer", dtype, (1024, 64), (64, 1024), 24, rng)
    C = planted.honest(A, B, dtype)
    C[613, 77] += 1
    for check in ("exact", "projection"):
        finding = judge(check, A, B, C, dtype, promise(dtype), rng)
        is_named(finding, None, "one element at (613, 77)")
        assert finding.wrong == 1


def garbage_row(A: Array, B: Array, dtype: DType) -> Array:
    C = planted.honest(A, B, dtype)
    C[..., 5, :] *= np.array(1.5, C.dtype)
    return C


def noise(A: Array, B: Array, dtype: DType) -> Array:
    C = planted.honest(A, B, dtype)
    factor = np.random.default_rng(5).uniform(0.5, 2, C.shape)
    spoilt: Array = (C * factor.astype(C.dtype)).astype(C.dtype)
    return spoilt


@pytest.mark.parametrize("faulty", [garbage_row, noise])
@pytest.mark.parametrize("fill", ["integer", "cancel", "normal", "large"])
@pytest.mark.parametrize("name", NAMES)
def test_what_no_model_explains_has_no_name(name: str, fill: str, faulty: Product) -> None:
    is_named(found(name, fill, faulty), None)


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 40), (2, 1, 3), (1, 3, 2)])
def test_small_results_are_not_explained_by_chance(shape: tuple[int, int, int]) -> None:
    dtype, rng = DTYPES["float32"], np.random.default_rng(3)
    m, n, k = shape
    for seed in range(20):
        A, B = make("integer", dtype, (m, k), (k, n), 24, np.random.default_rng(seed))
        C = planted.honest(A, B, dtype)
        C[0, 0] += 2
        finding = judge("exact", A, B, C, dtype, promise(dtype), rng)
        assert (finding.verdict, finding.cause) == ("over", None)


@pytest.mark.parametrize("parts", [2, 4, 8, 16])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_partial_sums_rounded_to_the_output_are_named(name: str, parts: int) -> None:
    """A split-K route that keeps its partial results in half precision."""
    fill = "cancel"
    dtype = DTYPES[name]
    A, B = make(fill, dtype, (16, 4096), (4096, 17), dtype.significand, np.random.default_rng(0))
    a, b = widen(A), widen(B)
    size = 4096 // parts
    sums = [a[:, k : k + size] @ b[k : k + size] for k in range(0, 4096, size)]
    got = sum(part.astype(dtype.numpy).astype(np.float64) for part in sums)
    stored = np.asarray(got).astype(dtype.numpy)
    check = FILLS[fill].check
    finding = judge(check, A, B, stored, dtype, promise(dtype), np.random.default_rng(1))
    assert finding.verdict == "over"
    assert finding.cause == f"{parts} partial sums of K rounded to {name}"


def swapped_kinds(A: Array, B: Array, dtype: DType) -> Array:
    C = planted.honest(A, B, dtype)
    C[np.isinf(C)] = np.nan
    return C


def lost_signs(A: Array, B: Array, dtype: DType) -> Array:
    C = planted.honest(A, B, dtype)
    C[np.isinf(C)] = np.inf
    return C


@pytest.mark.parametrize("faulty", [swapped_kinds, lost_signs])
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_another_kind_or_sign_of_infinity_is_explained_by_no_rounding(
    name: str, faulty: Product
) -> None:
    dtype, rng = DTYPES[name], np.random.default_rng(4)
    A, B = make("integer", dtype, (20, 33), (33, 40), dtype.significand, rng)
    A[3], A[7], B[:] = np.inf, -np.inf, np.abs(B) + 1
    C = planted.honest(A, B, dtype)
    got = faulty(A, B, dtype)
    finding = Finding("over", worst=(7, 5))
    assert not np.array_equal(C, got, equal_nan=True)
    assert explain(A, B, got, dtype, promise(dtype), finding) is None


def ulps_off(C: Array) -> Array:
    """The next number up, of each."""
    if C.dtype.itemsize > 2:
        above: Array = np.nextafter(C, np.array(np.inf, C.dtype))
        return above
    raw = np.ascontiguousarray(C).view(np.int16)
    moved: Array = (raw + np.where(raw < 0, -1, 1).astype(np.int16)).view(C.dtype)
    return moved


GARBAGE: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "one spacing off": lambda line, _: ulps_off(line),
    "noise": lambda line, rng: rng.standard_normal(line.shape).astype(line.dtype),
    "whole numbers": lambda line, rng: np.rint(8 * rng.standard_normal(line.shape)).astype(
        line.dtype
    ),
    "one number": lambda line, _: np.full_like(line, 96),
    "infinities": lambda line, _: np.full_like(line, np.inf),
}

BY_SIGHT = {"the result is all zeros", "zero wherever it is wrong"}
"""What is seen and not concluded."""


@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize("fill", [*EVERY, "ones"])
@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_a_line_of_garbage_has_no_name(name: str, fill: str, garbage: str) -> None:
    dtype = DTYPES[name]
    shapes = [(2, 1, 1, 40), (2, 1, 4, 64), (2, 4, 1, 300), (3, 2, 2, 5), (2, 3, 5, 16)]
    for seed, (batch, m, n, k) in enumerate(shapes):
        rng = np.random.default_rng(seed)
        A, B = make(fill, dtype, (batch, m, k), (batch, k, n), dtype.significand, rng)
        for line in (np.s_[-1, m - 1], np.s_[-1, :, n - 1]):
            C = planted.honest(A, B, dtype)
            C[line] = GARBAGE[garbage](C[line], rng)
            finding = judge(FILLS[fill].check, A, B, C, dtype, promise(dtype), rng)
            assert finding.cause is None or finding.cause in BY_SIGHT, (batch, m, n, k)


@pytest.mark.parametrize("fill", ["integer", "cancel", "normal", "uniform", "spread"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("factor", [2.0, 0.5, 0.125, 3.0])
def test_a_constant_factor_is_named(name: str, fill: str, factor: float) -> None:
    def faulty(A: Array, B: Array, dtype: DType) -> Array:
        return planted.stored(planted.summed(A, B, dtype) * planted_type(dtype)(factor), dtype)

    is_named(found(name, fill, faulty), f"the result is multiplied by {factor:g}")


def planted_type(dtype: DType) -> type[np.generic]:
    return {"float64": np.float64}.get(dtype.name, np.float32)


@pytest.mark.parametrize("fill", ["integer", "cancel", "normal", "spread"])
@pytest.mark.parametrize("name", NAMES)
def test_a_lost_or_turned_sign_is_named(name: str, fill: str) -> None:
    def negated(A: Array, B: Array, dtype: DType) -> Array:
        return -planted.honest(A, B, dtype)

    def absolute(A: Array, B: Array, dtype: DType) -> Array:
        return np.abs(planted.honest(A, B, dtype)).astype(dtype.numpy)

    is_named(found(name, fill, negated), "the result is negated")
    if not DTYPES[name].is_complex:
        cause = "the result has lost its sign (absolute values)"
        is_named(found(name, fill, absolute), cause)


def test_a_product_of_ones_cannot_tell_a_factor_from_a_loss() -> None:
    dtype, rng = DTYPES["float32"], np.random.default_rng(0)
    A, B = make("ones", dtype, (16, 64), (64, 20), 24, rng)
    C = planted.honest(A, B, dtype) / 2
    finding = judge("exact", A, B, C, dtype, promise(dtype), rng)
    said = "the result is multiplied by 0.5, or as if the last 32 elements of K were dropped"
    is_named(finding, said)


def test_a_truncated_output_is_no_factor_near_one() -> None:
    dtype, rng = DTYPES["float16"], np.random.default_rng(7)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A, B = make("uniform", dtype, (4, 40), (40, 4), dtype.significand, rng)
        C = planted.truncated(A, B, dtype)
        finding = judge("bounded", A, B, C, dtype, promise(dtype), rng)
        assert finding.cause is None or "multiplied" not in finding.cause


@pytest.mark.parametrize("k", [1, 2])
def test_sums_of_a_term_or_two_are_diagnosed_without_a_warning(k: int) -> None:
    dtype = DTYPES["float32"]
    rng = np.random.default_rng(5)
    A, B = make("integer", dtype, (40, k), (k, 40), 24, rng)
    got = np.asarray(A.astype(ml_dtypes.bfloat16), np.float32) @ B
    found = judge("exact", A, B, got, dtype, promise(dtype), rng)
    assert found.verdict == "over"
