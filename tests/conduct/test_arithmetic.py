"""What a bench takes a route to promise, by backend, setting and predicted kernels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.numerics.bounds import Arithmetic, Sums
from pytest_applegpu.numerics.probe import Precision
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

M5_MAX = Gpu("applegpu_g17s")
TF32 = Precision(11, "truncated")


def bench(backend: str, *, here: bool = False, measured: Precision = TF32) -> Bench:
    made: Any = Bench(None, None, SimpleNamespace(backend=backend), {}, None)  # type: ignore[arg-type]
    made.routes = Routes(M5_MAX, "0.32.4", here=here)
    made.precision = lambda _: measured
    found: Bench = made
    return found


def promised(where: Bench, text: str, tf32: str = "on") -> Arithmetic:
    return where.arithmetic(parse_problem(text), Setting(tf32))


def test_an_emulated_m5_truncates_operands_and_sums_two_partitions() -> None:
    found = promised(bench("emulated", here=True), "matmul-f32-nn-128x128x600")
    assert found == Arithmetic(11, operand_truncates=True, sums=Sums(300, 2, 1, kept="float32"))


def test_one_row_goes_past_the_accelerators() -> None:
    found = promised(bench("emulated", here=True), "matmul-f32-nn-1x64x512")
    assert found.operand_bits == 24
    assert found.sums is not None
    assert found.sums.what == "lanes"


def test_of_a_metal_gpu_sums_are_known_and_may_be_truncated() -> None:
    found = promised(bench("metal", here=True), "matmul-f16-nn-100x100x64", "off")
    assert found == Arithmetic(11, accumulator_unit=2.0**-23, sums=Sums(64))


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_where_libraries_choose_any_order_is_allowed(backend: str) -> None:
    found = promised(bench(backend), "matmul-f32-nn-128x128x600", "off")
    assert found.sums is None
    assert found.to_nearest == (backend == "cpu")


def test_what_cublas_may_do_in_half_precision_is_named_as_no_part_of_the_model() -> None:
    said = "no partial sums in bfloat16, which cuBLAS may keep"
    assert promised(bench("cuda"), "matmul-bf16-nn-8x8x8").note == said
    assert not promised(bench("cuda"), "matmul-f32-nn-8x8x8").note
    assert not promised(bench("cpu"), "matmul-bf16-nn-8x8x8").note


@pytest.mark.parametrize(
    ("version", "text", "lacks"),
    [
        ("0.32.1", "quantized_matmul-f32-nt-2x8x128 bits=1", True),
        ("0.32.4", "quantized_matmul-f32-nt-2x8x128 bits=1", False),
        ("0.32.1", "quantized_matmul-f32-nt-2x8x128 bits=2", False),
        (None, "dequantize-f32-nt-1x8x128 bits=1", False),
    ],
)
def test_weights_of_one_bit_are_asked_of_an_mlx_that_has_them(
    version: str | None, text: str, lacks: bool
) -> None:
    made = bench("cpu")
    made.device.mlx_version = SimpleNamespace(value=version)  # type: ignore[misc, assignment]
    gap = made.gap(parse_problem(text))
    assert (gap is not None) == lacks
    assert not lacks or "0.32.4 and newer have" in str(gap)
