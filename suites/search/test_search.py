"""Cases drawn at random from all that can be said of each operation: `--applegpu-search N`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(search=True)
def test_search(case: Case, prove: Callable[[Case], None]) -> None:
    """Whatever is drawn is right; what is not is cut down to its smallest case."""
    prove(case)
