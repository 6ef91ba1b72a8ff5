"""An environment of a named MLX: made once, made again where it is half made, errors in words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_applegpu.conduct.versus.environment import (
    MARK,
    EnvironmentFailedError,
    Run,
    Wanted,
    cache_folder,
    made,
    run_plainly,
)

WANTED = Wanted("0.31.2", "cpu", "/usr/bin/python3", "3.12", "2.4.6")


def running(commands: list[Sequence[str]], *, fails: str = "") -> Run:
    """Return what notes commands, makes an interpreter, and fails where a command has a word."""

    def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if "venv" in command:
            place = Path(command[-1]) / "bin"
            place.mkdir(parents=True)
            (place / "python").touch()
        wrong = bool(fails) and fails in command
        said = "a\nb\nc\nd\nERROR: No matching distribution found"
        return subprocess.CompletedProcess(command, int(wrong), "", said if wrong else "")

    return run


def test_it_is_made_once_with_the_python_and_the_numpy_under_test(tmp_path: Path) -> None:
    commands: list[Sequence[str]] = []
    python = made(WANTED, tmp_path / "cache", running(commands))
    assert python == made(WANTED, tmp_path / "cache", running(commands))
    place = Path(python).parents[1]
    assert place.name == "mlx-0.31.2-cpu-py3.12-numpy2.4.6"
    venv, pip = commands
    assert tuple(venv) == ("/usr/bin/python3", "-m", "venv", str(place))
    assert pip[0] == python
    assert tuple(pip[-2:]) == WANTED.requirements


def test_one_that_is_half_made_or_of_other_words_is_made_again(tmp_path: Path) -> None:
    commands: list[Sequence[str]] = []
    place = Path(made(WANTED, tmp_path, running(commands))).parents[1]
    left = place / "left-over"
    for spoil in (
        (place / MARK).unlink,
        lambda: (place / MARK).write_text("mlx==1"),
        (place / "bin" / "python").unlink,
    ):
        commands.clear()
        left.touch()
        spoil()
        made(WANTED, tmp_path, running(commands))
        assert len(commands) == 2
        assert not left.exists()


@pytest.mark.parametrize("fails", ["venv", "install"])
def test_a_failure_ends_with_the_last_words_and_leaves_nothing_whole(
    tmp_path: Path, fails: str
) -> None:
    with pytest.raises(EnvironmentFailedError) as error:
        made(WANTED, tmp_path, running([], fails=fails))
    said = str(error.value)
    assert f" {fails} " in said
    assert said.endswith("failed: b | c | d | ERROR: No matching distribution found")
    commands: list[Sequence[str]] = []
    made(WANTED, tmp_path, running(commands))
    assert len(commands) == 2


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFailedError, match=r"file/mlx-0.31.2.* cannot be made"):
        made(WANTED, tmp_path / "file", running([]))


def test_an_interpreter_that_is_not_there_is_told() -> None:
    ended = run_plainly(("/nonexistent/python", "-c", ""))
    assert ended.returncode == 127
    assert "nonexistent" in ended.stderr
    assert run_plainly((sys.executable, "-c", "print(3)")).stdout == "3\n"


@pytest.mark.parametrize(
    ("environ", "platform", "folder"),
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "linux", "/x/pytest-applegpu"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "linux", "/h/.cache/pytest-applegpu"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Caches/pytest-applegpu"),
    ],
)
def test_it_lies_in_the_users_cache(environ: dict[str, str], platform: str, folder: str) -> None:
    assert cache_folder(environ, platform) == Path(folder)


@pytest.mark.skipif(sys.platform == "darwin", reason="plain mlx brings Metal there")
@pytest.mark.parametrize(("backend", "extra"), [("cpu", "[cpu]"), ("cuda", "[cuda13]")])
def test_the_backend_is_an_extra_on_linux(backend: str, extra: str) -> None:
    wanted = Wanted("0.31.2", backend, "python", "3.12", "2.4.6")
    assert wanted.requirements == (f"mlx{extra}==0.31.2", "numpy==2.4.6")
