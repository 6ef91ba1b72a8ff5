"""How each kernel's name and numbers tell the order of its sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.conduct.sums import sums_of
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.emulated.multiply import multiply
from pytest_applegpu.numerics.bounds import Sums, limit, promise
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import larger_part, widen
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting
from tests.drawing import make

M4_MAX, M5_MAX = Gpu("applegpu_g16s"), Gpu("applegpu_g17s")


def predicted(text: str, gpu: Gpu) -> Route:
    return predict(parse_problem(text), gpu, Setting("off"), "0.32.4")


@pytest.mark.parametrize(
    ("text", "gpu", "path", "sums"),
    [
        ("matmul-f32-nn-64x64x127", M4_MAX, "gemm", Sums(127)),
        # 8 of 16, and the last one takes what is left of 1000: 1000 - 7 * 112.
        (
            "matmul-f32-nn-70x70x1000",
            M4_MAX,
            "splitk",
            Sums(216, 8, 7, kept="float32"),
        ),
        ("matmul-c64-nn-64x64x512", M4_MAX, "splitk", Sums(64, 8, 7, kept="complex64")),
        ("matmul-f16-nn-64x64x4096", M5_MAX, "thin_nax", Sums(1024, 4, 3, "SIMD-groups")),
        # The chunks of 64 are dealt in turn: two of the four get a second one.
        ("matmul-f16-nn-64x64x350", M5_MAX, "thin_nax", Sums(128, 4, 3, "SIMD-groups")),
        ("matmul-f16-nn-1x64x4096", M4_MAX, "gemv_t", Sums(512, 8, 3, "lanes")),
        ("matmul-f32-nn-2x1x1001", M4_MAX, "gemv", Sums(4, 251, 12, "lanes")),
        ("matmul-f16-nt-4x64x4096", M5_MAX, "gemv_wide", Sums(4, 1024, 17, "runs")),
        ("matmul-f32-nn-1x1x40000", M4_MAX, "dot+reduce+copy", Sums(8, 6144, 51, "lanes")),
    ],
)
def test_each_kind_of_kernel(text: str, gpu: Gpu, path: str, sums: Sums) -> None:
    route = predicted(text, gpu)
    assert route.path.startswith(path.split("+", maxsplit=1)[0])
    assert sums_of(route, parse_problem(text).k) == sums


def test_without_a_product_nothing_is_summed() -> None:
    assert sums_of(predicted("matmul-f32-nn-4x4x0", M4_MAX), 0) is None
    assert sums_of(Route(()), 8) is None


@pytest.mark.parametrize(
    "kernel",
    [
        "steel_gemm_new_float32",
        "gemv_outmask_bool_float32_bm4_bn1_sm1_sn32_tm4_tn4",
        "gemv_t_gather_float32_bm1_bn2_sm8_sn4_tm4_tn4",
    ],
)
def test_of_other_kernels_no_order_is_known(kernel: str) -> None:
    launch = Launch(kernel, "matmul", (1, 1, 1), (32, 1, 1))
    assert sums_of(Route((launch,)), 8) is None


def test_of_two_products_neither_is_taken_for_the_one() -> None:
    one = predicted("matmul-f32-nn-64x64x127", M4_MAX).launches
    assert sums_of(Route(one), 127) is not None
    assert sums_of(Route(one + one), 127) is None


def test_the_format_of_partial_sums_is_the_one_in_the_name() -> None:
    first, second = predicted("matmul-f16-nn-64x64x512", M4_MAX).launches
    half = replace(second, kernel="steel_gemm_splitk_accum_float16_float16")
    found = sums_of(Route((first, half)), 512)
    assert found is not None
    assert (found.kept, found.kept_unit) == ("float16", 2.0**-11)


@pytest.mark.parametrize("fill", ["uniform", "normal", "large"])
@pytest.mark.parametrize("gpu", [M4_MAX, M5_MAX])
@pytest.mark.parametrize(
    "text",
    [
        "matmul-f32-nn-33x20x1000",
        "matmul-c64-nn-20x20x600",
        "matmul-f16-nn-20x20x700",
        "matmul-f32-nn-1x40x3000",
        "matmul-f32-nn-40x1x3000",
        "matmul-bf16-nt-4x20x4096",
        "matmul-f32-nn-1x1x20000",
        "matmul-c64-nn-1x9x999",
    ],
)
def test_what_the_route_does_is_within_its_own_bound(text: str, gpu: Gpu, fill: str) -> None:
    problem, route = parse_problem(text), predicted(text, gpu)
    dtype = DTYPES[problem.dtype.name]
    rng = np.random.default_rng(5)
    A, B = make(fill, dtype, problem.shape_a, problem.shape_b, dtype.significand, rng, proven=False)
    sums = sums_of(route, problem.k)
    assert sums is not None
    said = replace(promise(dtype), sums=sums)
    exact, got = product(A, B), widen(multiply(A, B, dtype, route))
    allowed = limit(said, dtype, exact, magnitude(A, B), problem.k)
    assert (larger_part(got - exact) <= allowed).all()
