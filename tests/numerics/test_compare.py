from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.compare import compare_bounded, compare_exact, misshapen
from pytest_applegpu.numerics.rounding import Array

F32, F16, C64 = DTYPES["float32"], DTYPES["float16"], DTYPES["complex64"]


def none_excused(got: Array) -> Array:
    return np.zeros(got.shape, bool)


@pytest.mark.parametrize(
    ("got", "says"),
    [
        ([[1.0]], "the result is of type list, not an array"),
        (np.zeros((2, 3), np.float32), "the result has shape (2, 3), not (3, 2)"),
        (np.zeros((3, 2), np.float16), "the result is float16, not float32"),
    ],
)
def test_misshapen_results_say_how(got: object, says: str) -> None:
    assert misshapen(got, (3, 2), F32) == says


def test_right_shapes_are_not_misshapen() -> None:
    assert misshapen(np.zeros((3, 2), np.float32), (3, 2), F32) is None


def test_equal_results_are_exact() -> None:
    got = np.array([[1, -0.0], [np.nan, np.inf]], np.float32)
    expected = np.array([[1, 0.0], [np.nan, np.inf]])
    comparison = compare_exact(got, expected, F32)
    assert comparison.finding.verdict == "exact"
    assert comparison.finding.total == 4
    assert not comparison.wrong.any()


def test_the_worst_element_is_told_in_every_unit() -> None:
    got = np.array([[1.0, 4.0], [9.0, 16.0]], np.float16)
    finding = compare_exact(got, np.array([[1.0, 4.0], [8.0, 16.0]]), F16).finding
    assert finding.verdict == "over"
    assert (finding.wrong, finding.total, finding.worst) == (1, 4, (1, 0))
    assert (finding.got_value, finding.expected_value) == (9.0, 8.0)
    assert finding.share == finding.ulp == 128
    assert finding.relative == 1 / 16
    assert finding.bias == 128 / 4


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("got_first", [False, True])
def test_what_is_not_finite_is_infinitely_wrong(bad: float, *, got_first: bool) -> None:
    good, spoilt = np.array([[1.0, 2.0]]), np.array([[1.0, bad]])
    got, expected = (spoilt, good) if got_first else (good, spoilt)
    finding = compare_exact(got.astype(np.float32), expected, F32).finding
    assert finding.share == np.inf
    assert finding.worst == (0, 1)


def test_truncation_shows_as_bias_toward_zero() -> None:
    exact = np.array([[1 + 2.0**-11 * 1.5, -(1 + 2.0**-11 * 1.5)]])
    got = np.array([[1.0, -1.0]], np.float16)
    finding = compare_bounded(got, exact, np.full((1, 2), 1.0), none_excused(got), F16).finding
    assert finding.verdict == "within"
    assert finding.bias == -0.75


def test_a_result_over_its_bound_is_over() -> None:
    got, exact = np.array([[1.0, 2.5]], np.float32), np.array([[1.0, 2.0]])
    comparison = compare_bounded(got, exact, np.array([[0.1, 0.25]]), none_excused(got), F32)
    assert comparison.finding.verdict == "over"
    assert comparison.finding.share == 2
    np.testing.assert_array_equal(comparison.wrong, [[False, True]])


@pytest.mark.parametrize(
    ("band", "allowed", "verdict"),
    [(0.75, 1.0, "within"), (0.25, 1.0, "creeping"), (0.25, 0.4, "over")],
)
def test_beyond_the_band_is_creeping_unless_it_is_over(
    band: float, allowed: float, verdict: str
) -> None:
    got, exact = np.array([[1.0, 2.5]], np.float32), np.array([[1.0, 2.0]])
    sizes = (np.full((1, 2), size) for size in (allowed, band))
    most, soft = sizes
    finding = compare_bounded(got, exact, most, none_excused(got), F32, soft).finding
    assert finding.verdict == verdict
    assert finding.typical == 0.5 / band
    assert finding.share == 0.5 / allowed


def test_excused_elements_count_as_right() -> None:
    got, exact = np.array([[np.inf, 2.0]], np.float16), np.array([[65510.0, 2.0]])
    excuse = np.array([[True, False]])
    finding = compare_bounded(got, exact, np.array([[1.0, 1.0]]), excuse, F16).finding
    assert (finding.verdict, finding.share) == ("within", 0)


def test_complex_elements_are_as_wrong_as_their_worse_part() -> None:
    got, exact = np.array([[1 + 2j]], np.complex64), np.array([[1.5 + 4j]])
    finding = compare_bounded(got, exact, np.array([[1.0]]), none_excused(got), C64).finding
    assert finding.share == 2
    assert finding.got_value == 1 + 2j


def test_zero_expected_is_charged_by_what_stands_beside_it() -> None:
    got = np.array([[1.0, 1024.0]], np.float16)
    finding = compare_exact(got, np.array([[0.0, 1024.0]]), F16).finding
    assert finding.share == 1 / 2.0**-11


def test_empty_results_are_right() -> None:
    got, exact = np.zeros((0, 3), np.float32), np.zeros((0, 3))
    assert compare_exact(got, exact, F32).finding.verdict == "exact"
    assert compare_bounded(got, exact, exact, none_excused(got), F32).finding.verdict == "within"
