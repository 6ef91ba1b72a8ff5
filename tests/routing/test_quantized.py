"""Order of decisions of quantized_matmul."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_applegpu.routing.arrays import Shape, dense
from pytest_applegpu.routing.calls import Quantized, QuantizedMatmul
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.layouts import operand
from pytest_applegpu.routing.quantized.operation import quantized_matmul
from pytest_applegpu.routing.target import Target

M4_MAX = Target("applegpu_g16s", nax=False, tf32=True, version="0.32.1")


def launched(
    x: Shape,
    w: Shape,
    *,
    target: Target = M4_MAX,
    layout: str | None = None,
    transpose: bool = True,
    bits: int = 4,
    mode: str = "affine",
    group: int = 64,
) -> list[Launch]:
    tape = Tape()
    call = QuantizedMatmul(
        operand(x, "float16", layout, transpose=False), Quantized(w, group, bits, mode, transpose)
    )
    quantized_matmul(call, target, tape)
    return tape.launches


def names(*args: Any, **more: Any) -> list[str]:
    return [one.kernel for one in launched(*args, **more)]


def test_rows_up_to_the_limit_take_a_vector_kernel() -> None:
    assert names((12, 2048), (2048, 2048)) == [
        "affine_qmv_wide_float16_t_gs_64_b_4_nv_4_kl_8_batch_0"
    ]
    assert "qmm_t_splitk" in names((13, 2048), (2048, 2048))[0]


def test_four_rows_of_weights_not_transposed_take_a_matrix_kernel() -> None:
    assert "_qvm_" in names((3, 512), (512, 512), transpose=False)[0]
    assert "_qmm_n_" in names((4, 512), (512, 512), transpose=False)[0]


def test_leading_axes_without_gaps_count_as_rows() -> None:
    (launch,) = launched((2, 3, 512), (512, 512))
    assert launch.kernel.endswith("nv_3_kl_8_batch_0")
    assert launch.grid == (2, 64, 1)


def test_a_broadcast_x_is_a_batch_and_is_not_copied() -> None:
    (launch,) = launched((2, 3, 512), (512, 512), layout="bc")
    assert launch.kernel.endswith("batch_1")
    assert launch.grid == (1, 64, 2)


def test_an_x_with_a_step_is_copied_and_then_all_rows() -> None:
    copy, launch = launched((2, 3, 512), (512, 512), layout="step")
    assert copy.kernel == "g1_copyfloat16float16"
    assert launch.kernel.endswith("batch_0")


def test_an_x_whose_heads_lie_exchanged_is_copied() -> None:
    copy, launch = launched((2, 3, 4, 512), (1, 3, 512, 512), layout="headt")
    assert copy.role == "copy"
    assert launch.grid[2] == 6


def test_broadcasting_one_row_of_weights_copies_words_scales_and_biases() -> None:
    *copies, launch = launched((4, 1, 512), (1, 1, 512))
    assert [copy.kernel for copy in copies] == [
        "g2_copyuint32uint32",
        "g2_copyfloat16float16",
        "g2_copyfloat16float16",
    ]
    assert launch.grid == (1, 1, 4)


def test_a_scale_alone_in_its_row_is_copied_where_weights_are_broadcast() -> None:
    *copies, _ = launched((4, 3, 32), (1, 64, 32), mode="mxfp4", group=32)
    assert [copy.kernel for copy in copies] == ["g2_copyuint8uint8"]


def test_batches_that_do_not_fit_are_refused() -> None:
    with pytest.raises(Refused, match=r"^\[broadcast_shapes\] Shapes \(2\) and \(3\) cannot be"):
        launched((2, 1, 64), (3, 64, 64))


def test_a_vector_is_one_row() -> None:
    (launch,) = launched((512,), (512, 512))
    assert launch.kernel == "affine_qmv_fast_float16_t_gs_64_b_4_batch_0"


def test_a_matrix_with_a_batch_of_weights_takes_the_first_matrix_only() -> None:
    (launch,) = launched((3, 512), (2, 512, 512))
    assert launch.grid == (1, 64, 1)


def test_an_empty_result_launches_nothing() -> None:
    assert launched((0, 512), (512, 512)) == []


def test_reasons_name_the_limit() -> None:
    tape = Tape()
    call = QuantizedMatmul(
        dense((13, 2048), "float16"), Quantized((2048, 2048), 64, 4, "affine", transpose=True)
    )
    quantized_matmul(call, M4_MAX, tape)
    assert "M >= the limit of vector kernels: matrix kernel: 13 >= 13" in map(str, tape.reasons)


def test_a_vector_meets_one_matrix_of_weights_only() -> None:
    assert launched((512,), (8, 512))[0].grid == launched((1, 512), (8, 512))[0].grid
    for batch in ((3,), (1,), (2, 3)):
        with pytest.raises(Refused, match=r"^SmallVector out of range\.$"):
            launched((512,), (*batch, 8, 512))


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
def test_integers_ran_uncast_beside_scales_taken_for_bfloat16(dtype: str) -> None:
    tape = Tape()
    weights = Quantized((512, 2048), 32, 4, "mxfp4", transpose=True)
    old = Target("applegpu_g14s", nax=False, tf32=False, version="0.29.3")
    quantized_matmul(QuantizedMatmul(dense((1, 100, 2048), dtype), weights), old, tape)
    (one,) = tape.launches
    assert one.kernel == f"mxfp4_qmm_t_{dtype}_t_gs_32_b_4_alN_true_batch_0"
    assert one.grid == (16, 4, 1)
