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


def test_a_folder_that_is_not_there_is_refused_unless_it_is_to_be_made(
    suites: Suites, pytester: pytest.Pytester
) -> None:
    words = ("--applegpu-backend", "cpu", "--applegpu-case", REAL, "--applegpu-baselines")
    result = suites(*words, "mine")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-baselines: 'mine' is not a folder that is there*"])
    (pytester.path / "file").touch()
    result = suites(*words, "file", "--applegpu-update-baselines")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-baselines: 'file' is not a folder"])
    assert suites(*words, "mine", "--applegpu-update-baselines").ret == pytest.ExitCode.OK
    assert suites(*words, "mine").ret == pytest.ExitCode.OK


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
