"""Has every known label its cases, and is one without them seen?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.corners.routed import routed_lines
from pytest_applegpu.cases.corners.table import corners
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.device.arch import architectures
from pytest_applegpu.routing.labels import labels_apart, labels_of
from pytest_applegpu.routing.problem_calls import CALLS
from pytest_applegpu.routing.problems import predict, why_unknown
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting
from pytest_applegpu.survey import coverage
from pytest_applegpu.survey.coverage import REPRESENTATIVES, Covered, coverage_table, covered

SETTINGS = (Setting("on"), Setting("off"))


def few(op: str, *_: object, **__: object) -> list[Case]:
    """Plan the corner cases of attention in one format in place of a whole tier."""
    if op != "sdpa":
        return []
    (half,) = (one for one in backend_dtypes("metal") if one.name == "float16")
    return [Case(*planned, SETTINGS[0]) for planned in corners("sdpa", (half,))]


@cache
def rows(archs: tuple[str, ...] = ("applegpu_g17s",)) -> tuple[Covered, ...]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(coverage, "numeric_cases", few)
        return tuple(covered(archs, "0.32.4", "smoke"))


def by_path(op: str) -> dict[str, Covered]:
    return {one.path: one for one in rows() if one.op == op}


def test_known_labels_stand_there_without_a_case_too() -> None:
    assert {(one.op, one.path) for one in rows() if one.known} == labels_of("0.32.4")
    gemm = by_path("matmul")["gemm"]
    assert (gemm.cases, gemm.short) == (set(), True)


def test_cases_are_counted_once_whatever_takes_them() -> None:
    alone = {one.path: len(one.cases) for one in rows() if one.op == "sdpa"}
    both = {one.path: one for one in rows(("applegpu_g17s", "applegpu_g18g")) if one.op == "sdpa"}
    assert alone["attn_nax"] == len(both["attn_nax"].cases) > 20
    assert list(both["attn_nax"].archs) == ["applegpu_g17s", "applegpu_g18g"]
    assert not both["attn_nax"].short
    assert both["attn_nax"].example in both["attn_nax"].cases


def test_the_table_marks_what_is_short_and_names_it() -> None:
    said = coverage_table(rows())
    assert "fewer than 3 cases: addmm gemm, addmm gemm_nax" in said
    assert "! 0" in said
    assert " of 82 labels have 3 cases or more" in said


def test_what_is_apart_is_not_short() -> None:
    (reason,) = labels_apart().values()
    refused = Covered("matmul", "error", known=True)
    assert not refused.short
    assert f"none: {reason}" in coverage_table([refused])


def test_predicted_labels_of_no_recording_are_counted_alone() -> None:
    other = Covered("sdpa", "copy+softmax", known=False)
    assert not other.short
    assert coverage_table([other]).endswith("1 further paths are predicted, but in no recording")


def test_representatives_are_of_the_chip_table() -> None:
    assert {*REPRESENTATIVES} <= {*architectures()}


def taken(version: str) -> Iterator[tuple[str, str]]:
    """Paths that the cases for rare routes take on any representative."""
    for op in CALLS:
        texts = [f"{op}-{short}-{line}" for short in ("f32", "f16") for line in routed_lines(op)]
        for case in (one for text in texts for one in coverage_cases(text)):
            for arch in REPRESENTATIVES:
                if not why_unknown(case.problem):
                    yield op, predict(case.problem, Gpu(arch), case.setting, version).path


def coverage_cases(text: str) -> list[Case]:

    return parse_cases(text, SETTINGS)


RARE = {
    ("matmul", "copy+dot+reduce+copy"),
    ("matmul", "copy+gemv_wide"),
    ("matmul", "copy+splitk_nax"),
    ("addmm", "gemv_wide"),
    ("gather_mm", "copy+gather_rhs_nax"),
    ("gather_qmm", "gather_qmm_rhs_nax_nn"),
    ("gather_qmm", "gather_qmm_rhs_nn"),
    ("gather_qmm", "gather_qmv_fast"),
    ("quantized_matmul", "qmm_t"),
    ("quantized_matmul", "qmm_t_nax"),
    ("qqmm", "quantize+quantize_dequantize+qmv_fast"),
    ("qqmm", "quantize+quantize_dequantize+qmv_wide"),
    ("sdpa", "copy+attn_nax+copy"),
    ("sdpa", "elementwise+gemv_wide+softmax+gemm"),
    ("sdpa", "elementwise+gemv+elementwise+softmax+gemv_t"),
}


def test_cases_for_rare_routes_take_them() -> None:
    assert {*taken("0.32.4")} >= RARE
    assert ("gather_qmm", "copy+gather_qmm_rhs_nn") in {*taken("0.29.3")}
