"""`applegpu route`: what it prints, what it refuses, and with which status it ends."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.cli import main
from tests.device.conftest import metallib_bytes

CASE = "matmul-f16-nt-64x64x4096"
LINE = {"op": "matmul", "dtype": "float16", "a_shape": [64, 4096], "b_shape": [4096, 64]}

Captured = pytest.CaptureFixture[str]


def route(*words: str) -> int:
    """Run `applegpu route`, and return its status."""
    try:
        return main(["route", *words])
    except SystemExit as end:
        return int(str(end.code))


def lines(capsys: Captured) -> list[dict[str, Any]]:
    """Return the JSON lines that were printed."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def cases(tmp_path: Path, *made: dict[str, Any] | str) -> str:
    """Write lines to a file, and return its path."""
    path = tmp_path / "cases.jsonl"
    texts = [one if isinstance(one, str) else json.dumps(one) for one in made]
    path.write_text("".join(f"{text}\n" for text in texts))
    return str(path)


def test_a_case_by_its_text(capsys: Captured) -> None:
    assert route(CASE, "--arch", "M5 Max") == 0
    said = capsys.readouterr().out
    assert "on applegpu_g17s, NAX on, TF32 on, MLX 0.32.4 (recorded)" in said
    assert "path: thin_nax" in said
    assert "0.125 / 0.1" in said


def test_the_newest_accelerated_architecture_and_mlx_are_the_defaults(capsys: Captured) -> None:
    assert route(CASE) == 0
    assert "on applegpu_g18g, NAX on, TF32 on, MLX 0.32.4" in capsys.readouterr().out


def test_a_case_by_words_between_options(capsys: Captured) -> None:
    words = ["quantized_matmul", "x_shape=1x4096", "--arch", "applegpu_g16s", "w_shape=4096x4096"]
    assert route(*words, "dtype=float16", "bits=4", "--json") == 0
    (found,) = lines(capsys)
    assert (found["path"], found["arch"], found["nax"]) == ("qmv_fast", "applegpu_g16s", False)
    assert (found["group_size"], found["mode"]) == (64, "affine")


def test_long_names_of_options_are_known_too(capsys: Captured) -> None:
    words = ["--applegpu-arch", "applegpu_g17s", "--applegpu-mlx", "0.31.2"]
    assert route(CASE, *words, "--applegpu-tf32", "off", "--applegpu-nax", "off", "--json") == 0
    (found,) = lines(capsys)
    assert (found["mlx"], found["tf32"], found["nax"]) == ("0.31.2", False, False)
    assert found["path"] == "splitk"


def test_cores_can_be_said(capsys: Captured) -> None:
    assert route(CASE, "--cores", "2") == 0
    said = capsys.readouterr().out
    assert "(2)" in said


def test_what_mlx_raises_is_printed_and_no_fault_of_the_command(capsys: Captured) -> None:
    assert route("matmul", "dtype=int32", "a_shape=2x2", "b_shape=2x2") == 0
    assert "MLX raises: [matmul] Only inexact" in capsys.readouterr().out


def test_lines_come_back_filled_in(tmp_path: Path, capsys: Captured) -> None:
    path = cases(tmp_path, LINE | {"id": 1}, LINE | {"id": 2, "arch": "applegpu_g13g"})
    assert route("--cases", path, "--json", "--arch", "applegpu_g17s") == 0
    first, second = lines(capsys)
    assert [first["id"], second["id"]] == [1, 2]
    assert [first["path"], second["path"]] == ["thin_nax", "splitk"]
    assert first["basis"] == "recorded"
    assert all(first[name] == value for name, value in LINE.items())


def test_without_json_a_few_lines_each(tmp_path: Path, capsys: Captured) -> None:
    assert route("--cases", cases(tmp_path, LINE, LINE), "--arch", "applegpu_g13g") == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 6
    assert said[0].endswith("(applegpu_g13g, MLX 0.32.4): splitk")


