"""Both sides of every routing boundary are cases, and they do lie on either side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_applegpu.cases.boundaries import AXES, Boundary, boundaries, paths, sampled, signature
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.cases.spaces import SPACES, STACK
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
    for op in SPACES:
        assert not any("nax" in path for path in paths(op, "float16", older))
    assert {"gemm_nax", "splitk_nax", "thin_nax"} <= paths("matmul", "float16", M5_MAX[0])


def test_paths_depend_on_the_operation() -> None:
    assert paths("segmented_mm", "float16", M5_MAX[0]) == {"segmented_nax"}
    assert {"qvm", "qmv_quad", "qmm_t_splitk", "qmm_n_nax"} <= paths(
        "quantized_matmul", "float16", M5_MAX[0]
    )
    assert paths("segmented_mm", "complex64", M5_MAX[0]) == set()


OTHERS = [op for op in SPACES if op != "matmul"]


@pytest.mark.parametrize("op", OTHERS)
def test_boundaries_of_other_operations_are_straddled(op: str) -> None:
    found = boundaries(op, HALF, M5_MAX)
    assert len(found) > 4
    assert [one for one in found if not steps_over(one)] == []


def steps_over(one: Boundary) -> bool:
    """Whether a boundary's problems differ along its axis alone, by the least step there is."""
    low, high = picked_sizes(one.below), picked_sizes(one.above)
    group = int(one.below.param("group")) if "group" in one.below.form.params else 1
    grown = {name: b - a for name, a, b in zip(AXES, low, high, strict=True) if a != b}
    apart = signature(route(one.below, M5_MAX[0])) != signature(route(one.above, M5_MAX[0]))
    return apart and list(grown) == [one.axis] and least(one, grown[one.axis], group)


def picked_sizes(problem: Problem) -> tuple[int, int, int, int]:
    count = problem.batch_a[0] if problem.batch_a else 1
    return problem.m, problem.n, problem.k, count


def least(one: Boundary, step: int, group: int) -> bool:
    """Whether nothing lies between: packed weights come in groups of 16, 32 or 64."""
    packed_axis = "k" if one.below.transpose[1] == "t" else "n"
    if "group" not in one.below.form.params or one.axis != packed_axis:
        return step == 1
    return step == (group or {"affine": 64, "nvfp4": 16}.get(one.below.param("mode"), 32))


@pytest.mark.parametrize(
    ("text", "axis", "size", "paths_on_both_sides"),
    [
        ("quantized_matmul-f16-nt-32x512x512", "m", 33, ("qmv_wide", "qmm_t_splitk")),
        ("quantized_matmul-f16-nn-3x512x512", "m", 4, ("qvm", "qmm_n_nax")),
        ("quantized_matmul-f16-nn-1x512x1023", "k", 1024, ("qvm", "qvm_split_k+reduce")),
        ("quantized_matmul-f16-nt-96x2112x512", "m", 97, ("qmm_t_splitk", "qmm_t_nax")),
        ("gather_qmm-f16-nt-1x512x512", "batch", 16, ("gather_qmv_fast", "gather_qmm_rhs_nax_nt")),
        ("gather_mm-f16-nt-1x512x96", "batch", 100, ("gather_rhs_nax", "gather_rhs_nax")),
        ("block_masked_mm-f16-nn-1x512x512", "m", 2, ("masked_gemv_t", "masked_gemm")),
        ("addmm-f16-nt-15x48x96", "m", 16, ("gemv_wide", "thin_nax")),
    ],
)
def test_edges_of_other_operations_that_are_documented(
    text: str, axis: str, size: int, paths_on_both_sides: tuple[str, str]
) -> None:
    op = text.partition("-")[0]
    place = AXES.index(axis)
    assert (size, paths_on_both_sides) in {
        (picked_sizes(one.above)[place], one.paths)
        for one in boundaries(op, HALF, M5_MAX)
        if one.axis == axis
    }


def test_picks_come_from_a_stack() -> None:
    for one in boundaries("gather_qmm", HALF, M5_MAX):
        assert one.above.batch_b == (STACK,)


def test_an_operation_without_the_format_has_none() -> None:
    assert boundaries("gather_mm", DTYPES["complex64"], M5_MAX) == []


def test_an_operation_whose_dispatch_is_not_known_has_none() -> None:
    assert boundaries("conv_general", HALF, M5_MAX) == []


def test_only_float32_asks_for_tf32() -> None:
    for op in SPACES:
        assert boundaries(op, HALF, M5_MAX) == boundaries(op, HALF, M5_MAX[:1])
    both, one = (len(boundaries("matmul", DTYPES["float32"], t)) for t in (M5_MAX, M5_MAX[:1]))
    assert both > one
