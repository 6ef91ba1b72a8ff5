"""`--applegpu-backend`: which of MLX's backends is tested."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from tests.conftest import CASE, Suites


def test_cpu_runs_everywhere(logged: Callable[..., list[dict[str, object]]]) -> None:
    (record,) = logged("--applegpu-backend", "cpu", "--applegpu-case", CASE)
    assert record["backend"] == "cpu"


def test_ini_twin(logged: Callable[..., list[dict[str, object]]], ini: Callable[..., None]) -> None:
    ini("applegpu_backend = cpu")
    (record,) = logged("--applegpu-case", CASE)
    assert record["backend"] == "cpu"


def test_unknown_name_lists_those_there_are(suites: Suites) -> None:
    result = suites("--applegpu-backend", "vulkan")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--applegpu-backend: 'vulkan' is not one of auto, metal, cuda, cpu*"]
    )


def test_ini_value_is_checked_too(suites: Suites, ini: Callable[..., None]) -> None:
    ini("applegpu_backend = vulkan")
    result = suites()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'vulkan' is not one of auto, metal, cuda, cpu*"])


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has the backend")
def test_a_backend_of_another_system_says_so(suites: Suites) -> None:
    result = suites("--applegpu-backend", "metal", "--applegpu-case", CASE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no metal device*", "MLX has Metal on macOS alone*"])


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has no such backend")
def test_missing_backend_ends_with_the_line_to_install_it(suites: Suites) -> None:
    result = suites("--applegpu-backend", "cuda", "--applegpu-case", CASE)
    if result.ret == pytest.ExitCode.OK:
        pytest.skip("this machine has a CUDA device")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no cuda device*", "*pip install 'mlx[[]cuda13]'"])
