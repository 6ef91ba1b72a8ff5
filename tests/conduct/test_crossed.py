"""Which dispatch rules lie between a case that is right and its neighbour that fails."""

from __future__ import annotations

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.shrinking.edges import Crossing
from pytest_applegpu.cases.shrinking.shrink import shrink
from pytest_applegpu.cases.shrinking.sizes import SIDES, Axis, axes
from pytest_applegpu.conduct.failures.crossed import crossed
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

M5_MAX = Routes(Gpu("applegpu_g17s"), "0.32.4", here=True)
FOR_IT = Routes(Gpu("applegpu_g17s"), "0.32.4", here=False)
M, N, K = SIDES


def case(text: str) -> Case:
    return parse_cases(text, [Setting()])[0]


def step(axis: Axis, right: str, wrong: str) -> Crossing:
    return Crossing(axis, case(right), case(wrong))


LONG = step(K, "matmul-f32-nn-64x64x4096", "matmul-f32-nn-64x64x4097")
DOT = step(K, "matmul-f32-nn-1x1x4096", "matmul-f32-nn-1x1x4097")


def test_values_of_the_same_rules_that_differ_are_named_with_both() -> None:
    (said,) = crossed([LONG], M5_MAX)
    assert said == (
        "dispatch of applegpu_g17s changes from K = 4096 to 4097: "
        "partitions of K, tile: 2 of 2048, bm64_bn64_bk256_wm2_wn2, swizzle 0 "
        "-> 2 of 4096, bm64_bn64_bk256_wm2_wn2, swizzle 0; "
        "align_K_t -> align_K_n (matmul-f32-nn-64x64x4097)"
    )


def test_rules_of_one_side_alone_are_named_with_their_paths() -> None:
    (said,) = crossed([step(N, "matmul-f16-nn-200x64x64", "matmul-f16-nn-200x65x64")], M5_MAX)
    assert said.startswith(
        "dispatch of applegpu_g17s changes from N = 64 to 65: "
        "thin_nax (N <= 64, or M <= 64 and b transposed: thin: M 200, N 64; "
    )
    assert " -> gemm_nax (no NAX split-K: K >= 3*max(M,N): 64 < 600; " in said


def test_where_the_smallest_sizes_take_one_kernel_those_asked_for_may_not() -> None:
    (said,) = crossed([DOT, LONG], M5_MAX)
    assert said.endswith("(matmul-f32-nn-64x64x4097)")


def test_that_nothing_changes_is_said_of_what_ran() -> None:
    said = "dispatch of applegpu_g17s does not change from K = 4096 to 4097"
    assert crossed([DOT], M5_MAX) == (said,)
    assert crossed([DOT], FOR_IT) == ()


def test_of_what_did_not_run_here_it_says_so() -> None:
    (said,) = crossed([LONG], FOR_IT)
    assert said.startswith("not run here: dispatch of applegpu_g17s changes from K = 4096 to 4097")


def test_the_setting_directs_it() -> None:
    forced = [case(f"matmul-f32-nn-64x64x{k} tf32=on arch=applegpu_g13g") for k in (127, 128)]
    (said,) = crossed([Crossing(K, *forced)], M5_MAX)
    assert said.startswith("dispatch of applegpu_g13g changes from K = 127 to 128: gemm (")
    assert "-> splitk (" in said
    assert "split-K: K >= 128: 128 >= 128" in said


def test_without_rules_nothing_is_said() -> None:
    assert crossed([LONG], Routes(None, "0.32.4", here=True)) == ()
    doubles = step(K, "matmul-f64-nn-4x4x4", "matmul-f64-nn-4x4x5")
    assert crossed([doubles], M5_MAX) == ()


def test_a_fault_of_one_kernel_is_cut_down_to_the_rules_that_lead_to_it() -> None:
    def fails(one: Case) -> bool:
        route = M5_MAX.route(one.problem, one.setting)
        return route is not None and route.path == "splitk_nax" and one.problem.k > 4096

    least = shrink(case("matmul-f32-nt-64x96x5000 a=pad:8"), fails)
    assert least is not None
    assert str(least.case.problem) == "matmul-f32-nn-2x2x4097"
    said = " ".join(crossed(least.crossings, M5_MAX))
    assert "changes from M = 1 to 2: gemv_t (one row or one column: gemv" in said
    assert "changes from K = 4096 to 4097: partitions of K" in said
    assert [axis.name for axis in axes(least.case)] == ["M", "N", "K"]
