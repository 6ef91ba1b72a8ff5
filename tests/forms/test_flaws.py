"""A flaw changes what it says of a call, and leaves the call as it was."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.forms.flaws.flaw import Call, Flaw, grown
from pytest_applegpu.forms.flaws.table import FLAWS, NAMES, flaws_of
from pytest_applegpu.forms.form import Invocation
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.problem import parse_problem

EACH = [(flaw, text) for flaw in FLAWS.values() for text in flaw.asked]


def call(text: str) -> Call:
    """Return the right call of a problem."""
    problem = parse_problem(text)
    drawn = draw(problem, "integer", 11, np.random.default_rng(0))
    return Call(problem.operands, drawn.sent, problem.invocation)


def spoilt(op: str, name: str, text: str) -> Call:
    return FLAWS[op, name].spoil(call(text))


def shapes(of: Call) -> dict[str, tuple[int, ...]]:
    return {form.name: form.shape for form in of.forms}


@pytest.mark.parametrize(("flaw", "text"), EACH, ids=lambda one: getattr(one, "name", str(one)))
def test_every_flaw_spoils_what_it_is_asked_with(flaw: Flaw, text: str) -> None:
    problem = parse_problem(text)
    assert problem.op == flaw.op
    assert flaw.why_not(problem) is None
    right = call(text)
    before = [array.tobytes() for array in right.arrays]
    wrong = flaw.spoil(right)
    assert [array.tobytes() for array in right.arrays] == before
    assert (shapes(wrong), [one.dtype for one in wrong.forms], wrong.invocation) != (
        shapes(right),
        [one.dtype for one in right.forms],
        right.invocation,
    )
    for form, array in zip(wrong.forms, wrong.arrays, strict=True):
        assert form.dtype == str(array.dtype)


@pytest.mark.parametrize("flaw", FLAWS.values(), ids=lambda flaw: f"{flaw.op}-{flaw.name}")
def test_every_flaw_says_why_and_what_an_error_names(flaw: Flaw) -> None:
    assert flaw.why
    assert flaw.asked
    assert flaw.names
    assert all(name == name.lower() for name in flaw.names)
    assert not flaw.fits("")
    assert flaw.fits(f"[op] Wrong {flaw.names[0].upper()} given")


def test_names_are_words_of_a_case() -> None:
    assert all(name and not set(name) & set(" =") for name in NAMES)
    assert list(flaws_of("addmm"))[:2] == ["inner", "batches"]


def test_shapes_are_spoilt_as_they_are_called() -> None:
    assert shapes(spoilt("matmul", "inner", "matmul-f32-nn-4x5x6"))["b"] == (7, 5)
    assert shapes(spoilt("matmul", "inner", "matmul-f32-nn-4x5x6 via=inner"))["b"] == (5, 7)
    assert shapes(spoilt("matmul", "scalar", "matmul-f32-nn-4x5x6"))["a"] == ()
    batches = shapes(spoilt("matmul", "batches", "matmul-f32-nn-4x5x6-b3"))
    assert batches == {"a": (2, 3, 4, 6), "b": (3, 3, 6, 5)}
    assert shapes(spoilt("addmm", "addend", "addmm-f32-nn-4x5x6"))["c"] == (5, 5)


def test_scales_of_another_format_are_the_modes_opposite() -> None:
    for mode, dtype in (("", "int32"), (" mode=mxfp4", "float32")):
        found = spoilt("quantized_matmul", "scales-dtype", f"quantized_matmul-f32-nt-4x8x64{mode}")
        assert {one.dtype for one in found.forms if one.name in {"scales", "biases"}} == {dtype}


@pytest.mark.parametrize(
    ("mode", "group", "columns"), [("", 16, 4), (" mode=mxfp8", 64, 1), (" mode=nvfp4", 32, 2)]
)
def test_scales_fit_the_group_that_the_mode_lacks(mode: str, group: int, columns: int) -> None:
    found = spoilt("quantized_matmul", "group", f"quantized_matmul-f32-nt-4x8x64{mode}")
    assert found.invocation.named["group_size"] == group
    assert shapes(found)["scales"] == (8, columns)
    assert group * columns == 64


def test_codes_fit_the_bits_that_the_mode_lacks() -> None:
    for mode, bits in (("", 7), (" mode=mxfp4", 6), (" mode=mxfp8", 6)):
        found = spoilt("quantized_matmul", "bits", f"quantized_matmul-f32-nt-4x8x64{mode}")
        assert found.invocation.named["bits"] == bits
        assert shapes(found)["w"][-1] * 32 == 64 * bits


def test_an_operand_may_come_and_go() -> None:
    gone = spoilt("quantized_matmul", "no-biases", "quantized_matmul-f32-nt-4x8x64")
    assert "biases" not in shapes(gone)
    assert gone.invocation.named["biases"] is None
    come = spoilt("quantized_matmul", "biases", "quantized_matmul-f32-nt-4x8x64 mode=nvfp4")
    assert come.invocation.named["biases"] == {"operand": "biases"}
    assert shapes(come)["biases"] == shapes(come)["scales"]


def test_an_operand_that_there_is_not_is_an_error() -> None:
    one = Call((), (), Invocation("matmul", ()))
    with pytest.raises(KeyError):
        one.array("a")


def test_what_is_one_longer_ends_as_it_did() -> None:
    assert grown(np.arange(3), 0).tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("name", sorted(set(flaws_of("qqmm")) - {"inner"}))
def test_weights_that_are_no_codes_are_not_spoilt(name: str) -> None:
    flaw = flaws_of("qqmm")[name]
    assert flaw.why_not(parse_problem("qqmm-f32-nt-1x8x64")) is None
    assert "given" in str(flaw.why_not(parse_problem("qqmm-f32-nt-1x8x64 given=plain")))
