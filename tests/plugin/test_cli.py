"""`applegpu`: the same things without a test run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_applegpu.cli import main
from tests.conftest import CASE, REAL


def applegpu(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "pytest_applegpu", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_device_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["device", "--backend", "cpu"]) == 0
    said = capsys.readouterr().out
    for words in ("backend", "baseline key", "NAX", "tf32=on", "tf32=off", "full float32"):
        assert words in said


def test_device_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["device", "--json", "--applegpu-backend", "cpu", "--applegpu-tf32", "off"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["backend"] == "cpu"
    assert found["nax"]["available"] == "no"
    assert found["nax"]["reasons"]
    assert found["key"].startswith("cpu-")
    assert found["measured"] == {"tf32=off": "full float32"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["device", "--backend", "vulkan"], "--applegpu-backend: 'vulkan' is not one of auto"),
        (["device", "--applegpu-tf32", "maybe"], "is not one of on, off, both"),
        (["device", "--tier", "smoke"], "unrecognized arguments: --tier"),
        (["device", "--python", "/nonexistent"], "'/nonexistent' is not an interpreter"),
        (["sing"], "invalid choice: 'sing'"),
        ([], "required: COMMAND"),
    ],
)
def test_bad_usage_is_named_and_has_its_status(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    try:
        status = main(words)
    except SystemExit as end:
        status = int(str(end.code))
    assert status == pytest.ExitCode.USAGE_ERROR
    assert said in capsys.readouterr().err


def test_two_installed_backends_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("mlx_cpu", "mlx_cuda_13"):
        folder = tmp_path / f"{name}-9.9.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name.replace('_', '-')}\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["device", "--backend", "cpu"]) == 1
    assert "hold the same" in " ".join(capsys.readouterr().out.split())


def test_update_stores_baselines_where_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from pytest_applegpu.device import condition; condition.BUSY = 1e9"
    )
    words = ("baselines", "update", "--backend", "cpu", "--case", REAL, "--baselines", "mine", "-q")
    said = applegpu(*words, cwd=tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    (path,) = (tmp_path / "mine").glob("cpu-*.json")
    assert list(json.loads(path.read_text())["cases"]) == [REAL]


def test_update_hands_other_words_to_pytest(tmp_path: Path) -> None:
    said = applegpu("baselines", "update", "--collect-only", "-q", "--case", CASE, cwd=tmp_path)
    assert f"test_matmul_exact[{CASE}]" in said.stdout


def test_help_shows_the_short_names(tmp_path: Path) -> None:
    said = applegpu("baselines", "update", "--help", cwd=tmp_path)
    assert "--tier TIER" in said.stdout
    assert "--applegpu-tier TIER" in said.stdout
