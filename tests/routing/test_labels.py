"""Known path labels: data, held against the recordings and not against the plan."""

from __future__ import annotations

from functools import cache

import pytest

from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.labels import Label, every_label, labels_apart, labels_of
from pytest_applegpu.routing.lines import call_of, target_of
from pytest_applegpu.routing.problem_calls import CALLS
from pytest_applegpu.routing.versions import RECORDED
from tests.routing.test_recorded import MATRIX_ONLY, Line, lines

NAMED = [version for version in RECORDED if version != MATRIX_ONLY]
"""Releases whose lines name their paths."""


@cache
def recorded(version: str) -> frozenset[Label]:
    return frozenset((line["op"], path_of(line)) for line in lines(version))


def path_of(line: Line) -> str:
    """Return the path that a line names, or that of the route which its kernels are held against.

    A matrix kernel without a name for its path has that of the prediction, which is tested to have
    the same kernels.
    """
    return line["path"] if "path" in line else route_of(call_of(line), target_of(line)).path


@pytest.mark.parametrize("version", NAMED)
def test_the_labels_are_those_of_the_recording(version: str) -> None:
    assert labels_of(version) == recorded(version)


def test_where_lines_name_kernels_alone_only_unfused_attention_is_left_out() -> None:
    older = frozenset().union(*map(recorded, NAMED))
    found = recorded(MATRIX_ONLY)
    assert labels_of(MATRIX_ONLY) <= found
    left = found - labels_of(MATRIX_ONLY)
    assert all(op == "sdpa" and path.startswith("elementwise+") for op, path in left)
    assert not left & older


def test_every_label_is_of_an_operation_and_a_release_that_are_known() -> None:
    assert {op for op, _ in every_label()} <= CALLS.keys()
    assert frozenset().union(*every_label().values()) == {*RECORDED}


def test_between_two_releases_the_older_ones_labels_hold() -> None:
    assert labels_of("0.32.3") == labels_of("0.32.2")
    assert labels_of("0.33.0") == labels_of("0.32.4")
    assert labels_of("0.29.1") == labels_of("0.29.3")


def test_a_version_without_rules_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.28\.0 is older"):
        labels_of("0.28.0")


def test_what_is_apart_says_why() -> None:
    assert all(path in {name for _, name in every_label()} for path in labels_apart())
    assert all(labels_apart().values())
