"""A failed test shows the map of its errors beside its twelve lines, and the log holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Suites

CASE = "matmul-f32-nn-65x129x33 fill=integer tf32=on"
VECTOR = "matmul-f32-nn-1x{}x64 a=vec fill=integer check=repeat tf32=on"

DRAWN = ["* error map *", "the matrix, 65 x 129", "* 0 |....*....|", "*64 |####*####|"]


@pytest.mark.parametrize("words", [(), ("-n1",)])
def test_a_wrong_row_is_drawn(suites: Suites, words: tuple[str, ...]) -> None:
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", CASE, *words, fault="last_row")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the last row (64)", "matched: row 64: *", "rerun: *", *DRAWN])


def test_the_log_holds_the_map_and_what_fits(logged: Callable[..., list[dict[str, Any]]]) -> None:
    (record,) = logged("--applegpu-backend", "cpu", "--applegpu-case", CASE, fault="last_column")
    drawn = record["error"]["map"]
    assert (drawn["rows"], drawn["cols"], drawn["batch"]) == (65, 129, [])
    assert drawn["cells"] == ["." * 32 + "#"] * 9
    (fitting,) = record["error"]["matched"]
    assert fitting.startswith("column 128: to the end from a multiple of 128 (")


def test_what_is_right_has_no_map(suites: Suites) -> None:
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", CASE, "-rA", fault="")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*error map*")


def test_an_unrepeatable_vector_is_told_as_a_matrix(
    logged: Callable[..., list[dict[str, Any]]],
) -> None:
    cases = [word for n in range(58, 64) for word in ("--applegpu-case", VECTOR.format(n))]
    records = logged("--applegpu-backend", "cpu", *cases, fault="one_call_in_forty")
    found = [record["error"] for record in records if record["verdict"] == "over"]
    assert {error["pattern"] for error in found} == {"one element at (0, 0)"}
    assert {error["map"]["cells"][0][:2] for error in found} == {"#."}
