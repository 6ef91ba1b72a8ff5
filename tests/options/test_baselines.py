"""`--applegpu-baselines`: where measured baselines are read and written first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import REAL, Suites

KEEP = ("--applegpu-update-baselines", "--applegpu-backend", "cpu", "--applegpu-case", REAL)


def test_default_is_under_the_root_folder(suites: Suites, pytester: pytest.Pytester) -> None:
    suites(*KEEP)
    assert len(list((pytester.path / "baselines").glob("cpu-*.json"))) == 1


def test_another_folder_and_the_ini_twin(
    suites: Suites, pytester: pytest.Pytester, ini: Callable[..., None]
) -> None:
    suites(*KEEP, "--applegpu-baselines", "mine")
    assert len(list((pytester.path / "mine").glob("cpu-*.json"))) == 1
    ini("applegpu_baselines = yours")
    suites(*KEEP)
    assert len(list((pytester.path / "yours").glob("cpu-*.json"))) == 1
    assert not (pytester.path / "baselines").exists()


def test_damaged_file_is_one_clear_error_and_stays_as_it_is(
    suites: Suites, pytester: pytest.Pytester
) -> None:
    suites(*KEEP)
    (path,) = (pytester.path / "baselines").glob("cpu-*.json")
    path.write_text(path.read_text()[:-20])
    before = path.read_bytes()
    result = suites(*KEEP)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{path.name}*"])
    assert path.read_bytes() == before
