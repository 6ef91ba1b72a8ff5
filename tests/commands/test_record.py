"""`applegpu record`: a real program runs as by itself, and what it multiplies is run again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_applegpu.cli import main
from pytest_applegpu.shapes.read import read_shapes
from tests.conftest import Suites

PROGRAM = Path(__file__).parents[1] / "recording" / "programs" / "transformer.py"

LAYERS = {
    # nn.MultiHeadAttention: four layers with bias, and attention of heads that lie in the tokens.
    "addmm-f32-nt-6x64x64-b1:_ addend=row": 4,
    "sdpa-f32-nt-6x6x16-b1x4 k=heads q=heads v=heads mask=add over=matrix": 1,
    # nn.Linear with bias and without, nn.QuantizedLinear.
    "addmm-f32-nt-6x32x64-b1:_ addend=row": 1,
    "matmul-f32-nt-6x4x64-b1:_ via=operator": 1,
    "quantized_matmul-f32-nt-6x64x32-b1:_ bits=8 group=32": 1,
    # Experts.
    "gather_mm-f32-tt-1x64x64-b1x6x1:4 by=both picks=12": 1,
    "gather_qmm-f32-nt-1x64x64-b1x6x2:4 bits=4 group=64": 1,
}

FIRST = "import mlx.core as mx\na = mx.ones((3, 4))\nmx.eval(a @ a.T)\n"

Captured = pytest.CaptureFixture[str]


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


def record(out: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "pytest_applegpu", "record", "-o", str(out), "--", *command)


def cases(path: Path) -> dict[str, int]:
    return {str(one.problem): one.count for one in read_shapes(path).shapes}


def script(folder: Path, text: str) -> tuple[str, str]:
    path = folder / "script.py"
    path.write_text(text)
    return sys.executable, str(path)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object]]:
    """Run the transformer by itself and recorded; return the file, and what became of both."""
    out = tmp_path_factory.mktemp("recorded") / "model.toml"
    alone = python(str(PROGRAM), "5")
    watched = record(out, sys.executable, str(PROGRAM), "5")
    return out, [alone, watched]


def test_the_program_is_as_it_is_by_itself(
    both: tuple[Path, list[subprocess.CompletedProcess[str]]],
) -> None:
    _, (alone, watched) = both
    assert watched.stdout == alone.stdout
    assert alone.stdout.count("\n") == 3
    assert (alone.returncode, watched.returncode) == (5, 5)
    assert watched.stderr.startswith("applegpu: 15 problems from 21 calls: ")


def test_every_layer_is_recorded(both: tuple[Path, list[object]]) -> None:
    found = read_shapes(both[0])
    said = {str(one.problem): one.count for one in found.shapes if not one.within}
    assert said == LAYERS
    assert not found.left
    assert "MLX" in found.source


def test_transforms_are_said(both: tuple[Path, list[object]]) -> None:
    found = read_shapes(both[0])
    met = {str(one.problem): one for one in found.shapes if one.within}
    assert met["addmm-f32-nt-1x64x64-b1:_ addend=row"].within == ("compile",)
    # Three calls, traced once.
    assert met["addmm-f32-nt-1x64x64-b1:_ addend=row"].count == 4
    gradient = met["matmul-f32-nt-6x6x16 a=pad:48 b=pad:48 via=operator"]
    assert gradient.within == ("gradient",)


def test_what_was_recorded_is_run_again(both: tuple[Path, list[object]], suites: Suites) -> None:
    words = ("--applegpu-backend", "cpu", "--applegpu-tf32", "off", "-k", "not throughput")
    result = suites(*words, "--applegpu-shapes", str(both[0]))
    result.assert_outcomes(passed=2 * len(cases(both[0])), deselected=len(cases(both[0])))


def test_a_program_that_fails_keeps_its_error_and_its_calls(tmp_path: Path) -> None:
    out = tmp_path / "out.toml"
    done = record(out, *script(tmp_path, f"{FIRST}a @ a\n"))
    assert done.returncode == 1
    assert "ValueError: [matmul] Last dimension of first input" in done.stderr
    assert cases(out) == {"matmul-f32-nt-3x3x4 via=operator": 1}


def test_a_program_that_is_killed_keeps_its_calls(tmp_path: Path) -> None:
    out = tmp_path / "out.toml"
    done = record(out, *script(tmp_path, f"{FIRST}import os\nos.kill(os.getpid(), 9)\n"))
    assert done.returncode == 128 + 9
    assert cases(out) == {"matmul-f32-nt-3x3x4 via=operator": 1}
    assert "ended without saying how often" in read_shapes(out).how


def test_children_are_recorded_too(tmp_path: Path) -> None:
    out = tmp_path / "out.toml"
    text = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', sys.argv[1]])\n" + FIRST
    record(out, *script(tmp_path, text), FIRST)
    assert cases(out) == {"matmul-f32-nt-3x3x4 via=operator": 2}


WAYS = """\
import sys
from mlx.core import matmul
import mlx.core as mx
assert not any("recording" in entry for entry in sys.path)
assert mx.matmul.__name__ == "matmul" and mx.__spec__.loader is mx.__loader__
a, b = mx.ones((3, 4)), mx.ones((4, 4))
matmul(a, b)
a @= b
mx.matmul(a=a, b=b) if False else mx.vmap(lambda x: x @ b)(mx.ones((2, 3, 4)))
[mx.addmm(mx.ones(4), a, b, beta=0.5) for _ in range(3)]
mx.conv2d(mx.ones((1, 4, 4, 3)), mx.ones((8, 2, 2, 3)), stride=2)
try:
    a @ "b"
