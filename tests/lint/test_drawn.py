"""Random calls: the same for the same seed, of every operation, within memory."""

from itertools import islice

import pytest

from pytest_applegpu.lint.drawn import MEMORY, drawn
from pytest_applegpu.lint.extents import operands
from pytest_applegpu.lint.subject import OPERATIONS
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.versions import RECORDED

COUNT = 300


def test_the_same_for_the_same_seed() -> None:
    one, other = list(drawn(COUNT, "0.32.4", seed=7)), list(drawn(COUNT, "0.32.4", seed=7))
    assert one == other
    assert list(drawn(COUNT, "0.32.4", seed=8)) != one


def test_a_longer_run_begins_as_a_shorter_one() -> None:
    assert list(islice(drawn(COUNT, "0.32.4"), 50)) == list(drawn(50, "0.32.4"))


def test_every_operation_in_equal_shares() -> None:
    kinds = [type(call) for call, _ in drawn(9 * 30, "0.32.4")]
    assert {kind: kinds.count(kind) for kind in OPERATIONS} == dict.fromkeys(OPERATIONS, 30)


@pytest.mark.parametrize("version", RECORDED)
def test_calls_fit_into_memory_and_are_mostly_taken(version: str) -> None:
    asked = list(drawn(COUNT, version))
    assert all(operands(call) <= MEMORY for call, _ in asked)
    launched = [route_of(call, target).error is None for call, target in asked]
    assert sum(launched) > COUNT / 2
    assert {target.version for _, target in asked} == {version}


def test_accelerators_as_the_version_has_them() -> None:
    assert not any(target.nax for _, target in drawn(COUNT, "0.29.3"))
    assert any(target.nax for _, target in drawn(COUNT, "0.30.0"))
