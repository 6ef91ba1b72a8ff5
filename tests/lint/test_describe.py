"""A call as a line: read back, it is the same call."""

import pytest

from pytest_applegpu.lint.describe import described
from pytest_applegpu.lint.drawn import drawn
from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.calls import Matmul
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.lines import call_of, target_of
from tests.lint.linting import matmul


def test_random_calls_come_back_as_they_were() -> None:
    for call, target in drawn(900, "0.32.4", seed=3):
        line = described(call, target)
        assert target_of(line) == target
        assert route_of(call_of(line), target) == route_of(call, target)


@pytest.mark.parametrize(
    ("layout", "transpose"),
    [("pad:3", False), ("tpad:5", True), ("off:4", False), ("toff:7", True), ("step", False)],
)
def test_layouts_come_back(layout: str, transpose: bool) -> None:
    case = matmul(4, 6, 8, "tn" if transpose else "nn", a_layout=layout)
    assert described(call_of(case), target_of(case)) == case


def test_what_no_layout_says_is_told_by_strides() -> None:
    odd = Array((4, 8), (40, 3), "float16", offset=2, data_size=150)
    line = described(Matmul(odd, dense((8, 6), "float16")), target_of(matmul(4, 6, 8)))
    assert (line["a_strides"], line["a_offset"]) == ([40, 3], 2)
    assert "a_layout" not in line
