"""What was wrong in a public release of MLX, or in another library on such GPUs, is right here.

Each test is named by its bug: `pytest suites/regressions -k mlx-2715`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.cases.case import Case


@pytest.mark.applegpu(corpus=True)
def test_corpus(case: Case, prove: Callable[[Case], None]) -> None:
    """The case gives the right result, on the path that once gave a wrong one, or none."""
    prove(case)
