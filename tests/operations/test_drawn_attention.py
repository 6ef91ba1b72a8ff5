"""Queries, keys and masks are drawn so that every fault of attention shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.forms.attention import scale_of
from pytest_applegpu.numerics.attention import Attention, softmax
from pytest_applegpu.numerics.held import Held
from pytest_applegpu.numerics.rounding import Array, round_to, widen
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.problem import Problem, parse_problem

SIZES = "9x33x64-b2x4:2x2"


def made(text: str, fill: str = "integer") -> tuple[Problem, Drawn]:
    """Draw a case."""
    problem = parse_problem(text)
    bits = problem.dtype.significand
    return problem, draw(problem, fill, bits, np.random.default_rng(3))


def meant(problem: Problem, drawn: Drawn) -> Attention:
    """Read the operands that are handed over as the definition takes them."""
    given = {one.name: x for one, x in zip(problem.operands, drawn.sent, strict=True)}
    visible, added = np.ones((problem.m, problem.n), bool), None
    kind = problem.param("mask")
    if kind == "causal":
        visible = np.tri(problem.m, problem.n, problem.n - problem.m, dtype=bool)
    elif kind == "bool":
        visible = given["mask"]
    elif kind == "add":
        added = widen(given["mask"])
    q, k, v = (widen(given[name]) for name in "qkv")
    sinks = widen(given["sinks"]) if "sinks" in given else None
    return Attention(q, k, v, scale_of(problem), visible, added, sinks)


def verdict(problem: Problem, drawn: Drawn, output: Array) -> str:
    """Judge an output, stored as MLX gives it."""
    assert drawn.judge is not None
    return drawn.judge.judge([output.astype(problem.dtype.numpy)]).verdict


WORDS = (
    "",
    "mask=causal",
    "mask=bool",
    "mask=bool over=heads",
    "mask=add over=matrix",
    "mask=add over=row",
    "mask=bool hide=rows",
    "sinks=yes",
    "mask=bool sinks=yes hide=rows",
    "dv=24",
)


@pytest.mark.parametrize("fill", ["integer", "ones", "normal", "uniform", "special"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_the_definition_is_right_and_proves_something(dtype: str, fill: str) -> None:
    """Under every mask."""
    for words in WORDS:
        problem, drawn = made(f"sdpa-{dtype}-nt-{SIZES} {words}", fill)
        found = verdict(problem, drawn, meant(problem, drawn).output)
        assert found in {"exact", "within"}, words


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize(
    "words", ["", "mask=causal", "mask=bool", "mask=add over=row", "sinks=yes"]
)
def test_exact_data_leave_no_room(dtype: str, words: str) -> None:
    """Every element is a copy or a mean, held to equality."""
    _, drawn = made(f"sdpa-{dtype}-nt-{SIZES} {words}")
    assert isinstance(drawn.judge, Held)
    assert not drawn.judge.expectation.allowed.any()


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("size", [512, 518, 1024, 2049, 4200])
def test_scores_may_be_stored_in_the_format_of_the_result(dtype: str, size: int) -> None:
    """Of long codes too: they are held, and those of unlike keys and of sinks stay apart."""
    problem, drawn = made(f"sdpa-{dtype}-nt-5x9x{size}-b1x4 sinks=yes")
    one = meant(problem, drawn)
    stored = round_to(one.scores, problem.dtype)
    assert np.isfinite(stored).all()
    output = softmax(stored)[..., : problem.n] @ one.values
    assert isinstance(drawn.judge, Held)
    assert not drawn.judge.expectation.allowed.any()
    assert verdict(problem, drawn, output) == "exact"


def faults(one: Attention) -> dict[str, Attention]:
    """Wrong ways to read the operands."""
    return {
        "mask forgotten": replace(one, visible=np.ones((9, 33), bool), added=None),
        "keys shifted": replace(one, k=np.roll(one.k, 1, axis=2)),
        "values of another head": replace(one, v=one.v[:, ::-1]),
        "scale forgotten": replace(one, scale=2.0**-12),
        "last key forgotten": replace(one, visible=one.visible & (np.arange(33) < 32)),
    }


@pytest.mark.parametrize("fill", ["integer", "normal"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("words", ["mask=causal", "mask=bool", "mask=add"])
def test_faults_show(dtype: str, fill: str, words: str) -> None:
    """In exact and in real data, whichever the mask."""
    problem, drawn = made(f"sdpa-{dtype}-nt-{SIZES} {words}", fill)
    for name, wrong in faults(meant(problem, drawn)).items():
        assert verdict(problem, drawn, wrong.output) == "over", name


def test_a_causal_mask_of_the_other_corner_shows() -> None:
    """The last query sees the last key, not the first query the first key."""
    problem, drawn = made(f"sdpa-f32-nt-{SIZES} mask=causal")
    one = replace(meant(problem, drawn), visible=np.tri(9, 33, dtype=bool))
    assert verdict(problem, drawn, one.output) == "over"


def test_a_forgotten_sink_shows() -> None:
    """It takes all weights of every second head in exact data."""
    for fill in ("integer", "normal"):
        problem, drawn = made(f"sdpa-f16-nt-{SIZES} sinks=yes", fill)
        one = replace(meant(problem, drawn), sinks=None)
        assert verdict(problem, drawn, one.output) == "over"


def test_a_nan_stays_with_its_query() -> None:
    """One query is NaN in all its elements; spread over its head it is wrong."""
    problem, drawn = made(f"sdpa-f32-nt-{SIZES}", "special")
    right = meant(problem, drawn).output
    lines = np.asarray(np.isnan(right).any(axis=-1))
    assert lines.sum() == 1
    spread = np.where(np.asarray(lines.any(axis=-1))[..., None, None], np.nan, right)
    assert verdict(problem, drawn, spread) == "over"
    lost = np.nan_to_num(right)
    assert verdict(problem, drawn, lost) == "over"


@pytest.mark.parametrize(
    "size", ["0x9x8-b1x2", "9x0x8-b1x2", "3x4x0-b1x2", "1x1x1-b1x1", "2x2x2-b0x2"]
)
def test_empty_and_single_sizes_are_drawn(size: str) -> None:
    """And their definition passes."""
    for fill in ("integer", "normal", "ones", "special"):
        problem, drawn = made(f"sdpa-f32-nt-{size}", fill)
        assert drawn.judge is not None
        output = meant(problem, drawn).output.astype(np.float32)
        assert drawn.judge.judge([output]).verdict in {"exact", "within"}


def test_one_matrix_serves_all_heads_under_a_stride_of_zero() -> None:
    """What is drawn is what can be stored."""
    problem, drawn = made(f"sdpa-f32-nt-{SIZES} k=bc v=bc mask=bool")
    for number in (1, 2):
        one = drawn.sent[number]
        np.testing.assert_array_equal(one, np.broadcast_to(one[:1, :1], one.shape))
    assert verdict(problem, drawn, meant(problem, drawn).output) == "exact"