def test_standard_input_and_compressed_files(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.dumps(LINE).encode() + b"\n"
    (tmp_path / "cases.jsonl.gz").write_bytes(gzip.compress(data))
    assert route("--cases", str(tmp_path / "cases.jsonl.gz"), "--json") == 0
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert route("--cases", "-", "--json") == 0
    first, second = lines(capsys)
    assert first == second


def test_a_bad_line_is_named_and_nothing_before_it_is_lost(
    tmp_path: Path, capsys: Captured
) -> None:
    path = cases(tmp_path, LINE, LINE | {"a_shape": "64x64"}, LINE)
    assert route("--cases", path, "--json") == 4
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 1
    wrong = "a_shape: '64x64' is not a list of sizes"
    assert said.err.startswith(f"applegpu: error: {path}: line 2: {wrong}")


def test_a_reader_that_leaves_is_no_traceback(tmp_path: Path) -> None:
    path = cases(tmp_path, *[LINE] * 2000)
    command = [sys.executable, "-m", "pytest_applegpu", "route", "--cases", path, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_what_changes_between_two_versions(capsys: Captured) -> None:
    words = ["--diff", "0.31.2", "0.32.4", "--arch", "M5", "--tier", "smoke", "--tf32", "on"]
    assert route(*words, "--dtypes", "f16") == 0
    said = capsys.readouterr().out
    assert "applegpu_g17g, smoke tier, MLX 0.31.2 (recorded) -> MLX 0.32.4 (recorded)" in said
    assert "thin_nax" in said
    assert route(*words, "--dtypes", "f16", "--json") == 0
    found = lines(capsys)
    assert {one["dtype"] for one in found} == {"float16"}
    assert all(one["old"] != one["new"] for one in found)


def test_a_map_is_drawn_where_it_is_told(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("pytest_applegpu.survey.plane.MOST", {"M": 64, "N": 64, "K": 256})
    path = tmp_path / "map.svg"
    words = ["--map", "--plane", "mk", "--n", "100", "--dtype", "bf16", "--layout", "tn"]
    assert route(*words, "--arch", "M5 Max", "--out", str(path)) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert path.read_bytes().startswith(b"<?xml")


def test_without_matplotlib_the_line_that_installs_it_is_given(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert route("--map", "--out", str(tmp_path / "map.png")) == 4
    assert "pip install matplotlib" in capsys.readouterr().err


def library(tmp_path: Path, names: list[str]) -> Path:
    """Return a wheel of mlx-metal with these kernels."""
    path = tmp_path / "mlx_metal-0.32.4-py3-none-macosx_26_0_arm64.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("mlx/lib/mlx.metallib", metallib_bytes(names))
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask only what is drawn, of one architecture."""
    monkeypatch.setattr("pytest_applegpu.survey.missing.crossed", lambda *_: ())
    monkeypatch.setattr("pytest_applegpu.survey.missing.architectures", lambda: ("applegpu_g16s",))


@pytest.mark.usefixtures("small")
def test_missing_kernels_end_with_status_1(tmp_path: Path, capsys: Captured) -> None:
    wheel = library(tmp_path, ["steel_gemm_fused_nn_float32"])
    assert route("--check-library", str(wheel), "--calls", "20") == 1
    said = capsys.readouterr().out
    assert said.startswith(f"{wheel.name}: 1 kernels, without NAX; MLX 0.32.4 (recorded)")
    assert "kernels are asked for and not there" in said
    assert route("--check-library", str(wheel), "--calls", "20", "--json") == 1
    found = lines(capsys)
    assert found
    assert all(one["architectures"] == ["applegpu_g16s"] for one in found)


@pytest.mark.usefixtures("small")
def test_a_library_with_all_that_is_asked_for(tmp_path: Path, capsys: Captured) -> None:
    assert (
        route("--check-library", str(library(tmp_path, ["gemv"])), "--calls", "20", "--json") == 1
    )
    names = [one["kernel"] for one in lines(capsys)]
    wheel = library(tmp_path, ["gemv", *names])
    assert route("--check-library", str(wheel), "--calls", "20") == 0
    assert "every kernel is there" in capsys.readouterr().out


def test_a_jit_build_has_nothing_to_check(tmp_path: Path, capsys: Captured) -> None:
    wheel = library(tmp_path, ["rope_single_float16"])
    assert route("--check-library", str(wheel)) == 4
    assert "a JIT build makes them when it runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say a CASE, --cases, --diff, --map, --check-library or --lint"),
        (["sing"], "'sing' is neither a problem"),
        ([CASE, "--map"], "a CASE does not go with --map"),
        (["--map", "--diff", "0.31.2", "0.32.4"], "not allowed with argument"),
        ([CASE, "--arch", "M7"], "--arch: 'M7' is neither an architecture"),
        ([CASE, "--mlx", "new"], "--mlx: MLX version 'new' is not a version"),
        ([CASE, "--mlx", "0.28.0"], "--mlx: MLX 0.28.0 is older than 0.29"),
        ([CASE, "--tf32", "both"], "--tf32: 'both' is not one of on, off"),
        ([CASE, "--nax", "maybe"], "--nax: 'maybe' is not one of on, off"),
        ([CASE, "--cores", "0"], "--cores: '0' is not a whole number from 1 to 2147483647"),
        ([CASE, "--frobnicate"], "unrecognized arguments: --frobnicate"),
        ([CASE, "--dtype", "float16"], "--dtype: goes with --map"),
        ([CASE, "--tier", "smoke"], "--tier: goes with --diff"),
        (["--diff", "0.1", "0.32.4"], "--diff: MLX 0.1 is older"),
        (["--diff", "0.31.2", "0.32.4", "--mlx", "0.32.4"], "--mlx: --diff names both"),
        (["--diff", "0.31.2", "0.32.4", "--dtypes", "f8"], "--dtypes: dtype 'f8' is not one of"),
        (["--diff", "0.31.2", "0.32.4", "--dtypes", "f64"], "no GPU multiplies float64"),
        (["--map", "--dtype", "float64"], "--dtype: no GPU multiplies float64"),
        (["--map", "--dtype", "f8"], "--dtype: dtype 'f8' is not one of"),
        (["--map", "--n", "3"], "--n: it is an axis of --plane mn"),
        (["--map", "--k", "many"], "--k: 'many' is not a whole number"),
        (["--map", "--out", "map.gif"], "--out: 'map.gif' does not end in .png or .svg"),
        (["--map", "--json"], "--json: --map draws a picture"),
        (["--cases", "/nowhere/cases"], "--cases: /nowhere/cases cannot be read"),
        (["--check-library", "/nowhere"], "--check-library: there is no /nowhere"),
        (["--check-library", "/nowhere.whl"], "/nowhere.whl cannot be read"),
    ],
)
def test_bad_usage_is_named_and_has_its_status(
    capsys: Captured, words: list[str], said: str
) -> None:
    assert route(*words) == 4
    assert said in capsys.readouterr().err


def test_lint_shows_kinds_with_their_smallest_problem(capsys: Captured, tmp_path: Path) -> None:
    addmm = {
        "op": "addmm",
        "dtype": "float16",
        "a_shape": [8, 8],
        "b_shape": [8, 8],
        "c_shape": [8],
        "alpha": 0.0,
        "beta": 1.0,
    }
    file = cases(tmp_path, addmm, LINE)
    assert route("--lint", "--cases", file, "--arch", "applegpu_g13g") == 1
    said = capsys.readouterr().out
    assert "wrong: addend-dropped" in said
    assert "predicted from MLX's dispatch rules; nothing was run" in said
    assert route("--lint", "--cases", file, "--json") == 1
    assert {one["rule"] for one in lines(capsys)} >= {"addend-dropped"}


def test_lint_of_what_is_sound_ends_with_0(capsys: Captured, tmp_path: Path) -> None:
    sound = {"op": "matmul", "dtype": "float16", "a_shape": [64, 64], "b_shape": [64, 64]}
    assert route("--lint", "--cases", cases(tmp_path, sound), "--arch", "applegpu_g16s") == 0
    assert "0 kinds of findings" in capsys.readouterr().out


def test_lint_of_random_calls_of_one_architecture(capsys: Captured) -> None:
    assert route("--lint", "--calls", "40", "--arch", "applegpu_g13g", "--json") in {0, 1}
    assert all(one["case"]["arch"] == "applegpu_g13g" for one in lines(capsys))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--lint", "--map"), "--lint does not go with --map"),
        (("--lint", CASE), "a CASE does not go with --lint"),
        (("--lint", "--cases", "none.jsonl"), "none.jsonl cannot be read"),
        (("--lint", "--tier", "smoke"), "--tier: goes with --diff"),
    ],
)
def test_lint_refuses(words: tuple[str, ...], complaint: str, capsys: Captured) -> None:
    assert route(*words) == 4
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        ({"a_shape": [2, 10**30]}, "a_shape"),
        ({"a_layout": "pad:99999999999999999999"}, "a_layout"),
        ({"a_layout": "tpad:8"}, "a_layout: layout 'tpad' is that of an operand with transpose"),
        ({"mlx": "0.32.4\u000b"}, "mlx"),
        ({"op": "addmm", "c_shape": [64], "alpha": 10**400}, "alpha"),
        ({"op": "addmm", "c_shape": [64], "beta": float("inf")}, ""),
    ],
)
def test_lines_that_mlx_could_not_be_asked(
    spoilt: dict[str, Any], complaint: str, capsys: Captured, tmp_path: Path
) -> None:
    assert route("--cases", cases(tmp_path, LINE | spoilt)) == 4
    said = capsys.readouterr().err
    assert "line 1" in said
    assert complaint in said


def test_control_characters_of_a_line_are_shown_as_text(capsys: Captured, tmp_path: Path) -> None:
    assert route("--cases", cases(tmp_path, LINE | {"id": "\u001b[31mred"})) == 0
    assert "\u001b" not in capsys.readouterr().out


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text("\ufeff" + json.dumps(LINE))
    assert route("--cases", str(path)) == 0


def test_a_nightly_build_is_not_recorded(capsys: Captured) -> None:
    assert route(CASE, "--mlx", "0.32.4.dev1") == 0
    assert "not recorded: a build of 0.32.4, whose rules are used" in capsys.readouterr().out


def test_an_architecture_of_no_known_chip_says_so(capsys: Captured) -> None:
    assert route(CASE, "--arch", "applegpu_g99z") == 0
    assert "applegpu_g99z (of no chip in the table: by generation and letter)" in (
        capsys.readouterr().out
    )


def planned_few(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Plan `count` products in place of a tier."""
    sizes = range(100, 100 + count)
    texts = [f"matmul-f32-nn-{size}x100x100 fill=integer tf32=off" for size in sizes]
    cases = [case for text in texts for case in parse_cases(text, ())]
    monkeypatch.setattr(
        "pytest_applegpu.survey.coverage.numeric_cases",
        lambda op, *_, **__: cases if op == "matmul" else [],
    )


def test_coverage_fails_where_labels_lack_cases(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned_few(monkeypatch, 3)
    assert route("--coverage", "--tier", "smoke") == 1
    said = capsys.readouterr().out
    assert "all kinds of architectures, smoke tier, MLX 0.32.4" in said
    assert "1 of 82 labels have 3 cases or more" in said


@pytest.mark.parametrize(("count", "status"), [(2, 1), (3, 0)])
def test_coverage_of_one_architecture_is_that_of_the_labels_it_takes(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, count: int, status: int
) -> None:
    planned_few(monkeypatch, count)
    assert route("--coverage", "--arch", "M4 Max", "--json") == status
    (found,) = lines(capsys)
    assert (found["op"], found["path"], found["cases"]) == ("matmul", "gemm", count)
    assert (found["archs"], found["short"]) == (["applegpu_g16s"], count < 3)


def test_coverage_takes_no_setting(capsys: Captured) -> None:
    assert route("--coverage", "--tf32", "off") == 4
    assert "--tf32: --coverage counts the cases of all settings" in capsys.readouterr().err