except TypeError:
    print("refused")
"""


def test_functions_are_themselves_however_they_are_called(tmp_path: Path) -> None:
    out = tmp_path / "out.toml"
    done = record(out, *script(tmp_path, WAYS))
    assert (done.stdout, done.returncode) == ("refused\n", 0), done.stderr
    found = read_shapes(out)
    assert [(str(one.problem), one.count, one.within) for one in found.shapes] == [
        ("matmul-f32-nn-3x4x4", 1, ()),
        ("matmul-f32-nn-3x4x4 via=operator", 1, ()),
        ("matmul-f32-nn-3x4x4 via=operator", 1, ("vmap",)),
        ("addmm-f32-nn-3x4x4 addend=row beta=0.5", 3, ()),
    ]
    assert [(one.reason, one.count) for one in found.left] == [("stride 2", 1)]


def test_a_module_is_for_this_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named.py").write_text(FIRST)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    out = tmp_path / "out.toml"
    assert record(out, "-m", "named").returncode == 0
    assert cases(out) == {"matmul-f32-nt-3x3x4 via=operator": 1}
    assert read_shapes(out).name == "out"


def test_a_program_without_mlx_leaves_no_file(tmp_path: Path, capfd: Captured) -> None:
    out = tmp_path / "out.toml"
    assert main(["record", "-o", str(out), "--", *script(tmp_path, "print('hello')")]) == 0
    said = capfd.readouterr()
    assert said.out == "hello\n"
    assert said.err.startswith("applegpu: nothing was recorded: ")
    assert not out.exists()


def test_an_earlier_recording_is_replaced_and_nothing_else(
    tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "out.toml"
    out.write_text("# mine\n")
    words = ["record", "-o", str(out), "--", *script(tmp_path, FIRST)]
    assert main(words) == 4
    assert "is there, and was not written by this command" in capsys.readouterr().err
    assert out.read_text() == "# mine\n"
    out.unlink()
    assert main(words) == main(words) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"out.toml", "script.py"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "record: say a program, as in applegpu record -- python script.py"),
        (["--"], "record: say a program"),
        (["-o", "out.json", "--", "true"], "--out: 'out.json' does not end in .toml"),
        (["-o", "/nowhere/out.toml", "--", "true"], "--out: '/nowhere' is not a folder"),
        (["--", "/nowhere/program"], "record: /nowhere/program cannot be run: No such file"),
    ],
)
def test_bad_usage_is_named(
    words: list[str], said: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["record", *words]) == 4
    assert said in capsys.readouterr().err
