"""A plane of sizes by path, its boundaries, and where names fit."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.survey.plane import PLANES, Plane, lattice
from pytest_applegpu.survey.regions import spots

TARGET = Gpu("applegpu_g17s").target(tf32=True, version="0.32.4")


@pytest.fixture(scope="module")
def mn() -> Plane:
    """The plane of M and N of an M5 Max, float16 nt."""
    return Plane(TARGET, "float16", "nt", PLANES["mn"], ("K", 4096), steps=8)


@pytest.fixture(scope="module")
def mk() -> Plane:
    """The plane of K and M of an M5 Max, float16 nt."""
    return Plane(TARGET, "float16", "nt", PLANES["mk"], ("N", 4096), steps=8)


def test_straight_boundaries_stand_at_the_rules_sizes(mn: Plane) -> None:
    assert mn.straight == ([2, 65, 1366], [2, 16, 65, 1366])


def test_each_straight_boundary_separates_two_paths(mn: Plane) -> None:
    rows, columns = mn.changes
    for size in mn.straight[0]:
        up = next(up for up, sizes in rows.items() if size in sizes)
        assert mn.path(size - 1, up) != mn.path(size, up)
    for size in mn.straight[1]:
        across = next(across for across, sizes in columns.items() if size in sizes)
        assert mn.path(across, size - 1) != mn.path(across, size)


def test_a_diagonal_boundary_has_its_slope(mk: Plane) -> None:
    assert [slope for slope, _, _ in mk.slopes] == [3]
    assert 12288 in mk.straight[1]


def test_a_grid_has_a_path_for_each_pair_of_sizes(mn: Plane) -> None:
    xs, ys, paths = mn.grid
    assert {2, 65, 1366} <= set(xs)
    assert [len(row) for row in paths] == [len(xs)] * len(ys)
    assert paths[ys.index(64)][xs.index(65)] == "thin_nax"
    assert paths[ys.index(65)][xs.index(65)] == "splitk_nax"


def test_k_does_not_alternate_by_what_divides_it(mk: Plane) -> None:
    xs, ys, paths = mk.grid
    column = [row[xs.index(8)] for y, row in zip(ys, paths, strict=True) if y >= 4]
    assert set(column) == {"gemv_wide"}


def test_sizes_looked_at_are_dense_and_aligned() -> None:
    found = lattice(1024, 16)
    assert (found[0], found[-1]) == (1, 1024)
    assert all(size < 4 or size % 4 == 0 for size in found)
    assert all(b / a <= 2 for a, b in pairwise(found))


def test_names_stand_inside_their_regions(mn: Plane) -> None:
    xs, ys, paths = mn.grid
    found = spots(xs, ys, paths)
    assert {spot.path for spot in found} >= {"gemm_nax", "splitk_nax", "thin_nax", "gemv"}
    for spot in found:
        x, y = round(2**spot.x), round(2**spot.y)
        assert mn.path(max(x, 1), max(y, 1)) == spot.path


@pytest.mark.parametrize("name", ["map.png", "map.svg"])
def test_a_picture_is_written(mn: Plane, tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    from pytest_applegpu.survey.picture import draw  # noqa: PLC0415 - after matplotlib is there

    draw(mn, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    assert data.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")
    assert len(data) < 150_000
