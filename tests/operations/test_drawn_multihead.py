"""Inputs and parameters are drawn so that every fault of attention between projections shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.numerics.held import Held
from pytest_applegpu.numerics.multihead import MultiHead, Projection
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.problem import Problem, parse_problem

SIZES = "9x33x64-b2"
FORMATS = ("f32", "f16", "bf16")


def made(text: str, fill: str = "integer") -> tuple[Problem, Drawn]:
    """Draw a case."""
    problem = parse_problem(f"multi_head_attention-{text}")
    bits = problem.dtype.significand
    return problem, draw(problem, fill, bits, np.random.default_rng(3))


def meant(problem: Problem, drawn: Drawn) -> MultiHead:
    """Read the operands that are handed over as MLX's documentation takes them."""
    given = {one.name: widen(x) for one, x in zip(problem.operands, drawn.sent, strict=True)}
    visible, added = np.ones((problem.m, problem.n), bool), None
    kind = problem.param("mask")
    if kind == "causal":
        visible = np.tri(problem.m, problem.n, problem.n - problem.m, dtype=bool)
    elif kind == "bool":
        visible = given["mask"].astype(bool)
    elif kind == "add":
        added = given["mask"]
    q, k, v, o = (Projection(given[f"w{one}"], given.get(f"b{one}")) for one in "qkvo")
    heads = int(problem.param("heads"))
    inputs = given["q"], given["k"], given["v"]
    return MultiHead(*inputs, q, k, v, o, heads, visible, added)


def verdict(problem: Problem, drawn: Drawn, output: Array) -> str:
    """Judge an output, stored as MLX gives it."""
    assert drawn.judge is not None
    return drawn.judge.judge([output.astype(problem.dtype.numpy)]).verdict


WORDS = (
    "",
    "bias=yes",
    "bias=yes mask=causal",
    "mask=bool",
    "mask=add over=heads",
    "mask=bool over=row heads=1",
    "heads=8 bias=yes",
)


@pytest.mark.parametrize("fill", ["integer", "normal", "special"])
@pytest.mark.parametrize("dtype", FORMATS)
def test_the_definition_is_right_and_proves_something(dtype: str, fill: str) -> None:
    """Under every mask, with a bias and without."""
    for words in WORDS:
        problem, drawn = made(f"{dtype}-nt-{SIZES} {words}", fill)
        found = verdict(problem, drawn, meant(problem, drawn).output)
        assert found in {"exact", "within"}, words


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("words", WORDS)
def test_exact_data_leave_no_room(dtype: str, words: str) -> None:
    """Every output is a sum of copies and means of values, held to equality."""
    _, drawn = made(f"{dtype}-nt-{SIZES} {words}")
    assert isinstance(drawn.judge, Held)
    assert not drawn.judge.expectation.allowed.any()


def faults(one: MultiHead) -> dict[str, MultiHead]:
    """Wrong ways to read the operands."""
    size = one.out.weight.shape[1] // one.heads
    turned = one.out.weight.reshape(-1, one.heads, size)[:, ::-1].reshape(one.out.weight.shape)
    lost = one.out.weight.copy()
    lost[:, -size:] = 0
    wrong = {
        "mask forgotten": replace(one, visible=np.ones((1, 1), bool), added=None),
        "heads turned round": replace(one, out=Projection(turned, one.out.bias)),
        "last head lost": replace(one, out=Projection(lost, one.out.bias)),
        "keys projected as queries": replace(one, key=one.query),
        "values of another sequence": replace(one, v=one.v[::-1]),
        "a key later": replace(one, k=np.roll(one.k, 1, axis=1)),
        "tail of queries lost": replace(one, q=_cut(one.q)),
        "tail of keys lost": replace(one, k=_cut(one.k)),
        "tail of values lost": replace(one, v=_cut(one.v)),
    }
    if one.out.bias is not None:
        bare = {
            "query": replace(one, query=Projection(one.query.weight)),
            "value": replace(one, value=Projection(one.value.weight)),
            "out": replace(one, out=Projection(one.out.weight)),
        }
        wrong |= {f"{name} bias forgotten": less for name, less in bare.items()}
    return wrong


def _cut(x: Array) -> Array:
    cut = x.copy()
    cut[..., -1] = 0
    return cut


@pytest.mark.parametrize("fill", ["integer", "normal"])
@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("words", ["mask=causal bias=yes", "mask=bool", "mask=add bias=yes"])
def test_faults_show(dtype: str, fill: str, words: str) -> None:
    """In exact and in real data, whichever the mask."""
    problem, drawn = made(f"{dtype}-nt-{SIZES} {words}", fill)
    for name, wrong in faults(meant(problem, drawn)).items():
        if name == "mask forgotten" and fill == "normal":
            continue  # of keys that weigh next to nothing it makes no difference
        assert verdict(problem, drawn, wrong.output) == "over", name


def test_cut_operands_are_allowed_for() -> None:
    """Data for a route that keeps 11 bits prove something too."""
    problem = parse_problem(f"multi_head_attention-f32-nt-{SIZES} bias=yes")
    for fill in ("integer", "normal"):
        drawn = draw(problem, fill, 11, np.random.default_rng(1))
        assert drawn.judge is not None
        assert drawn.judge.prove() is None


def test_a_nan_stays_with_its_query() -> None:
    """One query is NaN in all its elements; spread over its sequence it is wrong."""
    problem, drawn = made(f"f32-nt-{SIZES}", "special")
    right = meant(problem, drawn).output
    lines = np.asarray(np.isnan(right).any(axis=-1))
    assert lines.sum() == 1
    spread = np.where(np.asarray(lines.any(axis=-1))[:, None, None], np.nan, right)
    assert verdict(problem, drawn, spread) == "over"


@pytest.mark.parametrize(
    "size", ["0x9x8-b1", "3x4x4-b0", "1x1x4-b1", "1x9x8-b3 heads=1", "2x2x8-b1 heads=8"]
)
def test_empty_and_single_sizes_are_drawn(size: str) -> None:
    """And nothing is raised."""
    for fill in ("integer", "normal", "special"):
        problem, drawn = made(f"f32-nt-{size}", fill)
        assert [x.shape for x in drawn.sent] == [one.shape for one in problem.operands]


def test_what_is_only_timed_is_not_judged() -> None:
    """No reference is computed for it."""
    problem = parse_problem(f"multi_head_attention-f32-nt-{SIZES}")
    drawn = draw(problem, "normal", 24, np.random.default_rng(1), proven=False)
    assert drawn.judge is None


def test_one_matrix_serves_all_sequences_under_a_stride_of_zero() -> None:
    """What is drawn is what can be stored."""
    for fill in ("integer", "normal"):
        problem, drawn = made(f"f32-nt-{SIZES} k=bc v=bc mask=bool", fill)
        for number in (1, 2):
            one = drawn.sent[number]
            np.testing.assert_array_equal(one, np.broadcast_to(one[:1], one.shape))
        found = verdict(problem, drawn, meant(problem, drawn).output)
        assert found in {"exact", "within"}


def test_a_nan_is_in_every_sequence_that_a_stride_of_zero_repeats() -> None:
    """What is drawn is what can be stored."""
    _, drawn = made(f"f32-nt-{SIZES} q=bc", "special")
    q = drawn.sent[0]
    assert np.isnan(q[0]).sum() == 1
    np.testing.assert_array_equal(q, np.broadcast_to(q[:1], q.shape))
