"""`--applegpu-mlx`: the MLX whose dispatch is predicted and emulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.config import Config, read_config
from tests.conftest import Suites


def config(**said: str) -> Config:
    return read_config(lambda option: said.get(option.name), Path("/"), Path("/"))


def test_the_installed_one_is_the_default() -> None:
    assert config().mlx is None


def test_a_version_is_kept() -> None:
    assert config(mlx="0.32.1").mlx == "0.32.1"


def test_what_is_no_version_is_refused(suites: Suites) -> None:
    result = suites("--applegpu-mlx", "new")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-mlx: 'new' is not a version such as 0.32.4*"])


def test_a_version_that_is_too_old_is_refused(suites: Suites) -> None:
    result = suites("--applegpu-mlx", "0.20.0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-mlx: MLX 0.20.0 is older than 0.29.0*"])
