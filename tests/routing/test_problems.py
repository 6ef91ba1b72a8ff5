"""A problem's route is that of the recorded lines that ask the same."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.lines import call_of, filled, target_of
from pytest_applegpu.routing.problems import call_of_problem, predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting
from tests.routing.recorded_problems import OPERATIONS, Line, problem_of
from tests.routing.test_recorded import MATRIX_ONLY, lines, matrix_kernels

SAMPLE = 300
"""Lines of each operation and version that are held against problems."""

COUNTS = {"qqmm": 40, "sdpa": 212}
"""Operations of which fewer lines were recorded, about as many in each version."""

M5_MAX = Gpu("applegpu_g17s")


@cache
def asked(version: str) -> dict[str, list[tuple[Line, Problem]]]:
    """Lines of a version that are problems too, by operation."""
    found: dict[str, list[tuple[Line, Problem]]] = {op: [] for op in OPERATIONS}
    every: dict[str, list[Line]] = {op: [] for op in OPERATIONS}
    for line in lines(version):
        if line["op"] in every:
            every[line["op"]].append(line)
    for op, mine in every.items():
        for line in mine[:: max(len(mine) // SAMPLE, 1)]:
            problem = problem_of(line)
            if problem is not None and not starts_elsewhere(line):
                found[op].append((line, problem))
    return found


def starts_elsewhere(line: Line) -> bool:
    """Whether a problem's padded rows begin in another place: half a pad in, at 4 bytes."""
    return "pad:4" in {line.get("a_layout"), line.get("b_layout")}


def predicted(line: Line, problem: Problem) -> dict[str, Any]:
    said = {name: line[name] for name in ("mlx", "arch", "nax", "tf32", "op")}
    return filled(said, route_of(call_of_problem(problem), target_of(line)))


def agrees(line: Line, problem: Problem) -> bool:
    got = predicted(line, problem)
    if "unfused" in line:
        return bool(got.get("unfused") == line["unfused"])
    if line["mlx"] == MATRIX_ONLY:
        return bool(matrix_kernels(got, line["launches"]) == line["launches"])
    return all(got.get(name) == line.get(name) for name in ("launches", "path", "error"))


@pytest.mark.parametrize("version", ["0.30.6", "0.32.1", MATRIX_ONLY])
@pytest.mark.parametrize("op", OPERATIONS)
def test_a_problem_is_launched_as_the_line_that_asks_the_same(op: str, version: str) -> None:
    both = asked(version)[op]
    assert len(both) > min(0.6 * SAMPLE, 0.8 * COUNTS.get(op, SAMPLE))
    assert [str(problem) for line, problem in both if not agrees(line, problem)] == []


def test_the_wrong_operation_would_be_seen() -> None:
    line, problem = asked("0.32.1")["quantized_matmul"][0]
    dense = parse_problem(str(problem).replace("quantized_matmul", "matmul").split()[0])
    assert agrees(line, problem)
    assert not agrees(line, dense)


ELSEWHERE = {
    ("gather_mm", "copy+gather_rhs"): "gather_mm-f32-nn-1x250x500-b14:4 a=step order=sorted",
    ("gather_mm", "copy+gather_rhs_nax"): "gather_mm-f16-nn-1x250x500-b14:4 a=step order=sorted",
}
"""Recorded paths whose lines are no problems, each with a problem that takes it."""

REFUSED = {("matmul", "error"), ("addmm", "error"), ("quantized_matmul", "error")}
"""Paths that no problem has: formats of integers, and weights that are no whole groups."""


def test_every_recorded_path_is_that_of_a_problem() -> None:
    recorded: set[tuple[str, str]] = set()
    reached = set(ELSEWHERE)
    for line in lines("0.32.1"):
        path = line["op"], line["path"]
        if line["op"] not in OPERATIONS or path in recorded & reached:
            continue
        recorded.add(path)
        problem = problem_of(line)
        if problem is not None:
            reached.add((problem.op, predicted(line, problem)["path"]))
    assert recorded - reached == REFUSED


