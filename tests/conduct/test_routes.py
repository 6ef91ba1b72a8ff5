"""Routes of cases: whose they are, and whether they changed since the baseline."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from pytest_applegpu.baselines.records import Record, Routed, run_id
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.report.records import RouteFacts
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting
from tests.baselines.samples import BASELINE, RUN

TEXT = "matmul-f16-nt-64x64x4096 fill=integer tf32=on"
M5_MAX = Routes(Gpu("applegpu_g17s"), "0.32.4", here=True)
EMPTY = Shelf("none")


def case(text: str = TEXT) -> Case:
    return parse_cases(text, [Setting()])[0]


def facts(routes: Routes, text: str = TEXT, shelf: Shelf = EMPTY) -> RouteFacts:
    found = routes.facts(case(text), shelf)
    assert found is not None
    return found


def stored(path: str, *kernels: str) -> Shelf:
    record = Record(route=Routed(run_id(RUN), path, kernels))
    return Shelf("key", ((Path("b.json"), replace(BASELINE, cases={TEXT: record})),))


def test_a_route_names_kernels_rule_and_basis() -> None:
    found = facts(M5_MAX)
    assert (found.arch, found.mlx, found.path, found.here) == (
        "applegpu_g17s",
        "0.32.4",
        "thin_nax",
        True,
    )
    assert found.kernels[0].startswith("steel_gemm_thin_nax_nt_float16")
    assert "64" in found.rule
    assert found.basis == "recorded"
    assert found.verdict is None


def test_a_setting_directs_it() -> None:
    forced = facts(M5_MAX, f"{TEXT} arch=applegpu_g13g")
    assert (forced.arch, forced.path) == ("applegpu_g13g", "splitk")
    off = facts(M5_MAX, f"{TEXT} nax=off")
    assert (off.arch, off.path) == ("applegpu_g16s", "splitk")


def test_a_system_without_nax_does_too() -> None:
    assert facts(Routes(Gpu("applegpu_g17s", nax=False), "0.32.4", here=True)).path == "splitk"


def test_other_kernels_than_the_stored_ones_are_rerouted() -> None:
    found = facts(M5_MAX, shelf=stored("splitk_nax", "old", "accum"))
    assert found.verdict == "rerouted"
    assert found.before == ("splitk_nax", "old", "accum")


def test_the_stored_ones_are_not() -> None:
    now = facts(M5_MAX)
    assert facts(M5_MAX, shelf=stored(now.path, *now.kernels)) == now


def test_where_kernels_do_not_run_nothing_is_rerouted() -> None:
    elsewhere = Routes(Gpu("applegpu_g17s"), "0.32.4", here=False)
    assert facts(elsewhere, shelf=stored("splitk", "old")).verdict is None


def test_without_rules_or_a_gpu_there_is_no_route() -> None:
    assert Routes(Gpu("applegpu_g17s"), "0.20.0", here=True).facts(case(), EMPTY) is None
    assert Routes(None, "0.32.4", here=True).facts(case(), EMPTY) is None


def test_what_no_gpu_multiplies_has_none() -> None:
    assert M5_MAX.facts(case("matmul-f64-nn-8x8x8 fill=integer tf32=on"), EMPTY) is None


def test_only_the_accelerators_cut_operands() -> None:
    def cut(routes: Routes, text: str) -> bool:
        one = case(text)
        return routes.may_cut(one.problem, one.setting)

    assert cut(M5_MAX, "matmul-f32-nn-256x256x256 tf32=on")
    assert not cut(M5_MAX, "matmul-f32-nn-1x256x256 tf32=on")
    assert not cut(M5_MAX, "matmul-c64-nn-256x256x256 tf32=on")
    assert not cut(M5_MAX, "matmul-f32-nn-256x256x256 tf32=on nax=off")
    # Attention on the accelerators says so by its label alone.
    assert cut(M5_MAX, "sdpa-f32-nt-64x64x64-b1x2 tf32=on")
    assert not cut(M5_MAX, "sdpa-f32-nt-1x64x64-b1x2 tf32=on")


def test_where_the_route_is_not_known_operands_may_be_cut() -> None:
    elsewhere = Routes(Gpu("applegpu_g17s"), "0.32.4", here=False)
    for routes in (elsewhere, Routes(None, "0.32.4", here=True), replace_version("0.20.0")):
        one = case("matmul-f32-nn-1x256x256 tf32=on")
        assert routes.may_cut(one.problem, one.setting)


def replace_version(version: str) -> Routes:
    return Routes(Gpu("applegpu_g17s"), version, here=True)
