"""A sweep is told with sizes, routes and factors, and its lines are JSON."""

from __future__ import annotations

import json

from pytest_applegpu.survey.sweep_text import cliff_lines, cliff_text, sweep_lines, sweep_text
from pytest_applegpu.throughput.cliffs import Cliff, Point

POINTS = [Point(n, 1e-3, 0.9e-3, 1.1e-3, "gemm", 10**9, 10**6) for n in range(1, 101)]
FALL = Cliff("larger is faster", (34, 35), ("splitk", "nax"), 1.75, 1.6, 1.9)
RUN = Cliff("slower than dense", (96, 128), ("", ""), 1.8, 1.7, 1.9, 130)


def test_a_cliff_in_words() -> None:
    said = "larger is faster: M = 34 and 35: 1.75 times (1.6 to 1.9); splitk against nax"
    assert cliff_text("m", FALL) == said
    said = "slower than dense: M = 96 to 130, most at 128: 1.8 times (1.7 to 1.9)"
    assert cliff_text("m", RUN) == said


def test_a_long_table_keeps_the_sizes_beside_cliffs() -> None:
    text = sweep_text("matmul", "m", POINTS, [FALL])
    first = [line.split()[0] for line in text.splitlines()[2:]]
    assert {"1", "34", "35", "100"} <= set(first)
    assert len(first) < len(POINTS) / 2
    assert "1 ms" in text
    assert "a cliff shows from a factor of 1.28 on" in text
    assert "gemm" in text


def test_no_cliffs_is_said() -> None:
    assert "no cliffs" in sweep_text("matmul", "m", POINTS[:3], [])


def test_lines_are_json() -> None:
    lines = [*sweep_lines("matmul", "m", POINTS[:1]), *cliff_lines("matmul", "m", [FALL])]
    back = [json.loads(json.dumps(one)) for one in lines]
    assert back[0]["tflops"] == 1.0
    assert (back[1]["kind"], back[1]["sizes"]) == ("larger is faster", [34, 35])
