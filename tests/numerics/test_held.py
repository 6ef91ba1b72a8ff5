"""A result that is no product is held to numbers, and its data to a proof."""

from __future__ import annotations

import numpy as np

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.held import Held, expect

HALF = DTYPES["float16"]
EXACT = np.arange(1.0, 13.0).reshape(3, 4)


def held(allowed: float = 0.0, **more: object) -> Held:
    """Expect 1 to 12."""
    expectation = expect(EXACT, np.full(EXACT.shape, allowed), HALF)
    return Held(expectation, (3, 2, 2), **more)  # type: ignore[arg-type]


def result(x: np.ndarray) -> list[np.ndarray]:
    """Store a result as MLX gives it."""
    return [x.astype(np.float16).reshape(3, 2, 2)]


def test_what_is_right_is_exact_or_within() -> None:
    """Equality where nothing is allowed."""
    assert held().judge(result(EXACT)).verdict == "exact"
    assert held(0.25).judge(result(EXACT + 0.125)).verdict == "within"


def test_what_is_off_is_over_and_located() -> None:
    """The place is told in rows and columns of what was expected."""
    wrong = EXACT.copy()
    wrong[1, 3] += 1
    for allowed in (0.0, 0.25):
        finding = held(allowed).judge(result(wrong))
        assert (finding.verdict, finding.worst, finding.wrong) == ("over", (1, 3), 1)
        assert finding.pattern


def test_nan_is_right_where_it_is_expected_and_nowhere_else() -> None:
    """Beside elements that are allowed to be off, too."""
    exact = EXACT.copy()
    exact[0, 0] = np.nan
    expectation = expect(exact, np.full(exact.shape, 0.25), HALF)
    judge = Held(expectation, (3, 4), telling=np.array([False, True, True]))
    assert judge.judge([exact.astype(np.float16)]).passed
    assert judge.judge([EXACT.astype(np.float16)]).verdict == "over"
    stray = exact.copy()
    stray[2, 2] = np.nan
    assert judge.judge([stray.astype(np.float16)]).verdict == "over"


def test_shape_format_and_number_of_arrays_are_held_too() -> None:
    """Anything else is misshapen, with words."""
    for parts in ([EXACT.astype(np.float16)], [*result(EXACT), *result(EXACT)], []):
        finding = held().judge(parts)
        assert finding.verdict == "misshapen"
        assert finding.detail
    assert held().judge([EXACT.reshape(3, 2, 2)]).verdict == "misshapen"


def test_data_that_could_not_fail_prove_nothing() -> None:
    """All the same, all zero, or nothing lost with the last key."""
    same = Held(expect(np.ones((3, 4)), np.zeros((3, 4)), HALF), (3, 4))
    assert same.judge([np.ones((3, 4), np.float16)]).detail == "swapping two rows would not be seen"
    none = Held(expect(np.zeros((3, 4)), np.zeros((3, 4)), HALF), (3, 4), axes=())
    assert none.prove() == "setting one element to zero would not be seen"
    lost = np.full((1, 3, 4), 0.01)
    faint = Held(expect(EXACT[None], np.full((1, 3, 4), 0.25), HALF), (1, 3, 4), lost)
    assert "last" in str(faint.prove())


def test_rows_that_tell_nothing_are_left_out_of_the_proof() -> None:
    """And where no row tells anything there is nothing to prove."""
    exact = np.vstack([EXACT, np.zeros((5, 4))])
    expectation = expect(exact, np.zeros(exact.shape), HALF)
    telling = np.arange(8) < 3
    assert Held(expectation, exact.shape).prove()
    assert Held(expectation, exact.shape, telling=telling).prove() is None
    assert Held(expectation, exact.shape, telling=np.zeros(8, bool)).prove() is None


def test_an_exact_result_is_rounded_once() -> None:
    """2049 lies between two numbers of float16."""
    exact = np.array([[2049.0, 3.0]])
    expectation = expect(exact, np.array([[0.0, 0.5]]), HALF)
    np.testing.assert_array_equal(expectation.expected, [[2048.0, 3.0]])
