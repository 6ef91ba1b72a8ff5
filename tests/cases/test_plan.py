"""What is planned: always the same, everything in it, and within its budget."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import pytest

from pytest_applegpu.cases.budget import budget_of, cost
from pytest_applegpu.cases.case import NUMERIC, Case
from pytest_applegpu.cases.choices.choices import BATCHES
from pytest_applegpu.cases.choices.dense import MATMUL_LAYOUTS as LAYOUTS
from pytest_applegpu.cases.choices.dense import TILES
from pytest_applegpu.cases.plan import REPEATS, backend_dtypes, numeric_cases
from pytest_applegpu.cases.speed import speed_cases
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.options import TIERS
from pytest_applegpu.problem import TRANSPOSES
from pytest_applegpu.setting import Setting

BOTH = (Setting("on"), Setting("off"))


def plan(tier: str = "smoke", seed: int = 0, backend: str = "cpu") -> list[Case]:
    """Plan for a backend with all that it has."""
    return numeric_cases(
        "matmul", backend, backend_dtypes(backend), tier=tier, seed=seed, settings=BOTH
    )


@pytest.fixture(scope="module")
def smoke() -> list[Case]:
    """The smoke tier of the CPU backend."""
    return plan()


def test_smoke_has_at_least_two_hundred_cases(smoke: list[Case]) -> None:
    assert len(smoke) >= 200
    assert len({str(case) for case in smoke}) == len(smoke)


@pytest.mark.parametrize("backend", ["cpu", "cuda", "metal"])
def test_every_backend_fills_a_smoke_run(backend: str) -> None:
    cases = plan(backend=backend)
    assert len(cases) >= 200
    assert {case.problem.dtype for case in cases} == set(backend_dtypes(backend))


def test_another_process_plans_the_same(smoke: list[Case]) -> None:
    script = (
        "from pytest_applegpu.cases.plan import *;"
        "s=(Setting('on'),Setting('off'));"
        "print(*numeric_cases('matmul','cpu',backend_dtypes('cpu'),tier='smoke',seed=0,settings=s),sep='\\n')"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert said.stdout.splitlines() == [str(case) for case in smoke]


def test_another_seed_plans_other_cases(smoke: list[Case]) -> None:
    assert {str(case) for case in plan(seed=1)} != {str(case) for case in smoke}


def test_one_setting_runs_the_same_problems(smoke: list[Case]) -> None:
    single = numeric_cases(
        "matmul", "cpu", backend_dtypes("cpu"), tier="smoke", seed=0, settings=BOTH[:1]
    )
    assert [case.data for case in single] == list(dict.fromkeys(case.data for case in smoke))


def test_every_tail_of_every_tile_is_tried_in_every_dimension(smoke: list[Case]) -> None:
    for name, tile, offset in product("mnk", TILES, (-1, 0, 1)):
        assert any(getattr(case.problem, name) == tile + offset for case in smoke), (name, tile)


def test_every_pair_of_choices_is_tried(smoke: list[Case]) -> None:
    problems = [(case.problem, case.fill) for case in smoke]
    have = {
        (problem.dtype.name, problem.transpose, problem.layout_a, problem.layout_b, fill)
        for problem, fill in problems
    }
    levels = (
        [dtype.name for dtype in backend_dtypes("cpu")],
        TRANSPOSES,
        LAYOUTS,
        LAYOUTS,
        [name for name, fill in FILLS.items() if fill.check in {"exact", "bounded"}],
    )
    for one in range(len(levels)):
        for other in range(one + 1, len(levels)):
            seen = {(row[one], row[other]) for row in have}
            assert set(product(levels[one], levels[other])) <= seen, (one, other)


def test_batches_of_every_kind_are_tried(smoke: list[Case]) -> None:
    seen = {(case.problem.batch_a, case.problem.batch_b) for case in smoke}
    assert set(BATCHES.values()) <= seen


def test_sizes_reach_from_nothing_to_thousands(smoke: list[Case]) -> None:
    for name in "mnk":
        sizes = {getattr(case.problem, name) for case in smoke}
        assert {0, 1} <= sizes
        assert max(sizes) >= 2048
    assert max(case.problem.m * case.problem.n for case in smoke) >= 1_000_000


def test_every_kind_of_check_is_made(smoke: list[Case]) -> None:
    kinds = {case.check for case in smoke}
    assert kinds == NUMERIC
    assert any(case.problem.param("via") == "operator" for case in smoke)


@pytest.mark.parametrize("tier", ["smoke", "standard"])
def test_tiers_keep_to_their_budget_and_use_it(tier: str) -> None:
    spent = sum(
        cost(
            case.problem,
            "cpu",
            referenced=case.check != "projection",
            calls=REPEATS if case.check == "repeat" else 1,
        )
        for case in plan(tier)
    )
    assert spent <= budget_of("matmul", tier)
    if tier != "smoke":
        assert spent >= 0.9 * budget_of("matmul", tier)


def test_larger_tiers_hold_the_smaller_ones_corners(smoke: list[Case]) -> None:
    assert {str(case) for case in smoke} <= {str(case) for case in plan("standard")}


@pytest.mark.parametrize("backend", ["cpu", "cuda", "metal"])
def test_speed_has_gemm_gemv_and_batches_for_each_dtype_and_setting(backend: str) -> None:
    dtypes = backend_dtypes(backend)
    for tier in TIERS:
        cases = speed_cases("matmul", backend, dtypes, tier, BOTH)
        assert len({str(case) for case in cases}) == len(cases)
        for dtype, setting in product(dtypes, BOTH):
            mine = [c.problem for c in cases if c.problem.dtype == dtype and c.setting == setting]
            assert any(1 in {problem.m, problem.n} for problem in mine)
            assert any(problem.batch for problem in mine)
            assert any(min(problem.m, problem.n) > 1 and not problem.batch for problem in mine)


def test_many_settings_are_run_a_few_at_a_time() -> None:
    every = tuple(
        Setting(mode, arch) for arch in ("applegpu_g13g", "applegpu_g16s") for mode in ("on", "off")
    )
    cases = numeric_cases(
        "matmul", "metal", backend_dtypes("metal"), tier="smoke", seed=0, settings=every
    )
    half = len(cases) // 2
    assert {case.setting for case in cases[:half]} == set(every[:2])
    assert {case.setting for case in cases[half:]} == set(every[2:])
