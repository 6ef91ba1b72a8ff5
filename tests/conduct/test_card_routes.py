"""Which routes a card asks: every path where dispatch is predicted, else kinds of shapes."""

from __future__ import annotations

from itertools import product

import pytest

from pytest_applegpu.conduct.cards.routes import asked, known_by, path_of, predicted
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

M5 = Routes(Gpu("applegpu_g17s"), "0.32.4", here=True)
ON = Setting("on")


def paths(routes: Routes, dtype: str, setting: Setting = ON) -> set[str]:
    """Return the names of the routes that are asked."""
    return {one.route for one in asked(routes, DTYPES[dtype], setting)}


def test_each_path_is_asked_once_with_a_problem_that_takes_it() -> None:
    for dtype, tf32 in product(("float32", "float16", "complex64"), ("on", "off")):
        found = asked(M5, DTYPES[dtype], Setting(tf32))
        assert len({one.route for one in found}) == len(found)
        assert all(path_of(M5, one.problem, Setting(tf32)) == one.route for one in found)


def test_the_accelerators_are_asked_where_they_are_used() -> None:
    assert {"gemm_nax", "splitk_nax", "gemv", "gemv_t"} <= paths(M5, "float32")
    assert {"gemm", "splitk", "gemv", "gemv_t"} <= paths(M5, "float32", Setting("off"))
    assert {"gemm_nax", "thin_nax", "splitk_nax", "gemv_wide"} <= paths(M5, "bfloat16")
    older = Routes(Gpu("applegpu_g13g"), "0.30.6", here=True)
    assert paths(older, "float32") == {"gemm", "splitk", "gemv", "gemv_t"}


def test_every_dense_path_of_many_shapes_is_among_those_asked() -> None:
    sizes = (1, 2, 15, 16, 64, 65, 130)
    for dtype, version in product(("float32", "float16"), ("0.30.6", "0.32.4")):
        routes = Routes(Gpu("applegpu_g17s"), version, here=True)
        met = {
            path_of(routes, parse_problem(f"matmul-{dtype}-{way}-{m}x{n}x{k}"), ON)
            for way, m, n, k in product(("nn", "nt"), sizes, sizes, (64, 200, 1024))
        }
        assert met <= paths(routes, dtype)


@pytest.mark.parametrize(
    "routes",
    [
        Routes(Gpu("applegpu_g17s"), "0.32.4", here=False),
        Routes(None, "0.32.4", here=True),
        Routes(Gpu("applegpu_g17s"), "0.1", here=True),
    ],
)
def test_without_a_prediction_a_route_is_a_kind_of_shape(routes: Routes) -> None:
    assert not predicted(routes)
    assert {"matrices", "long K", "batch", "row", "vectors"} <= paths(routes, "float64")
    assert "kinds of shapes" in known_by(routes)


def test_no_path_is_named_for_a_gpu_that_is_not_known() -> None:
    with pytest.raises(ValueError, match="the GPU is not known"):
        path_of(Routes(None, "0.32.4", here=True), parse_problem("matmul-f32-nn-1x1x1"), ON)
