"""Kernels that combine two arrays: letters, work per thread, grids, the result's layout."""

import pytest

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense, transposed
from pytest_applegpu.routing.elementwise import arithmetic, binary, number
from pytest_applegpu.routing.launch import Launch, Refused, Tape


def run(a: Array, b: Array) -> tuple[Array, Launch]:
    tape = Tape()
    out = binary(tape, "Add", a, b)
    (launch,) = tape.launches
    return out, launch


def f32(*shape: int) -> Array:
    return dense(shape, "float32")


@pytest.mark.parametrize(
    ("a", "b", "kernel", "grid"),
    [
        (f32(), f32(), "ss_Addfloat32", (1, 1, 1)),
        (f32(), f32(8, 4), "sv_Addfloat32", (32, 1, 1)),
        (f32(8, 4), f32(1), "vs_Addfloat32", (32, 1, 1)),
        (f32(8, 4), f32(8, 4), "vv_Addfloat32", (32, 1, 1)),
        (transposed(f32(8, 4)), transposed(f32(8, 4)), "vv_Addfloat32", (32, 1, 1)),
        (f32(256, 256), f32(256, 256), "vvn_Addfloat32", (32768, 1, 1)),
        (f32(256, 256), f32(), "vsn_Addfloat32", (32768, 1, 1)),
        (dense((256, 256), "complex64"), dense((), "complex64"), "vs_Addcomplex64", (65536, 1, 1)),
        (f32(8, 4), f32(4), "g2_Addfloat32", (4, 8, 1)),
        (f32(8, 4), transposed(f32(4, 8)), "g2_Addfloat32", (4, 8, 1)),
        (f32(2, 8, 4), f32(2, 1, 4), "g3_Addfloat32", (4, 8, 2)),
        (f32(2, 3, 4, 5), f32(1, 3, 1, 5), "gn2_Addfloat32", (3, 4, 6)),
    ],
)
def test_kernels(a: Array, b: Array, kernel: str, grid: tuple[int, int, int]) -> None:
    _, launch = run(a, b)
    assert (launch.kernel, launch.grid) == (kernel, grid)


def test_a_broadcast_operand_without_gaps_is_walked_once() -> None:
    c = broadcast_to(f32(4), (4, 4))
    out, launch = run(c, number("float32"))
    assert launch.grid == (4, 1, 1)
    assert (out.shape, out.strides, out.data_size) == ((4, 4), (0, 1), 4)


def test_results_lie_like_their_operand_or_row_major() -> None:
    turned = transposed(f32(8, 4))
    assert run(turned, f32())[0].strides == (1, 4)
    assert run(turned, f32(4, 8))[0].strides == (8, 1)


def test_groups_are_whole_blocks() -> None:
    assert run(f32(100, 30), f32(100, 30))[1].group == (1024, 1, 1)
    assert run(f32(100, 30), f32(30))[1].group == (16, 64, 1)


def test_nothing_is_launched_for_empty_arrays() -> None:
    tape = Tape()
    assert binary(tape, "Add", f32(0, 4), f32(4)).shape == (0, 4)
    assert not tape.launches


def test_sizes_beyond_32_bits_have_kernels_of_their_own() -> None:
    _, flat = run(f32(2**17, 2**15 + 1), f32())
    assert (flat.kernel, flat.grid[0] * flat.grid[1]) == ("vs2_Addfloat32", 2**16 * (2**15 + 1))
    _, strided = run(f32(2**17, 2**15), f32(2**15))
    assert strided.kernel == "g2large_Addfloat32"


def test_formats_are_brought_together_and_shapes_must_broadcast() -> None:
    tape = Tape()
    assert arithmetic(tape, "Multiply", number("float32"), dense((4,), "complex64")).shape == (4,)
    assert [x.kernel for x in tape.launches] == ["v_copyfloat32complex64", "sv_Multiplycomplex64"]
    with pytest.raises(Refused, match=r"Shapes \(4\) and \(3\) cannot be broadcast\."):
        arithmetic(Tape(), "Add", f32(4), f32(3))
