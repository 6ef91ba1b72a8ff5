from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.repeat import check_repeat

F32 = DTYPES["float32"]
FIRST = np.arange(12, dtype=np.float32).reshape(3, 4)


def changed() -> np.ndarray:
    other = FIRST.copy()
    other[1, 2] += 1
    other[2, 3] = np.nan
    return other


def test_equal_digests_are_exact() -> None:
    finding = check_repeat(["a"] * 10, FIRST, None, F32)
    assert (finding.verdict, finding.total) == ("exact", 12)


def test_the_call_that_differs_is_named() -> None:
    finding = check_repeat(["a"] * 6 + ["b"] + ["a"] * 3, FIRST, changed(), F32)
    assert finding.verdict == "over"
    assert finding.wrong == 2
    assert finding.worst == (2, 3)
    assert finding.pattern == "2 elements at (1, 2), (2, 3)"
    assert finding.detail == "call 7 of 10 differs from the first, in 2 of 12 elements"


@pytest.mark.parametrize(
    ("digests", "says"),
    [
        ("abbbb", "the first of 5 calls differs from all others"),
        ("abcde", "4 of 5 calls differ from call 1, beginning with 2"),
        ("aabab", "2 of 5 calls differ from call 1, beginning with 3"),
    ],
)
def test_several_differing_calls_are_told(digests: str, says: str) -> None:
    finding = check_repeat(list(digests), FIRST, changed(), F32)
    assert finding.detail == f"{says}, in 2 of 12 elements"


def test_bits_count_and_not_values() -> None:
    first, other = np.zeros((2, 2), np.float32), np.zeros((2, 2), np.float32)
    other[0, 1] = -0.0
    finding = check_repeat(["a", "b"], first, other, F32)
    assert (finding.verdict, finding.wrong) == ("over", 1)


def test_a_result_of_another_shape_is_misshapen() -> None:
    finding = check_repeat(["a", "b"], FIRST, FIRST[:2], F32)
    assert finding.verdict == "misshapen"
    assert finding.detail is not None
    assert finding.detail.startswith("call 2 of 2 differs from the first: the result has shape")


def test_a_differing_call_needs_its_result() -> None:
    with pytest.raises(ValueError, match="call 2 differs"):
        check_repeat(["a", "b"], FIRST, None, F32)
