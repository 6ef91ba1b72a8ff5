"""`applegpu sweep` measures on this machine, writes what it found, and refuses in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_applegpu.cli import main

CASE = "quantized_matmul-f32-nt-1x64x64"
DENSE = "matmul-f32-nt-1x64x64"


def test_a_small_sweep_on_the_cpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, plot = tmp_path / "sweep.jsonl", tmp_path / "sweep.svg"
    words = ["--backend", "cpu", "--passes", "3", "--log", str(log), "--plot", str(plot)]
    assert main(["sweep", "M=1,2,4", CASE, "--beside", DENSE, *words]) == 0
    points = [json.loads(line) for line in log.read_text().splitlines()]
    sizes = [(one["case"][:9], one["size"]) for one in points if one["kind"] == "point"]
    assert sizes == [(name[:9], size) for name in (CASE, DENSE) for size in (1, 2, 4)]
    assert all(one["low"] <= one["seconds"] <= one["high"] for one in points if "seconds" in one)
    assert "<svg" in plot.read_text()
    told = capsys.readouterr()
    assert "95 % together" in told.out
    passes = [f"pass {number} of 3 done" for number in (1, 2, 3)]
    assert told.err.splitlines() == ["warm-up done", *passes]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["M=0", DENSE], "sizes from 1"),
        (["M=1", "nothing-f32"], "nothing"),
        (["M=1", DENSE, "--passes", "2"], "--passes: 2 is not a whole number from 3 on"),
        (["M=1", DENSE, "--plot", "a.gif"], "does not end in .png or .svg"),
        (["M=1", DENSE, "--log", "nowhere/a.jsonl"], "does not exist"),
        (["K=48", CASE], "K"),
    ],
)
def test_bad_words(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *words, "--backend", "cpu"]) == 4
    assert said in capsys.readouterr().err
