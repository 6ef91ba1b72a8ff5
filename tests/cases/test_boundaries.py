"""Both sides of every routing boundary are cases, and they do lie on either side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_applegpu.cases.boundaries import AXES, Boundary, boundaries, paths, sampled, signature
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.problems import call_of_problem
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.setting import Setting

KNOWN = Path(__file__).with_name("boundaries.json")
"""Boundaries of an M5 Max under MLX 0.32.4, as `[axis, below, above]`, kept to be held against."""

M5_MAX = tuple(Gpu("applegpu_g17s").target(tf32=tf32, version="0.32.4") for tf32 in (True, False))
HALF = DTYPES["float16"]


def route(problem: Problem, target: Target) -> Route:
    return route_of(call_of_problem(problem), target)


def sizes(problem: Problem) -> tuple[int, int, int, int]:
    return problem.m, problem.n, problem.k, problem.batch[0] if problem.batch else 1


def straddles(axis: str, below: Problem, above: Problem) -> bool:
    """Whether the problems differ by one along `axis` alone, and some target tells them apart."""
    steps = [high - low for low, high in zip(sizes(below), sizes(above), strict=True)]
    apart = any(
        signature(route(below, target)) != signature(route(above, target)) for target in M5_MAX
    )
    return apart and steps == [int(axis == name) for name in AXES]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "complex64"])
def test_every_boundary_is_straddled(dtype: str) -> None:
    found = boundaries("matmul", DTYPES[dtype], M5_MAX)
    assert len(found) > 90
    assert [one for one in found if not straddles(one.axis, one.below, one.above)] == []


@pytest.mark.parametrize(("axis", "below", "above"), json.loads(KNOWN.read_text()))
def test_a_known_boundary_is_where_it_was(axis: str, below: str, above: str) -> None:
    # When this fails, a rule has changed: if it should, write the file anew (see its maker below).
    assert straddles(axis, parse_problem(below), parse_problem(above))


def test_no_known_boundary_is_lost() -> None:
    assert [[one.axis, str(one.below), str(one.above)] for one in known()] == json.loads(
        KNOWN.read_text()
    )


def known() -> list[Boundary]:
    """What `boundaries.json` holds: one of each kind for float16 and float32."""
    return [
        one
        for dtype in ("float16", "float32")
        for one in sampled(boundaries("matmul", DTYPES[dtype], M5_MAX))
    ]


@pytest.mark.parametrize(
    ("axis", "low", "high"),
    [
        ("n", ("thin_nax", 64), ("gemm_nax", 65)),
        ("m", ("gemv_wide", 15), ("thin_nax", 16)),
        ("m", ("gemv", 1), ("gemv_wide", 2)),
    ],
)
def test_edges_that_the_release_notes_name(
    axis: str, low: tuple[str, int], high: tuple[str, int]
) -> None:
    found = boundaries("matmul", HALF, M5_MAX)
    sides = {
        ((one.paths[0], getattr(one.below, axis)), (one.paths[1], getattr(one.above, axis)))
        for one in found
        if one.axis == axis
    }
    assert (low, high) in sides


def test_the_plan_has_both_sides() -> None:
    cases = numeric_cases(
        "matmul",
        "metal",
        backend_dtypes("metal"),
        tier="smoke",
        seed=0,
        settings=[Setting()],
        targets=M5_MAX,
    )
    planned = {str(case.problem) for case in cases}
    for one in sampled(boundaries("matmul", HALF, M5_MAX)):
        if one.above.flops < 1e9:
            assert {str(one.below), str(one.above)} <= planned


def test_without_targets_there_are_none() -> None:
    assert boundaries("matmul", HALF, ()) == []


def test_other_architectures_have_other_boundaries() -> None:
    older = [Gpu("applegpu_g13g").target(tf32=True, version="0.32.4")]
    texts = {(one.axis, str(one.below)) for one in boundaries("matmul", HALF, older)}
    assert not texts >= {(one.axis, str(one.below)) for one in boundaries("matmul", HALF, M5_MAX)}


def test_paths_of_a_gpu_without_nax_have_none() -> None:
    older = Gpu("applegpu_g13g").target(tf32=True, version="0.32.4")
    assert not any("nax" in path for path in paths(["float16", "float32"], older))
    assert {"gemm_nax", "splitk_nax", "thin_nax"} <= paths(["float16"], M5_MAX[0])
