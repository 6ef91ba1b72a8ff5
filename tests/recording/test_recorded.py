"""Calls become problems as the table says them, or are left out with the reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.recording.child.log import Log
from pytest_applegpu.recording.child.views import contiguous
from pytest_applegpu.recording.recorded import MAKERS, recorded
from pytest_applegpu.recording.seen import UNENDED, Array, Call, Seen, read_seen
from pytest_applegpu.shapes.shapes import Left, Shape


def array(*shape: int, dtype: str = "float16", strides: tuple[int, ...] = ()) -> Array:
    return Array(shape, dtype, strides or contiguous(shape))


def turned(*shape: int, dtype: str = "float16") -> Array:
    """Return an array whose last two axes are those of a row-contiguous one, swapped."""
    *batch, rows, cols = shape
    *lead, row, col = contiguous((*batch, cols, rows))
    return Array(shape, dtype, (*lead, col, row))


def packed(n: int, k: int, bits: int = 4, group: int = 64) -> dict[str, Array]:
    numbers = array(n, k // group)
    words = array(n, k * bits // 32, dtype="uint32")
    return {"w": words, "scales": numbers, "biases": numbers}


def indices(*shape: int) -> Array:
    return array(*shape, dtype="uint32")


HEADS = (6 * 4 * 16, 16, 64, 1)
"""Strides of (B, H, L, D) that lies as (B, L, H, D), with 4 heads of 16 and 6 tokens."""

X = array(5, 128)
QKV = {name: array(2, 4, 6, 16, strides=HEADS) for name in "qkv"}

Given = Mapping[str, Any]

SAID: tuple[tuple[str, Given, str], ...] = (
    ("matmul", {"a": X, "b": turned(128, 7)}, "matmul-f16-nt-5x7x128"),
    ("@", {"a": array(2, 5, 128), "b": array(128, 7)}, "matmul-f16-nn-5x7x128-b2:_ via=operator"),
    ("@", {"a": array(128), "b": array(128, 7)}, "matmul-f16-nn-1x7x128 a=vec via=operator"),
    ("matmul", {"a": X, "b": array(128)}, "matmul-f16-nn-5x1x128 b=vec"),
    (
        "matmul",
        {"a": array(5, 128, strides=(200, 1)), "b": array(128, 7)},
        "matmul-f16-nn-5x7x128 a=pad:72",
    ),
    ("inner", {"a": X, "b": array(7, 128)}, "matmul-f16-nt-5x7x128 via=inner"),
    ("tensordot", {"a": X, "b": array(128, 7), "axes": 1}, "matmul-f16-nn-5x7x128 via=tensordot"),
    (
        "einsum",
        {"subscripts": "ab,bc->ac", "a": X, "b": array(128, 7)},
        "matmul-f16-nn-5x7x128 via=einsum",
    ),
    ("addmm", {"c": array(7), "a": X, "b": turned(128, 7)}, "addmm-f16-nt-5x7x128 addend=row"),
    ("addmm", {"c": array(1, 7), "a": X, "b": array(128, 7)}, "addmm-f16-nn-5x7x128 addend=row"),
    ("addmm", {"c": array(5, 1), "a": X, "b": array(128, 7)}, "addmm-f16-nn-5x7x128 addend=column"),
    (
        "addmm",
        {"c": array(5, 7), "a": X, "b": array(128, 7), "alpha": 0.5, "beta": -1.0},
        "addmm-f16-nn-5x7x128 alpha=0.5 beta=-1",
    ),
    (
        "gather_mm",
        {"a": array(6, 1, 128), "b": turned(3, 128, 7), "rhs_indices": indices(6)}
        | {"sorted_indices": True},
        "gather_mm-f16-nt-1x7x128-b6:3 order=sorted",
    ),
    (
        "gather_mm",
        {"a": array(4, 1, 1, 128), "b": array(3, 128, 7), "rhs_indices": indices(4, 2)},
        "gather_mm-f16-nn-1x7x128-b4x1:3 by=both picks=8",
    ),
    (
        "gather_mm",
        {"a": array(4, 2, 128), "b": array(3, 128, 7)}
        | {"lhs_indices": indices(5), "rhs_indices": indices(5)},
        "gather_mm-f16-nn-2x7x128-b4:3 by=both picks=5",
    ),
    (
        "block_masked_mm",
        {"a": array(64, 128), "b": array(128, 96), "block_size": 32}
        | {"mask_lhs": array(2, 4, dtype="bool")},
        "block_masked_mm-f16-nn-64x96x128 block=32 masks=l",
    ),
    (
        "segmented_mm",
        {"a": X, "b": array(128, 7), "segments": indices(3, 2)},
        "segmented_mm-f16-nn-5x7x128 parts=3",
    ),
    (
        "quantized_matmul",
        {"x": X, **packed(64, 128)},
        "quantized_matmul-f16-nt-5x64x128 bits=4 group=64",
    ),
    (
        "quantized_matmul",
        {"x": X, **packed(128, 64, 8, 32), "transpose": False, "group_size": 32, "bits": 8},
        "quantized_matmul-f16-nn-5x64x128 bits=8 group=32",
    ),
    (
        "quantized_matmul",
        {"x": X, "w": array(64, 16, dtype="uint32"), "scales": array(64, 4, dtype="uint8")}
        | {"mode": "mxfp4"},
        "quantized_matmul-f16-nt-5x64x128 bits=4 group=32 mode=mxfp4",
    ),
    (
        "gather_qmm",
        {"x": array(6, 1, 128), "rhs_indices": indices(6)}
        | {name: array(3, *one.shape, dtype=one.dtype) for name, one in packed(64, 128).items()},
        "gather_qmm-f16-nt-1x64x128-b6:3 bits=4 group=64",
    ),
    (
        "qqmm",
        {"x": X, "w": array(64, 128), "mode": "mxfp8"},
        "qqmm-f16-nt-5x64x128 bits=8 given=plain group=32 mode=mxfp8",
    ),
    (
        "fast.scaled_dot_product_attention",
        {**QKV, "scale": 0.25, "mask": "causal"},
        "sdpa-f16-nt-6x6x16-b2x4 k=heads mask=causal q=heads v=heads",
    ),
    (
        "fast.scaled_dot_product_attention",
        {"q": array(1, 4, 1, 64), "k": array(1, 2, 9, 64), "v": array(1, 2, 9, 32)}
        | {"scale": 0.125, "mask": array(1, 1, 1, 9, dtype="bool"), "sinks": array(4)},
        "sdpa-f16-nt-1x9x64-b1x4:1x2 dv=32 mask=bool over=heads sinks=yes",
    ),
    (
        "conv2d",
        {"input": array(2, 8, 6, 3), "weight": array(16, 3, 3, 3), "padding": (1, 1)},
        "conv2d-f16-nt-48x16x27-b2 pad=1 width=6",
    ),
    (
        "conv1d",
        {"input": array(2, 8, 3), "weight": array(16, 5, 3)},
        "conv1d-f16-nt-4x16x15-b2 taps=5",
    ),
)


@pytest.mark.parametrize(("name", "given", "text"), SAID, ids=lambda one: str(one)[:40])
def test_a_call_is_read_as_the_problem_that_it_makes(name: str, given: Given, text: str) -> None:
    assert MAKERS[name](Call(name, given)).problem == parse_problem(text)


def test_every_function_is_read_in_some_call() -> None:
    assert {name for name, _, _ in SAID} == set(MAKERS)


LEFT: tuple[tuple[str, Given, str], ...] = (
    ("matmul", {"a": X, "b": array(128, 7, dtype="float32")}, "operands of several formats"),
    ("matmul", {"a": X, "b": 3}, "b is no array"),
    ("einsum", {"subscripts": "ab,cb->ac", "a": X, "b": array(7, 128)}, "an einsum other than"),
    ("inner", {"a": array(2, 5, 128), "b": array(7, 128)}, "inner of other than two matrices"),
    ("tensordot", {"a": X, "b": array(5, 128), "axes": 2}, "a tensordot over other axes"),
    ("addmm", {"c": X, "a": X, "b": array(128, 128), "alpha": 0.3}, "alpha=0.3 is not one of"),
    ("addmm", {"c": array(2, 1, 7), "a": X, "b": array(128, 7)}, "an addend of shape [2, 1, 7]"),
    ("gather_mm", {"a": array(2, 5, 8), "b": array(2, 8, 7)}, "no indices"),
    ("block_masked_mm", {"a": X, "b": array(128, 7)}, "no masks"),
    (
        "quantized_matmul",
        {"x": X, **packed(64, 128), "mode": "mxfp2"},
        "mode 'mxfp2' is not one of affine",
    ),
    ("gather_qmm", {"x": X, "w": X, "scales": X, "global_scale": X}, "no indices"),
    ("qqmm", {"x": X, "w": X, "global_scale_w": X}, "global_scale_w has no word"),
    (
        "fast.scaled_dot_product_attention",
        {**QKV, "scale": 0.25, "mask": array(3, 6)},
        "a mask of shape [3, 6] over scores of [2, 4, 6, 6]",
    ),
    (
        "conv2d",
        {"input": array(1, 8, 8, 3), "weight": array(4, 2, 2, 3), "stride": (2, 2)},
        "stride (2, 2)",
    ),
    (
        "conv2d",
        {"input": array(1, 8, 8, 3), "weight": array(4, 2, 3, 3)},
        "a kernel of 2 by 3 taps",
    ),
    ("conv_general", {"input": X, "weight": X}, "conv_general is no operation of the table"),
)


@pytest.mark.parametrize(("name", "given", "reason"), LEFT, ids=lambda one: str(one)[:40])
def test_what_no_problem_says_is_left_out_with_the_reason(
    name: str, given: Given, reason: str
) -> None:
    found = recorded(Seen((Call(name, given, count=3),)), "mine", "python mine.py")
    assert found.shapes == ()
    (left,) = found.left
    assert left.count == 3
    assert left.call.startswith(f"{name}(")
    assert left.reason.startswith(reason)


def test_differences_from_the_program_are_said() -> None:
    mask = array(6, 6)
    call = Call("fast.scaled_dot_product_attention", {**QKV, "scale": 0.3, "mask": mask})
    notes = MAKERS[call.name](call).notes
    assert notes[0] == "the scale is 0.3, and the power of two next to it in a case"
    assert notes[1] == "what the mask hides is not seen"
    gathered = Call(
        "gather_mm",
        {"a": array(4, 1, 1, 8), "b": array(3, 8, 7), "rhs_indices": indices(4, 2)}
        | {"sorted_indices": True},
    )
    assert len(MAKERS["gather_mm"](gathered).notes) == 3


def line(**said: Any) -> dict[str, Any]:
    shape = {"shape": [5, 8], "dtype": "float32", "strides": [8, 1]}
    turned_ = {"shape": [8, 5], "dtype": "float32", "strides": [1, 8]}
    return {"name": "@", "arguments": [shape, turned_], "named": {}, "within": [], **said}


def test_processes_are_read_in_order_with_their_counts(tmp_path: Path) -> None:
    log = Log(tmp_path, {"mlx": "0.32.4", "device": "cpu"})
    for said in (line(), line(within=["compile"]), line()):
        log.add(said)
    log.end()
    seen = read_seen(tmp_path)
    assert [(call.count, call.within) for call in seen.calls] == [(2, ()), (1, ("compile",))]
    found = recorded(seen, "mine", "python mine.py")
    problem = parse_problem("matmul-f32-nt-5x5x8 via=operator")
    assert found.shapes == (Shape(problem, 2), Shape(problem, 1, within=("compile",)))
    assert found.source == "recorded from `python mine.py`; MLX 0.32.4, cpu"
    assert "within compile a count is of traces" in found.how
    assert UNENDED not in found.how


def test_a_process_that_was_killed_has_its_calls(tmp_path: Path) -> None:
    text = f"{json.dumps({'call': line()})}\n" + '{"call": {"na'
    (tmp_path / "7-1.jsonl").write_text(text)
    seen = read_seen(tmp_path)
    assert [call.count for call in seen.calls] == [1]
    assert UNENDED in recorded(seen, "mine", "python mine.py").how


def test_arguments_that_could_not_be_read_are_left_out(tmp_path: Path) -> None:
    Log(tmp_path, {}).add({"name": "addmm", "unread": "KeyError('shape')"})
    found = recorded(read_seen(tmp_path), "mine", "python mine.py")
    reason = "its arguments could not be read: KeyError('shape')"
    assert found.left == (Left("addmm()", reason, 1),)
