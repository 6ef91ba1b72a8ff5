"""From launches to numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.emulated.multiply import multiply, order_of
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

NAX = "steel_gemm_fused_nax_nn_{0}_{0}_bm64_bn128_bk256_wm2_wn4"
SIMD = "steel_gemm_fused_nn_{0}_{0}_bm64_bn64_bk16_wm2_wn2"


def route(kernel: str, **params: int) -> Route:
    """Return the route of one kernel."""
    return Route((Launch(kernel, "matmul", (1, 1, 1), (32, 1, 1), params=params),))


@pytest.mark.parametrize(
    ("kernel", "dtype", "lost"),
    [(NAX, "float32", True), (SIMD, "float32", False), (NAX, "float16", False)],
)
def test_float32_alone_is_cut_and_on_the_accelerators_alone(
    kernel: str, dtype: str, lost: bool
) -> None:
    a = np.array([[1 + 2.0**-10 if dtype == "float16" else 1 + 2.0**-12]], DTYPES[dtype].numpy)
    b = np.ones((1, 1), a.dtype)
    got = multiply(a, b, DTYPES[dtype], route(kernel.format(dtype)))
    assert (got[0, 0] != a[0, 0]) == lost


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_result_is_rounded_once(dtype: str) -> None:
    """Just above a tie: rounded to fewer bits in between, it would fall to the even neighbour."""
    format_ = DTYPES[dtype]
    step = 2.0 ** (1 - format_.significand)
    a = np.array([[1, step / 2, step / 1024]]).astype(format_.numpy)
    got = multiply(a, np.ones((3, 1), format_.numpy), format_, route(NAX.format(dtype)))
    assert float(got[0, 0]) == 1 + step


def test_nothing_launched_is_zeros() -> None:
    a, b = np.ones((2, 3, 0), np.float16), np.ones((0, 4), np.float16)
    got = multiply(a, b, DTYPES["float16"], Route(()))
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, np.zeros((2, 3, 4)))


def test_a_kernel_that_is_not_modelled_is_named() -> None:
    launch = Launch("steel_gemm_novel_nn", "matmul", (1, 1, 1), (32, 1, 1))
    with pytest.raises(NotImplementedError, match="steel_gemm_novel_nn"):
        order_of(launch, DTYPES["float32"])


@pytest.mark.parametrize(
    "arch", ["applegpu_g13g", "applegpu_g16s", "applegpu_g17s", "applegpu_g18p"]
)
@pytest.mark.parametrize("version", ["0.29.3", "0.30.6", "0.32.4"])
def test_every_kernel_of_a_product_is_modelled(arch: str, version: str) -> None:
    shapes = ("1x1x5000", "1x600x70", "600x1x70", "7x64x64", "64x64x4096", "300x300x300")
    for shape in shapes:
        for dtype in ("f32", "f16", "bf16", "c64"):
            for transpose in ("nn", "nt"):
                problem = parse_problem(f"matmul-{dtype}-{transpose}-{shape}")
                launches = predict(problem, Gpu(arch), Setting(), version).launches
                (kernel,) = [one for one in launches if one.role == "matmul"]
                assert callable(order_of(kernel, problem.dtype))
