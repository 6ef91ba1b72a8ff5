"""`--applegpu-timeout`: how long a case may take beyond its computed cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Suites

HANGS = "matmul-f32-nn-33x8x8192 fill=integer tf32=on"


def test_hang_is_timed_out_and_the_run_goes_on(
    logged: Callable[..., list[dict[str, Any]]], ini: Callable[..., None]
) -> None:
    ini("applegpu_timeout = 3")
    after = "matmul-f32-nn-8x8x8 fill=integer tf32=on"
    records = logged("--applegpu-case", HANGS, "--applegpu-case", after, fault="hang")
    assert [record["verdict"] for record in records] == ["timed out", "exact"]
    assert "no answer within" in records[0]["error"]["message"]


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan", "inf"])
def test_other_values_are_refused(suites: Suites, value: str) -> None:
    result = suites(f"--applegpu-timeout={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-timeout: *is not a number of seconds above 0*"])
