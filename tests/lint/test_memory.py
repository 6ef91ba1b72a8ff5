"""What no Apple GPU can launch, and what scratch memory is out of proportion."""

from dataclasses import replace

import pytest

from pytest_applegpu.lint.memory import STAGED, THREADS, scratch, too_much_for_a_threadgroup
from pytest_applegpu.lint.subject import Subject
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.lines import call_of, target_of
from tests.lint.linting import attention, matmul

CASE = matmul(64, 64, 64, arch="g15s")


def launched(launch: Launch) -> Subject:
    return Subject(call_of(CASE), target_of(CASE), Route((launch,)))


@pytest.mark.parametrize(
    ("staged", "group", "count"),
    [
        (STAGED, (32, 8, 4), 0),
        (STAGED + 1, (32, 8, 4), 1),
        (None, (THREADS, 1, 1), 0),
        (0, (THREADS + 1, 1, 1), 1),
        (STAGED + 1, (32, 8, 5), 2),
    ],
)
def test_limits_of_a_threadgroup(
    staged: int | None, group: tuple[int, int, int], count: int
) -> None:
    launch = Launch("kernel", "matmul", (1, 1, 1), group, staged=staged)
    assert len(list(too_much_for_a_threadgroup(launched(launch)))) == count


def test_no_recorded_kernel_passes_them() -> None:
    subject = Subject(call_of(CASE), target_of(CASE), route_of(call_of(CASE), target_of(CASE)))
    assert not list(too_much_for_a_threadgroup(subject))


def test_scores_count_for_unfused_attention_alone() -> None:
    case = attention(8192, 8192, 192)
    call, target = call_of(case), target_of(case)
    subject = Subject(call, target, route_of(call, target))
    (fault,) = scratch(subject)
    assert fault.text.startswith("scores of 1 heads, 8192x8192: 128 MiB")
    none = replace(subject, route=Route(()))
    assert not list(scratch(none))