@pytest.mark.parametrize(("path", "text"), [(path, text) for (_, path), text in ELSEWHERE.items()])
def test_paths_of_lines_that_are_no_problems(path: str, text: str) -> None:
    tf32 = "on" if "nax" in path else "off"
    assert predict(parse_problem(text), M5_MAX, Setting(tf32), "0.32.1").path == path


@pytest.mark.parametrize(
    ("layout", "copies"),
    [
        ("", []),
        ("w=off:4", []),
        ("w=pad:8", ["g2_copyuint32uint32"]),
        ("scales=step", ["g1_copyfloat16float16"]),
        ("biases=neg", ["g2_copyfloat16float16"]),
        (
            "w=pad:8 scales=pad:1 biases=pad:1",
            ["g2_copyuint32uint32", *["g2_copyfloat16float16"] * 2],
        ),
    ],
)
def test_packed_weights_are_copied_where_rows_do_not_follow_each_other(
    layout: str, copies: list[str]
) -> None:
    problem = parse_problem(f"quantized_matmul-f16-nt-2x256x512 {layout}")
    *before, product = predict(problem, M5_MAX, Setting("on"), "0.32.4").kernels
    assert before == copies
    assert product.startswith("affine_qmv_wide")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("gather_mm-f16-nn-4x64x64-b8:4 rhs=step", "rhs=step"),
        ("gather_qmm-f16-nt-4x64x64-b8:4 w=pad:8", "w=pad:8"),
        ("block_masked_mm-f16-nn-64x64x64 block=32 mask_out=step", "mask_out=step"),
        (
            "block_masked_mm-f16-nn-64x64x64 masks=ol kind=float",
            "no mask_rhs beside masks of numbers",
        ),
        ("sdpa-f16-nt-9x33x100-b1x4 mask=bool", "mask over=full"),
        ("qqmm-f16-nt-1x32x128 scales=step", "scales=step"),
    ],
)
def test_what_no_recording_shows_is_said(text: str, values: str) -> None:
    last = predict(parse_problem(text), M5_MAX, Setting("on"), "0.32.4").reasons[-1]
    assert str(last) == f"not recorded: copies that MLX may make are not predicted: {values}"


@pytest.mark.parametrize(
    "text",
    [
        "gather_mm-f16-nn-4x64x64-b8:4 rhs=off:1",
        "block_masked_mm-f16-nn-64x64x64 masks=ol",
        "quantized_matmul-f16-nt-4x64x64 w=pad:8",
        "segmented_mm-f16-nn-4x64x64 segments=step",
        "addmm-f16-nn-4x64x64 c=step",
    ],
)
def test_what_is_recorded_is_not_called_unknown(text: str) -> None:
    reasons = predict(parse_problem(text), M5_MAX, Setting("on"), "0.32.4").reasons
    assert not any("not recorded" in one.rule for one in reasons)


def test_lines_and_problems_make_equal_calls() -> None:
    problem = parse_problem("gather_mm-f16-nt-1x250x500-b14:4 order=sorted")
    line = {
        "op": "gather_mm",
        "dtype": "float16",
        "a_shape": [14, 1, 500],
        "b_shape": [4, 500, 250],
        "transpose_b": True,
        "rhs_shape": [14],
        "sorted": True,
    }
    assert call_of_problem(problem) == call_of(line)


@pytest.mark.parametrize(
    "text", ["quantized_matmul-f16-nt-4x64x0", "gather_qmm-f16-nt-1x64x0-b2:2"]
)
def test_packed_weights_without_k_have_no_route(text: str) -> None:
    with pytest.raises(ValueError, match="no recording shows what is launched where K is 0"):
        predict(parse_problem(text), M5_MAX, Setting("on"), "0.32.4")


def test_float64_is_refused() -> None:
    route = predict(parse_problem("matmul-f64-nn-4x4x4"), M5_MAX, Setting("on"), "0.32.4")
    assert route.error == "float64 is not supported on the GPU"
