"""Smaller problems that still show a finding of the same kind."""

from dataclasses import replace

import pytest

from pytest_applegpu.lint.axes import axes
from pytest_applegpu.lint.check import lint
from pytest_applegpu.lint.drawn import drawn
from pytest_applegpu.lint.finding import smallest
from pytest_applegpu.lint.shrink import shrunk
from tests.lint.linting import attention, found, line, matmul, quantized


def test_every_size_shrinks_to_where_the_rule_still_fires() -> None:
    case = matmul(60, 96, 4000, "nt", arch="g17g", op="segmented_mm", segments_shape=[9, 2])
    (one,) = found("false-alignment", case)
    least = shrunk(one)
    assert least.kind == one.kind
    assert (least.call["a_shape"], least.call["b_shape"]) == ([1, 2], [2, 32])
    assert least.call["segments_shape"] == [1, 2]


def test_thresholds_are_found_by_bisection() -> None:
    (one,) = found("int32", matmul(2, 1 << 24, 900))
    assert shrunk(one).call["b_shape"] == [257, 1 << 23]


def test_packed_weights_keep_whole_groups() -> None:
    (one,) = found("half-between", quantized(100, 500, 4096, version="0.32.2"))
    columns = shrunk(one).call["w_shape"][1]
    assert columns == 2 * 64


def test_layouts_become_plain_where_they_do_not_matter() -> None:
    case = matmul(32, 32, 144, arch="g15s", a_layout="pad:8")
    (one,) = found("empty-partition", case)
    assert "a_layout" in one.call
    assert "a_layout" not in shrunk(one).call


def test_a_finding_that_cannot_be_read_back_stays() -> None:
    (one,) = found("empty-partition", matmul(32, 32, 144, arch="g15s"))
    unread = replace(one, call={"op": "matmul"})
    assert shrunk(unread) == unread


def test_shrinking_never_enlarges_nor_changes_the_kind() -> None:
    for kind in smallest(lint(drawn(600, "0.32.4", seed=1))):
        least = shrunk(kind.smallest)
        assert least.size <= kind.smallest.size
        assert least.kind == kind.smallest.kind


@pytest.mark.parametrize(
    ("case", "names"),
    [
        (matmul(2, 3, 4), {"M", "N", "K"}),
        (line(a_shape=[5, 2, 4], b_shape=[5, 4, 3]), {"M", "N", "K", "batch[-3]"}),
        (quantized(2, 64, 128), {"M", "N", "K"}),
        (attention(8, 9, 64), {"L", "S", "heads", "key heads", "batch"}),
    ],
)
def test_axes(case: dict[str, object], names: set[str]) -> None:
    assert {axis.name for axis in axes(case)} == names


def test_a_size_changes_in_all_its_places() -> None:
    case = line(op="addmm", a_shape=[5, 2, 4], b_shape=[5, 4, 3], c_shape=[2, 3])
    by_name = {axis.name: axis for axis in axes(case)}
    assert by_name["M"].resized(case, 7)["c_shape"] == [7, 3]
    longer = by_name["K"].resized(case, 9)
    assert (longer["a_shape"], longer["b_shape"]) == ([5, 2, 9], [5, 9, 3])
    batch = by_name["batch[-3]"].resized(case, 6)
    assert (batch["a_shape"], batch["b_shape"]) == ([6, 2, 4], [6, 4, 3])
    assert case["a_shape"] == [5, 2, 4]
