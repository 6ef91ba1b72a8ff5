"""Which kernel comes first: dot, gemv_wide, gemv, thin, K cut, whole K; by device and release."""

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import Matmul
from pytest_applegpu.routing.dense.operations import matmul
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.target import Target

M4, M5 = "applegpu_g16g", "applegpu_g17s"


def launches(
    m: int,
    n: int,
    k: int,
    forms: str = "nn",
    *,
    dtype: str = "float16",
    arch: str = M4,
    version: str = "0.32.4",
) -> list[Launch]:
    a: Array = transposed(dense((k, m), dtype)) if forms[0] == "t" else dense((m, k), dtype)
    b: Array = transposed(dense((n, k), dtype)) if forms[1] == "t" else dense((k, n), dtype)
    tape = Tape()
    target = Target(arch, nax="g17" in arch, tf32=True, version=version)
    matmul(Matmul(a, b), target, tape)
    return tape.launches


def label(m: int, n: int, k: int, forms: str = "nn", **how: str) -> str:
    return launches(m, n, k, forms, **how)[0].label


@pytest.mark.parametrize(
    ("sizes", "dtype", "version", "expected"),
    [
        ((1, 1, 64), "float32", "0.32.1", "dot"),
        ((1, 1, 64), "float32", "0.31.2", "gemv"),
        ((1, 1, 64), "complex64", "0.32.1", "gemv"),
    ],
)
def test_dot_products(sizes: tuple[int, int, int], dtype: str, version: str, expected: str) -> None:
    assert label(*sizes, dtype=dtype, version=version) == expected


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, "gemv_wide"),
        ({"m": 15}, "gemv_wide"),
        ({"m": 16}, "splitk"),
        ({"m": 1}, "gemv"),
        ({"n": 1}, "gemv"),
        ({"k": 514}, "splitk"),
        ({"forms": "nn"}, "splitk"),
        ({"forms": "tt"}, "splitk"),
        ({"dtype": "float32"}, "splitk"),
        ({"arch": "applegpu_g14s"}, "splitk"),
        ({"version": "0.31.2"}, "splitk"),
    ],
)
def test_few_rows_times_a_transposed_matrix(how: dict[str, object], expected: str) -> None:
    case = {"m": 5, "n": 128, "k": 512, "forms": "nt"} | how
    assert launches(**case)[0].label == expected  # type: ignore[arg-type]


def test_gemv_wide_needs_offsets_and_leading_dimensions_of_4_elements() -> None:
    target = Target(M4, nax=False, tf32=True, version="0.32.4")
    b = transposed(dense((128, 512), "float16"))
    ends = {}
    for name, a in {
        "offset 4": Array((5, 512), (512, 1), "float16", offset=4),
        "offset 2": Array((5, 512), (512, 1), "float16", offset=2),
        "gap 4": Array((5, 512), (516, 1), "float16", data_size=2576),
        "gap 2": Array((5, 512), (514, 1), "float16", data_size=2568),
    }.items():
        tape = Tape()
        matmul(Matmul(a, b), target, tape)
        ends[name] = tape.launches[0].label
    assert ends == {
        "offset 4": "gemv_wide",
        "offset 2": "splitk",
        "gap 4": "gemv_wide",
        "gap 2": "splitk",
    }


@pytest.mark.parametrize(
    ("m", "n", "k", "version", "expected"),
    [
        (512, 512, 512, "0.29.3", "gemm"),
        (512, 512, 512, "0.30.6", "splitk"),
        (513, 512, 512, "0.30.6", "gemm"),
        (528, 512, 1024, "0.32.4", "gemm"),
        (95, 95, 128, "0.29.3", "splitk"),
        (96, 96, 128, "0.29.3", "gemm"),
        (95, 95, 127, "0.29.3", "gemm"),
    ],
)
def test_simd_kernels_cut_a_long_k(m: int, n: int, k: int, version: str, expected: str) -> None:
    assert label(m, n, k, version=version) == expected


def test_large_devices_cut_k_for_larger_results() -> None:
    assert label(528, 512, 1024, arch="applegpu_g16s") == "splitk"
    assert label(528, 512, 1024, arch="applegpu_g15d") == "splitk"


@pytest.mark.parametrize(
    ("sizes", "version", "expected"),
    [
        ((256, 256, 512), "0.30.6", "splitk"),
        ((256, 256, 512), "0.31.2", "gemm_nax"),
        ((256, 256, 513), "0.31.2", "splitk_nax"),
        ((2048, 2048, 10240), "0.30.0", "gemm_nax"),
        ((2048, 2048, 10240), "0.30.6", "splitk_nax"),
        ((2048, 2048, 10239), "0.30.6", "gemm_nax"),
        ((2048, 2048, 6143), "0.31.2", "gemm_nax"),
        ((2048, 2048, 6144), "0.31.2", "splitk_nax"),
        ((64, 64, 4096), "0.32.2", "splitk_nax"),
        ((64, 64, 4096), "0.32.4", "thin_nax"),
    ],
)
def test_accelerators_by_release(sizes: tuple[int, int, int], version: str, expected: str) -> None:
    assert label(*sizes, arch=M5, version=version) == expected


def test_no_accelerators_in_the_oldest_release() -> None:
    assert label(512, 512, 64, arch=M5, version="0.29.3") == "gemm"


def test_every_decision_leaves_its_reason() -> None:
    tape = Tape()
    a = dense((64, 4096), "float32")
    matmul(Matmul(a, transposed(a)), Target(M4, nax=False, tf32=True, version="0.32.4"), tape)
    rules = [str(reason) for reason in tape.reasons]
    assert "split-K: K >= max(M,N): 4096 >= 64" in rules
    assert "split-K: 16x16 tiles: 16 <= 1024" in rules


def test_the_first_condition_that_fails_is_named() -> None:
    tape = Tape()
    a = dense((64, 96), "float32")
    matmul(Matmul(a, transposed(a)), Target(M4, nax=False, tf32=True, version="0.32.4"), tape)
    assert "no split-K: K >= 128: 96 < 128" in [str(reason) for reason in tape.reasons]
