"""Order of decisions of gather_qmm."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_applegpu.routing.arrays import Shape
from pytest_applegpu.routing.calls import GatherQMM, Quantized
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.quantized.gather_qmm import gather_qmm
from pytest_applegpu.routing.target import Target


def launched(
    x: Shape,
    w: Shape = (4, 512, 512),
    *,
    lhs: Shape | None = None,
    rhs: Shape | None = None,
    in_order: bool = False,
    version: str = "0.32.1",
    transpose: bool = True,
    mode: str = "affine",
    dtype: str = "float16",
    layout: str | None = None,
) -> list[Launch]:
    tape = Tape()
    group = 64 if mode == "affine" else 32
    call = GatherQMM(
        operand(x, dtype, layout, transpose=False),
        Quantized(w, group, 4, mode, transpose),
        lhs,
        rhs,
        in_order,
    )
    target = Target("applegpu_g14s", nax=False, tf32=True, version=version)
    gather_qmm(call, target, tape)
    return tape.launches


def test_without_indices_it_is_quantized_matmul() -> None:
    (one,) = launched((4, 1, 512))
    assert one.kernel.startswith("affine_qmv_fast_")


def test_left_out_indices_are_made() -> None:
    made, one = launched((8, 3, 512), rhs=(8,))
    assert (made.kernel, made.grid) == ("arangeuint32", (8, 1, 1))
    assert (one.label, one.grid) == ("gather_qmv_fast", (3, 64, 8))
    made, _ = launched((8, 3, 512), lhs=(4,))
    assert made.grid == (4, 1, 1)


def test_given_indices_make_none() -> None:
    (one,) = launched((8, 1, 512), lhs=(6, 1), rhs=(3,))
    assert one.grid == (1, 64, 18)


@pytest.mark.parametrize(("M", "label"), [(13, "gather_qmv_fast"), (14, "gather_qmm_t")])
def test_the_limit_of_rows(M: int, label: str) -> None:
    assert launched((2, M, 512), rhs=(2,))[-1].label == label


def test_plain_weights() -> None:
    assert launched((2, 3, 512), rhs=(2,), transpose=False)[-1].label == "gather_qvm"
    assert launched((2, 4, 512), rhs=(2,), transpose=False)[-1].label == "gather_qmm_n"


@pytest.mark.parametrize(
    ("rows", "options", "taken"),
    [
        (16, {}, True),
        (15, {"w": (2, 512, 512)}, False),
        (19, {"w": (5, 512, 512)}, False),
        (20, {"w": (5, 512, 512)}, True),
        (16, {"in_order": False}, False),
        (16, {"lhs": (16,)}, False),
    ],
)
def test_rows_of_experts_in_order(rows: int, options: dict[str, Any], taken: bool) -> None:
    asked: dict[str, Any] = {"rhs": (rows,), "in_order": True, **options}
    assert ("rhs" in launched((rows, 1, 512), **asked)[-1].label) == taken


def test_rows_are_counted_before_x_is_broadcast() -> None:
    _, copied, one = launched((1, 1, 512), rhs=(64,), in_order=True)
    assert copied.role == "copy"
    assert one.grid == (16, 1, 1)


def test_broadcast_indices_are_copied_for_rows_in_order() -> None:
    _, copied, one = launched((64, 1, 512), rhs=(1,), in_order=True)
    assert copied.kernel == "g1_copyuint32uint32"
    assert one.grid == (16, 4, 1)


def test_x_was_cast_for_scales_taken_for_bfloat16() -> None:
    cast, made, one = launched((8, 1, 512), rhs=(8,), mode="mxfp4", version="0.29.3")
    assert cast.kernel == "v_copyfloat16float32"
    assert made.role == "index"
    assert one.kernel == "mxfp4_gather_qmv_fast_float_gs_32_b_4"
    assert len(launched((8, 1, 512), rhs=(8,), mode="mxfp4")) == 2
    kept = launched((8, 1, 512), rhs=(8,), mode="mxfp4", version="0.29.3", dtype="bfloat16")
    assert len(kept) == 2


def test_a_cast_x_with_gaps_is_dense_afterwards() -> None:
    cast, _, one = launched((8, 2, 512), rhs=(8,), mode="mxfp4", version="0.29.3", layout="step")
    assert cast.kernel == "g1_copyfloat16float32"
    assert one.role == "matmul"


def test_refusals() -> None:
    with pytest.raises(
        Refused, match=r"^\[gather_qmm\] Input must have at least two .* \(512\)\.$"
    ):
        launched((512,), rhs=(4,))
    with pytest.raises(Refused, match=r"^\[gather_qmm\] Non-quantized input .* \(512\)\.$"):
        launched((512,), rhs=(4,), version="0.31.2")
    with pytest.raises(Refused, match=r"Shapes \(8\) and \(3\) cannot be broadcast"):
        launched((8, 1, 512), rhs=(3,))


def test_indices_are_looked_at_before_the_axes_of_x_before_0_32_1() -> None:
    with pytest.raises(Refused, match=r"Shapes \(15\) and \(1,16\) cannot be broadcast"):
        launched((512,), lhs=(15,), rhs=(1, 16), version="0.31.2")
    with pytest.raises(Refused, match=r"must have at least two dimensions"):
        launched((512,), lhs=(15,), rhs=(1, 16))


def test_integers_are_cast_to_bfloat16_for_such_scales() -> None:
    cast, one = launched(
        (8, 1, 8192), (8192, 8192), lhs=(64,), rhs=(), mode="mxfp4", version="0.29.3", dtype="uint8"
    )
    assert cast.kernel == "vn_copyuint8bfloat16"
    assert one.kernel == "mxfp4_gather_qmv_fast_bfloat16_t_gs_32_b_4"


def test_no_indices_give_a_grid_without_layers() -> None:
    made, one = launched((33, 512), (1, 512, 64), rhs=(0,), transpose=False)
    assert made.role == "index"
    assert (one.label, one.grid, one.threadgroups) == ("gather_qmm_n", (2, 2, 0), 0)
    (one,) = launched((0, 1, 512), rhs=(0,))
    assert (one.label, one.grid) == ("gather_qmv_fast", (1, 64, 0))


def test_products_without_elements_launch_none() -> None:
    assert [x.role for x in launched((4, 0, 512), rhs=(4,))] == ["index"]


def test_a_vector_without_indices_meets_batches_of_weights() -> None:
    with pytest.raises(Refused, match=r"^SmallVector out of range\.$"):
        launched((512,))
