"""`--applegpu-tier`: how much is run, by computed cost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Suites


def count(result: pytest.RunResult) -> int:
    """Count the collected cases."""
    return sum("test_matmul" in line and "[" in line for line in result.outlines)


def test_larger_tiers_hold_more(suites: Suites, ini: Callable[..., None]) -> None:
    few = ("--collect-only", "-q", "--applegpu-dtypes", "f16", "--applegpu-backend", "cpu")
    smoke = count(suites(*few))
    ini("applegpu_tier = standard")
    assert 200 <= smoke < count(suites(*few))
    assert smoke == count(suites(*few, "--applegpu-tier", "smoke"))


def test_other_words_are_refused(suites: Suites) -> None:
    result = suites("--applegpu-tier", "huge")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'huge' is not one of smoke, standard, exhaustive*"])
