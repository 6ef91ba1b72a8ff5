"""The picture of a sweep has its routes, its products and its cliffs."""

from __future__ import annotations

from pathlib import Path

from pytest_applegpu.survey.sweep_picture import Drawn, draw_sweep
from pytest_applegpu.throughput.cliffs import Cliff, Point

POINTS = [
    Point(n, 1e-3, 0.9e-3, 1.1e-3, "gemv" if n < 5 else "gemm", n * 10**6, 10**6)
    for n in range(1, 9)
]
FALL = Cliff("larger is faster", (4, 5), ("gemv", "gemm"), 1.75, 1.6, 1.9)


def test_it_is_drawn_the_same_each_time(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one.svg", "two.svg")]
    for path in paths:
        draw_sweep([Drawn("matmul", POINTS, [FALL])], "m", "a GPU", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_cliff_is_drawn_on_top(tmp_path: Path) -> None:
    plain, marked = tmp_path / "plain.svg", tmp_path / "marked.svg"
    draw_sweep([Drawn("matmul", POINTS, [])], "m", "a GPU", plain)
    draw_sweep([Drawn("matmul", POINTS, [FALL])], "m", "a GPU", marked)
    assert plain.read_bytes() != marked.read_bytes()
