"""`block_masked_mm`: names by masks, tiles by block size."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import BlockMaskedMM, Matmul
from pytest_applegpu.routing.dense.operations import matmul
from pytest_applegpu.routing.gathered.masked import block_masked_mm, masked_gemv_tile
from pytest_applegpu.routing.launch import Launch, Refused, Tape
from pytest_applegpu.routing.target import Target

TARGET = Target("applegpu_g17s", nax=True, tf32=True, version="0.32.1")


def routed(
    a: Array, b: Array, block: int = 32, *, out: bool = True, op: bool = False, boolean: bool = True
) -> list[Launch]:
    tape = Tape()
    block_masked_mm(BlockMaskedMM(a, b, block, out, op, boolean), TARGET, tape)
    return tape.launches


def test_without_masks_it_is_matmul_of_any_block_size() -> None:
    a, b = dense((5, 6), "float32"), dense((6, 7), "float32")
    tape = Tape()
    matmul(Matmul(a, b), TARGET, tape)
    assert routed(a, b, 16, out=False) == tape.launches


@pytest.mark.parametrize(
    ("out", "op", "boolean", "masks"),
    [
        (True, False, True, "outmask_bool__opmask_nomask"),
        (False, True, True, "outmask_nomask_opmask_bool_"),
        (True, True, False, "outmask_float16_opmask_float16"),
    ],
)
def test_masks_are_in_the_name(*, out: bool, op: bool, boolean: bool, masks: str) -> None:
    a, b = dense((128, 64), "float16"), dense((64, 96), "float16")
    (launch,) = routed(a, b, out=out, op=op, boolean=boolean)
    assert launch.kernel == (
        f"steel_gemm_block_{masks}_nn_float16_float16_bm32_bn32_bk16_wm2_wn2_MN_taligned_K_taligned"
    )
    assert (launch.grid, launch.group) == ((3, 4, 1), (32, 2, 2))
    assert (launch.label, launch.params) == ("masked_gemm", {})


@pytest.mark.parametrize(
    ("m", "k", "whole"),
    [(64, 24, "MN_taligned_K_naligned"), (65, 32, "MN_naligned_K_taligned")],
)
def test_blocks_that_are_not_whole(m: int, k: int, whole: str) -> None:
    (launch,) = routed(dense((m, k), "float32"), dense((k, 64), "float32"), 64)
    assert launch.kernel.endswith(f"bm64_bn64_bk16_wm2_wn2_{whole}")


def test_batches_are_broadcast_and_told() -> None:
    a, b = dense((2, 3, 64, 64), "float32"), dense((3, 64, 64), "float32")
    (launch,) = routed(a, b)
    assert launch.grid == (2, 2, 6)
    assert launch.params == {"bsa": 4096, "bsb": 4096}
    (launch,) = routed(dense((2, 64, 64), "float32"), dense((64, 64), "float32"))
    assert launch.params == {"bsa": 4096}


def test_one_row_takes_gemv_over_b_and_one_column_over_a() -> None:
    row, column = dense((1, 128), "float16"), dense((128, 1), "float16")
    (down,) = routed(row, dense((128, 512), "float16"))
    assert down.kernel == ("gemv_t_outmask_bool__opmask_nomask_float16_bm1_bn2_sm8_sn4_tm4_tn4_nc0")
    assert (down.grid, down.label) == ((16, 1, 1), "masked_gemv_t")
    (along,) = routed(dense((512, 128), "float16"), column, 64)
    assert along.kernel.endswith("bm4_bn1_sm2_sn16_tm4_tn4_nc0")
    assert (along.grid, along.label) == ((16, 1, 1), "masked_gemv")
    (turned,) = routed(row, transposed(dense((512, 128), "float16")))
    assert turned.label == "masked_gemv"


def test_several_batch_axes_are_in_the_gemv_name() -> None:
    b = dense((2, 3, 64, 64), "float32")
    (one,) = routed(dense((3, 1, 64), "float32"), dense((3, 64, 64), "float32"))
    assert one.kernel.endswith("_nc0")
    (two,) = routed(dense((2, 3, 1, 64), "float32"), b)
    assert two.kernel.endswith("_nc1")
    assert two.grid[2] == 6


def test_a_broadcast_row_is_copied() -> None:
    launches = routed(dense((1, 64), "float32"), dense((3, 64, 64), "float32"))
    assert [one.label for one in launches] == ["copy", "masked_gemv_t"]


@pytest.mark.parametrize(
    ("outputs", "block", "down", "text", "each"),
    [
        (3, 32, True, "bm1_bn2_sm8_sn4_tm4_tn1", 8),
        (2047, 64, True, "bm1_bn2_sm8_sn4_tm8_tn4", 32),
        (2048, 64, True, "bm1_bn4_sm8_sn4_tm8_tn4", 64),
        (2048, 32, True, "bm1_bn2_sm8_sn4_tm4_tn4", 32),
        (3, 32, False, "bm2_bn1_sm4_sn8_tm1_tn4", 8),
        (511, 64, False, "bm2_bn1_sm2_sn16_tm4_tn4", 16),
        (512, 64, False, "bm4_bn1_sm2_sn16_tm4_tn4", 32),
    ],
)
def test_threads_of_masked_gemv(
    outputs: int, block: int, *, down: bool, text: str, each: int
) -> None:
    tile = masked_gemv_tile(outputs, block, down=down)
    assert (str(tile), tile.outputs) == (text, each)


def test_an_operand_without_elements_gives_zeros() -> None:
    (launch,) = routed(dense((8, 0), "float32"), dense((0, 7), "float32"))
    assert (launch.kernel, launch.grid) == ("s_copyfloat32float32", (56, 1, 1))
    assert routed(dense((0, 8), "float32"), dense((8, 7), "float32")) == []


@pytest.mark.parametrize(
    ("block", "k", "dtype", "words"),
    [
        (16, 8, "float32", r"^\[block_masked_mm\] .* supported\.Got block size 16\.$"),
        (32, 9, "float32", r"^\[block_masked_mm\] Last dimension of first input"),
        (32, 8, "int32", r"^\[block_masked_mm\] Only real floating point types"),
    ],
)
def test_what_mlx_refuses(block: int, k: int, dtype: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        routed(dense((4, 8), dtype), dense((k, 4), dtype), block)
