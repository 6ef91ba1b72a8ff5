"""Which collected tests are ours, and which case was each given?"""

from __future__ import annotations

import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.replay import worker_seconds

_CASE = "case"


def arranged(items: list[pytest.Item]) -> list[pytest.Item]:
    """Leave out tests without a case, and mark the timed ones for pytest-benchmark.

    Raises:
        pytest.UsageError: a marked test takes no case.
    """
    for item in items:
        if item.get_closest_marker("applegpu") and _case_param(item) is None:
            raise pytest.UsageError(
                f"{item.nodeid}: a test with the marker applegpu takes an argument called case"
            )
    kept = [item for item in items if not _empty(item)]
    for item in kept:
        case = case_of(item)
        if case is not None and case.check == "throughput":
            marker = pytest.mark.benchmark(group=case.problem.op, timer=worker_seconds)
            item.add_marker(marker)
    return kept


def _case_param(item: pytest.Item) -> object | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(_CASE) if callspec else None


def case_of(item: pytest.Item) -> Case | None:
    """Return the case that a test was given, if it was given one."""
    value = _case_param(item)
    return value if isinstance(value, Case) else None


def is_searched(item: pytest.Item) -> bool:
    """Tell a test whose cases are those of a search."""
    marker = item.get_closest_marker("applegpu")
    return marker is not None and marker.kwargs.get("search") is True


def _empty(item: pytest.Item) -> bool:
    """Tell a marked test that no case was found for: pytest gives it a stand-in."""
    return item.get_closest_marker("applegpu") is not None and case_of(item) is None
