"""What `quantize` gives is held to definitions: right codes pass, every wrong one is over."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.forms.quantized import group_and_bits
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.reference import product
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.codes import pack, values
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.encode import RULES, encode, shared_scales, unpack
from pytest_applegpu.problem import Problem, parse_problem

MODES = ("", "bits=2 group=32", "bits=3", "bits=5", "bits=8 group=128", "mode=mxfp4", "mode=nvfp4")


def made(text: str, fill: str = "integer") -> tuple[Problem, Drawn]:
    """Draw a case."""
    problem = parse_problem(text)
    return problem, draw(problem, fill, problem.dtype.significand, np.random.default_rng(4))


def affine(problem: Problem, w: Array) -> list[Array]:
    """Pack as MLX says that it does, a group at a time, in float32."""
    group, bits = group_and_bits(problem)
    bins = np.float32(2**bits - 1)
    lead = (*w.shape[:-1], w.shape[-1] // group)
    codes, steps, shifts = np.zeros((*lead, group), int), np.zeros(lead), np.zeros(lead)
    for index in np.ndindex(lead):
        x = widen(w).reshape(*lead, group)[index].astype(np.float32)
        low, high = x.min(), x.max()
        step = max((high - low) / bins, np.float32(1e-7))
        step, edge = (step, low) if abs(low) > abs(high) else (-step, high)
        number = np.rint(edge / step)
        step, shift = (edge / number, edge) if number else (step, np.float32(0))
        codes[index] = np.clip(np.rint((x - shift) / step), 0, bins)
        steps[index], shifts[index] = step, shift
    kept = [one.astype(problem.dtype.numpy) for one in (steps, shifts)]
    return [pack(codes.reshape(w.shape), bits), *kept]


def packed(problem: Problem, drawn: Drawn, rule: str = "floor") -> list[Array]:
    """Pack the weights of a case as they should be."""
    (w,) = drawn.sent
    mode, (group, bits) = problem.param("mode"), group_and_bits(problem)
    if mode == "affine":
        return affine(problem, w)
    shared = shared_scales(widen(w), mode, group, rule)
    return [pack(encode(widen(w), mode, group, shared), bits), shared]


def verdict(drawn: Drawn, parts: list[Array]) -> str:
    """Judge what a call gave."""
    assert drawn.judge is not None
    return drawn.judge.judge(parts).verdict


@pytest.mark.parametrize("fill", ["integer", "normal"])
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("mode", [*MODES, "mode=mxfp8"])
def test_right_codes_pass(mode: str, dtype: str, fill: str) -> None:
    """In every mode and format, and by both rules of scales."""
    problem, drawn = made(f"quantize-{dtype}-nt-1x6x256-b2 {mode}", fill)
    assert drawn.judge is not None
    assert drawn.judge.prove() is None
    for rule in RULES:
        assert verdict(drawn, packed(problem, drawn, rule)) in {"exact", "within"}


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_code_is_over(mode: str) -> None:
    """One code of one weight, by as little as two steps."""
    problem, drawn = made(f"quantize-f32-nt-1x6x256 {mode}", "normal")
    parts = packed(problem, drawn)
    _, bits = group_and_bits(problem)
    codes = unpack(parts[0], bits)
    codes[tuple(np.argwhere(codes == 0)[0])] = 2
    assert verdict(drawn, [pack(codes, bits), *parts[1:]]) == "over"


def test_ties_that_go_down_are_over() -> None:
    """The smaller neighbour of a tie is as near, and yet wrong."""
    problem, drawn = made("quantize-f32-nt-1x6x256 mode=mxfp4")
    parts = packed(problem, drawn)
    w = widen(drawn.sent[0])
    nudged = encode(w * (1 - 2.0**-20), "mxfp4", 32, parts[1])
    assert verdict(drawn, [pack(nudged, 4), parts[1]]) == "over"


def test_a_scale_of_no_rule_is_over() -> None:
    """Even with codes that are right for it."""
    _, drawn = made("quantize-f32-nt-1x6x256 mode=mxfp8", "normal")
    w = widen(drawn.sent[0])
    large = shared_scales(w, "mxfp8", 32) + np.uint8(3)
    parts = [pack(encode(w, "mxfp8", 32, large), 8), large]
    assert verdict(drawn, parts) == "over"


def test_an_extreme_that_is_not_held_is_over() -> None:
    """A bias that is off by half a step, though all weights are within a step."""
    problem, drawn = made("quantize-f32-nt-1x6x256 bits=8", "normal")
    codes, steps, shifts = packed(problem, drawn)
    assert verdict(drawn, [codes, steps, shifts + steps / 4]) == "over"


def test_shapes_formats_and_counts_are_misshapen() -> None:
    """Each part is held to its own."""
    problem, drawn = made("quantize-f16-nt-1x6x256")
    codes, steps, shifts = packed(problem, drawn)
    for parts in (
        [codes, steps],
        [codes[:, :-1], steps, shifts],
        [codes, steps.astype(np.float32), shifts],
        [codes.astype(np.int32), steps, shifts],
    ):
        assert verdict(drawn, parts) == "misshapen"


@pytest.mark.parametrize("fill", ["integer", "normal"])
@pytest.mark.parametrize("mode", [*MODES, "mode=mxfp8"])
def test_dequantized_weights_are_what_codes_mean(mode: str, fill: str) -> None:
    """Rounded once they pass; of a neighbouring group's scale they do not."""
    problem, drawn = made(f"dequantize-bf16-nt-1x6x256 {mode}", fill)
    group, bits = group_and_bits(problem)
    plain = values(unpack(drawn.sent[0], bits), problem.param("mode"))
    assert plain.shape == problem.shape_c == problem.grid
    right = drawn.A.astype(problem.dtype.numpy)
    assert verdict(drawn, [right]) in {"exact", "within"}
    assert verdict(drawn, [np.roll(right, group, axis=-1)]) == "over"


@pytest.mark.parametrize("given", ["packed", "plain"])
@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8", "nvfp4"])
@pytest.mark.parametrize("fill", ["integer", "normal"])
def test_qqmm_packs_both_sides(mode: str, given: str, fill: str) -> None:
    """In exact data packing changes nothing; in real data it does, and that shows."""
    problem, drawn = made(f"qqmm-f32-nt-3x8x128 mode={mode} given={given}", fill)
    x = widen(drawn.sent[0])
    assert (np.array_equal(x, drawn.A)) == (fill == "integer")

    def judged(a: Array) -> str:
        got = product(a, drawn.B).astype(np.float32)
        check = "exact" if fill == "integer" else "bounded"
        rng = np.random.default_rng(0)
        dtype = problem.dtype
        more = drawn.meaning
        return judge(check, drawn.A, drawn.B, got, dtype, promise(dtype), rng, **more).verdict

    assert judged(drawn.A) in {"exact", "within"}
    assert (judged(x) == "over") == (fill == "normal")
