"""Order of decisions of gather_qmm."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_applegpu.routing.arrays import Shape, dense
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


def test_no_products_launch_no_product() -> None:
    tape = Tape()
    weights = Quantized((4, 512, 512), 64, 4, "affine", transpose=True)
    call = GatherQMM(dense((0, 1, 512), "float16"), weights, None, (0,), sorted=False)
    gather_qmm(call, Target("applegpu_g14s", nax=False, tf32=True, version="0.32.1"), tape)
    assert tape.launches == []
