"""`--applegpu-seed`: where the data and the choice of cases come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Suites

TEXT = "matmul-f32-nn-64x64x64 fill=normal tf32=on"
Logged = Callable[..., list[dict[str, Any]]]


def test_same_seed_same_error_and_another_seed_another(
    logged: Logged, ini: Callable[..., None]
) -> None:
    def error(*words: str) -> float:
        (record,) = logged("--applegpu-case", TEXT, *words)
        share: float = record["error"]["share"]
        return share

    assert error() == error("--applegpu-seed", "0") != error("--applegpu-seed", "1")
    ini("applegpu_seed = 1")
    assert error() == error("--applegpu-seed", "1")


def test_failure_repeats_the_seed_in_its_rerun_line(suites: Suites) -> None:
    result = suites("--applegpu-seed", "7", "--applegpu-case", TEXT, fault="last_row")
    result.stdout.fnmatch_lines([f"*--applegpu-case '{TEXT}' --applegpu-seed 7*"])


@pytest.mark.parametrize("value", ["-1", "x", "1.5", "99999999999999999999"])
def test_other_values_are_refused(suites: Suites, value: str) -> None:
    result = suites(f"--applegpu-seed={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--applegpu-seed: *is not a whole number from 0 to 2[*][*]63 - 1*"]
    )
