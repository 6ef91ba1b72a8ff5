"""`applegpu card`, from the command line to real products and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_applegpu.cli import main

Words = dict[tuple[str, str], dict[str, str]]

M5 = ("--backend", "emulated", "--arch", "applegpu_g17s", "--mlx", "0.32.4")


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, Any], Words]:
    """Return the card, and its words by route and TF32 setting."""
    assert main(["card", "--json", *words]) == 0
    card = json.loads(capsys.readouterr().out)
    columns = {
        (one["route"], one["setting"].split()[0]): {
            feature["name"]: feature["word"] for feature in one["features"]
        }
        for one in card["columns"]
    }
    return card, columns


def test_the_cpu_backend(capsys: pytest.CaptureFixture[str]) -> None:
    card, columns = asked(capsys, "--backend", "cpu", "--tf32", "on", "--dtypes", "f16,c64")
    assert (card["backend"], card["schema"]) == ("cpu", 2)
    assert card["measured"].startswith("measured in a worker: cpu backend, ")
    assert "kinds of shapes" in card["routes"]
    assert {column["dtype"] for column in card["columns"]} == {"float16", "complex64"}
    for words in columns.values():
        assert words["operand A"] == words["operand B"] == "24 bits"
        assert words["accumulator"] == "24 bits"
        assert words["rounding of sums"] == "nearest, ties to even"
        assert words["10 calls"] == "alike"
    assert len(columns) == 7


def test_the_emulated_m5(capsys: pytest.CaptureFixture[str]) -> None:
    card, columns = asked(capsys, *M5, "--dtypes", "f32")
    assert "not measured on any GPU" in card["measured"]
    assert "predicted from the rules of MLX 0.32.4" in card["routes"]
    for side in "AB":
        kept = {key: words[f"operand {side}"] for key, words in columns.items()}
        assert kept["gemm_nax", "tf32=on"] == kept["splitk_nax", "tf32=on"] == "11 bits, truncated"
        assert kept["gemv", "tf32=on"] == kept["gemv_t", "tf32=on"] == "24 bits"
        assert {word for (_, tf32), word in kept.items() if tf32 == "tf32=off"} == {"24 bits"}
    assert columns["gemm_nax", "tf32=on"]["products"] == "exact"


def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", *M5, "--tf32", "off", "--dtypes", "bf16"]) == 0
    said = capsys.readouterr().out
    assert "feature card of emulated applegpu_g17s, MLX 0.32.4, tf32=off" in said
    assert "computed by NumPy" in said
    assert "thin_nax" in said
    assert "8 bits" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--backend", "cpu", "--arch", "applegpu_g17s"], "--arch: cpu has no Metal dispatch"),
        (["--backend", "emulated", "--dtypes", "f64"], "--dtypes: emulated has no float64"),
        (["--tf32", "maybe"], "--tf32: 'maybe' is not one of on, off, both"),
        (["--backend", "emulated", "--mlx", "0.1"], "--mlx: "),
    ],
)
def test_bad_usage(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["card", *words]) == pytest.ExitCode.USAGE_ERROR
    assert said in capsys.readouterr().err
