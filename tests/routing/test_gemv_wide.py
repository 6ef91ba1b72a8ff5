"""Rows a pass, threads along K and grids of the kernel for few rows."""

import pytest

from pytest_applegpu.routing.arrays import dense, transposed
from pytest_applegpu.routing.dense.gemv_wide import gemv_wide, why_not_wide, wide_config
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.launch import Tape


@pytest.mark.parametrize(
    ("m", "n", "text", "passes"),
    [
        (2, 128, "nv2_kl32", 1),
        (5, 128, "nv5_kl32", 1),
        (6, 128, "nv3_kl16", 2),
        (6, 64, "nv3_kl32", 2),
        (11, 65, "nv4_kl16", 3),
        (15, 65535, "nv5_kl16", 3),
        (15, 65536, "nv5_kl16", 1),
    ],
)
def test_configurations(m: int, n: int, text: str, passes: int) -> None:
    config = wide_config(m, n)
    assert (str(config), config.passes) == (text, passes)
    assert config.group == (32, config.kl // 8, 1)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ((15, "float16", 2, 2, 4, (0, 8), (4, 0)), ""),
        ((14, "float16", 2, 2, 4, (0, 0), (4,)), "generation 14"),
        ((15, "float32", 2, 2, 4, (0, 0), (4,)), "format float32"),
        ((15, "bfloat16", 1, 2, 4, (0, 0), (4,)), "M 1 "),
        ((15, "bfloat16", 16, 2, 4, (0, 0), (4,)), "M 16 "),
        ((15, "bfloat16", 2, 1, 4, (0, 0), (4,)), "N 1 "),
        ((15, "bfloat16", 2, 2, 6, (0, 0), (4,)), "K 6 "),
        ((15, "bfloat16", 2, 2, 4, (0, 4), (4,)), "aligned"),
        ((15, "bfloat16", 2, 2, 4, (0, 0), (4, 6)), "aligned"),
    ],
)
def test_conditions(
    case: tuple[int, str, int, int, int, tuple[int, ...], tuple[int, ...]], why: str
) -> None:
    said = why_not_wide(*case)
    assert why in said if why else said == ""


def test_an_added_matrix_is_always_a_function_constant() -> None:
    tape = Tape()
    a, b = dense((5, 512), "float16"), transposed(dense((130, 512), "float16"))
    assert gemv_wide(tape, product(tape, a, b, dense((5, 130), "float16"), 1.0, 0.0), 16)
    launch = tape.launches[0]
    assert (launch.kernel, launch.suffix) == ("gemv_wide_float16_nv5_kl32", "_nc0_axpby1")
    assert launch.grid == (1, 33, 1)


def test_batches_lie_along_z() -> None:
    tape = Tape()
    a, b = dense((3, 7, 64), "bfloat16"), transposed(dense((3, 100, 64), "bfloat16"))
    assert gemv_wide(tape, product(tape, a, b), 17)
    assert tape.launches[0].grid == (2, 25, 3)
