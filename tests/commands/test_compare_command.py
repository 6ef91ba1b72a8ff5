"""`applegpu compare` measures on this machine, says what cannot be compared, refuses in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_applegpu.cli import main

CASE = "matmul-f32-nt-16x16x16"
CPU = ("--backend", "cpu", "--rounds", "6")
SET = f"""\
name = "tiny"
tokens = 16
[[problem]]
case = "{CASE}"
count = 3
phase = "prefill"
[[problem]]
case = "matmul-f32-nt-1x16x16"
phase = "decode"
"""


def test_tf32_on_the_cpu_is_run_and_called_a_null_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tiny.toml").write_text(SET)
    words = ["--tf32", "on,off", "--shapes", str(tmp_path / "tiny.toml"), *CPU, "--json"]
    assert main(["compare", CASE, *words]) == 0
    said, told = capsys.readouterr()
    found = json.loads(said)
    assert found["null"] == "the CPU backend has no TF32: both are the same"
    assert found["sides"] == ["tf32=on", "tf32=off"]
    assert [one["case"].split()[0] for one in found["products"]] == [CASE, "matmul-f32-nt-1x16x16"]
    for one in found["products"]:
        assert one["bits"]["identical"]
        assert one["errors"][0] == one["errors"][1] < 1e-6
        assert one["time"]["low"] <= one["time"]["speed_up"] <= one["time"]["high"]
        assert one["time"]["rounds"] >= 6
    prefill, decode = found["passes"]
    assert (prefill["tokens"], decode["tokens"]) == (16, 1)
    assert prefill["seconds"][1] == pytest.approx(3 * found["products"][0]["time"]["seconds"][1])
    assert "2 of 2 compared: matmul-f32-nt-1x16x16" in told


def test_an_emulated_device_has_numbers_and_no_times(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--backend", "emulated", "--arch", "applegpu_g17s", "--nax", "on,off", "--markdown"]
    assert main(["compare", "matmul-f32-nt-32x32x32", *words]) == 0
    said = capsys.readouterr().out
    assert "unsupported: an emulated device's times mean nothing" in said
    assert "gemm_nax against gemm" in said
    assert "1024 of 1024" in said


def test_a_gpu_without_nax_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--backend", "emulated", "--arch", "applegpu_g16s", "--nax", "on,off"]
    assert main(["compare", *words]) == 1
    said, told = capsys.readouterr()
    assert not said
    assert told.startswith(
        "applegpu compare: unsupported: --nax: emulated applegpu_g16s has no NAX"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing is compared: give one switch two values"),
        (["--nax", "on,off"], "--nax: cpu has no Metal dispatch to direct"),
        (["--tf32", "on,off", "--rounds", "5"], "--rounds: '5' is not auto, or a whole number"),
        (["--tf32", "on,off", "nothing-f32"], "CASE: 'nothing-f32'"),
        (["--tf32", "on,off", "--shapes", "no"], "--shapes: 'no' is not one of"),
    ],
)
def test_bad_words(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--backend", "cpu", *words]) == 4
    assert said in capsys.readouterr().err
