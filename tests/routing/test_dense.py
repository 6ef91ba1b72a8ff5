"""`matmul` and `addmm`: what is refused, empty operands, vectors, and the result's shape."""

import pytest

from pytest_applegpu.routing.arrays import Array, Shape, dense, transposed
from pytest_applegpu.routing.calls import AddMM, Matmul
from pytest_applegpu.routing.dense.operations import addmm, matmul
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.target import Target

M4 = Target("applegpu_g16g", nax=False, tf32=True, version="0.32.1")
OLD = Target("applegpu_g16g", nax=False, tf32=True, version="0.29.3")


def f32(*shape: int) -> Array:
    return dense(shape, "float32")


def run(a: Array, b: Array, target: Target = M4) -> tuple[Shape, list[str]]:
    tape = Tape()
    out = matmul(Matmul(a, b), target, tape)
    return out.shape, [launch.kernel for launch in tape.launches]


def added(
    c: Array, a: Array, b: Array, *, alpha: float = 1.0, beta: float = 1.0, target: Target = M4
) -> tuple[Shape, list[str]]:
    tape = Tape()
    out = addmm(AddMM(a, b, c, alpha, beta), target, tape)
    return out.shape, [launch.kernel for launch in tape.launches]


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        ((5, 7), (7, 3), (5, 3)),
        ((7,), (7, 3), (3,)),
        ((5, 7), (7,), (5,)),
        ((7,), (7,), ()),
        ((2, 4, 5, 7), (7, 3), (2, 4, 5, 3)),
        ((2, 4, 5, 7), (7,), (2, 4, 5)),
        ((7,), (2, 4, 7, 3), (2, 4, 3)),
        ((2, 1, 5, 7), (4, 7, 3), (2, 4, 5, 3)),
    ],
)
def test_the_result_has_the_shape_of_numpys_matmul(a: Shape, b: Shape, shape: Shape) -> None:
    assert run(f32(*a), f32(*b))[0] == shape


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (f32(), f32(2, 2), "Got 0 dimension input"),
        (f32(2, 3), f32(4, 2), r"first input with shape \(2,3\) must match .* shape \(4,2\)\."),
        (f32(2, 2, 3), f32(3, 3, 4), r"Shapes \(2\) and \(3\) cannot be broadcast\."),
        (dense((2, 2), "bool_"), dense((2, 2), "int8"), "bool and int8 .* results in int8,"),
    ],
)
def test_matmul_refuses(a: Array, b: Array, message: str) -> None:
    with pytest.raises(Refused, match=message):
        run(a, b)


def test_an_empty_result_launches_nothing_and_an_empty_k_fills_with_zeros() -> None:
    assert run(f32(0, 4), f32(4, 4)) == ((0, 4), [])
    assert run(f32(4, 0), f32(0, 4)) == ((4, 4), ["s_copyfloat32float32"])
    assert run(f32(256, 0), f32(0, 256)) == ((256, 256), ["sn_copyfloat32float32"])


def test_operands_of_two_formats_are_brought_to_one() -> None:
    shape, kernels = run(f32(64, 64), dense((64, 64), "float16"))
    assert shape == (64, 64)
    assert kernels[0] == "v_copyfloat16float32"
    assert "float32_float32" in kernels[1]


def test_a_batch_of_transposed_a_is_copied_to_be_flattened() -> None:
    a = transposed(f32(4, 64, 32))
    shape, kernels = run(a, f32(64, 48))
    assert shape == (4, 32, 48)
    assert kernels[0] == "g3_copyfloat32float32"
    assert "_nn_" in kernels[1]


def test_a_vector_times_a_batch_is_copied_once_broadcast() -> None:
    _, kernels = run(f32(512), f32(4, 512, 128))
    assert kernels[0] == "g2_copyfloat32float32"
    assert kernels[1].startswith("gemv_t_float32")


@pytest.mark.parametrize(
    ("c", "a", "b", "shape"),
    [
        ((3,), (5, 7), (7, 3), (5, 3)),
        ((), (5, 7), (7, 3), (5, 3)),
        ((3,), (2, 5, 7), (7, 3), (2, 5, 3)),
        ((2, 5, 3), (2, 5, 7), (7, 3), (2, 5, 3)),
        ((3,), (7,), (7, 3), (3,)),
        ((5,), (5, 7), (7,), (5,)),
        ((), (7,), (7,), ()),
        ((1,), (2, 5, 7), (7,), (2, 5)),
    ],
)
def test_addmm_has_the_shape_of_the_product(c: Shape, a: Shape, b: Shape, shape: Shape) -> None:
    assert added(f32(*c), f32(*a), f32(*b))[0] == shape


@pytest.mark.parametrize(
    ("c", "a", "b", "message"),
    [
        (f32(3), f32(), f32(7, 3), r"\[addmm\] Got 0 dimension input"),
        (f32(3), f32(5, 7), f32(6, 3), r"\[addmm\] Last dimension"),
        (f32(4), f32(5, 7), f32(7, 3), r"Shapes \(4\) and \(5,3\) cannot be broadcast\."),
        (f32(2, 5, 3), f32(5, 7), f32(7, 3), "input c must broadcast to the output shape"),
        (f32(3), f32(2, 5, 7), f32(7), r"Cannot broadcast array of shape \(3\) into .* \(10,1\)\."),
        (f32(3), f32(2, 5, 0), f32(0, 3), r"Cannot infer the shape of an empty array"),
    ],
)
def test_addmm_refuses(c: Array, a: Array, b: Array, message: str) -> None:
    with pytest.raises(Refused, match=message):
        added(c, a, b)


def test_addmm_refuses_integers_and_names_all_three_formats() -> None:
    with pytest.raises(Refused, match=r"but int32, uint8 and int8 were provided .* in int32,"):
        added(dense((2,), "int32"), dense((2, 2), "uint8"), dense((2, 2), "int8"))


def test_addmm_without_k_copies_or_scales_c() -> None:
    a, b = f32(4, 0), f32(0, 4)
    assert added(f32(4, 4), a, b)[1] == ["v_copyfloat32float32"]
    assert added(f32(4), a, b)[1] == ["g2_copyfloat32float32"]
    assert added(f32(4), a, b, beta=0.5)[1] == ["vs_Multiplyfloat32"]
    assert added(f32(4), a, b, beta=0.5, target=OLD)[1] == ["g2_copyfloat32float32"]
    assert added(f32(4), f32(0, 3), f32(3, 4))[1] == []


def test_complex_addmm_is_a_product_and_three_elementwise_kernels() -> None:
    a, c = dense((64, 64), "complex64"), dense((64,), "complex64")
    assert added(c, a, a)[1] == [
        "steel_gemm_fused_nn_complex64_complex64_bm64_bn32_bk8_wm4_wn1",
        "v_copyfloat32complex64",
        "vs_Multiplycomplex64",
        "v_copyfloat32complex64",
        "sv_Multiplycomplex64",
        "g2_Addcomplex64",
    ]


def test_alpha_is_rounded_to_float32_before_it_decides() -> None:
    tape = Tape()
    a = f32(64, 64)
    addmm(AddMM(a, a, a, 1.0 + 1e-12, 1.0), M4, tape)
    assert "_use_out_source_t_do_axpby_n" in tape.launches[0].suffix
