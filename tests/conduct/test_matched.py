"""What a route does with a product is found again in where the errors lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.conduct.failures.beside import boundaries_beside
from pytest_applegpu.conduct.failures.matched import ALONE, matched
from pytest_applegpu.conduct.failures.pieces import pieces_of
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

M1 = Routes(Gpu("applegpu_g13g"), "0.32.4", here=True)
M3_MAX = Routes(Gpu("applegpu_g15s"), "0.32.4", here=True)
M5_MAX = Routes(Gpu("applegpu_g17s"), "0.32.4", here=True)
ELSEWHERE = Routes(Gpu("applegpu_g17s"), "0.32.4", here=False)

WIDE = "matmul-f32-nn-256x262x96"
"""On an M1: 64 x 64 tiles, 16 of K a step, 2 x 2 SIMD-groups; 6 columns are left for the last."""


def fits(
    text: str, *places: Any, routes: Routes = M1, lost: tuple[int, int] | None = None
) -> tuple[str, ...]:
    """Return what errors at `places` of the result are matched to, but for the dispatch."""
    problem = parse_problem(text)
    wrong = np.zeros((*problem.batch, problem.m, problem.n), bool)
    for place in places:
        wrong[place] = True
    finding = Finding("over", lost=lost)
    found = matched(finding.located(wrong), problem, Setting("off"), routes)
    return tuple(one for one in found if "boundary of the dispatch" not in one)


def test_the_route_is_cut_as_its_kernel_says() -> None:
    problem = parse_problem(WIDE)
    route = M1.taken(problem, Setting("off"))
    assert route is not None
    assert "bm64_bn64_bk16_wm2_wn2" in route.kernels[0]
    pieces = pieces_of(route, problem)
    assert pieces is not None
    assert pieces.rows is not None
    assert (pieces.rows.size, pieces.rows.groups, pieces.step) == (64, 2, 16)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (
            [np.s_[:, 256:]],
            "columns 256 to 261: the last, partial tile of BN = 64 (6 columns)",
        ),
        (
            [np.s_[:, 260:]],
            "columns 260 to 261: within the last, partial tile of BN = 64 (6 columns)",
        ),
        ([np.s_[64:128]], "rows 64 to 127: row tile 1 of BM = 64"),
        ([np.s_[128:]], "rows 128 to 255: row tiles 2 to 3 of BM = 64"),
        ([np.s_[:, 64:192]], "columns 64 to 191: column tiles 1 to 2 of BN = 64"),
        ([np.s_[72:80]], "rows 72 to 79: one line of 8 x 8 fragments in row tile 1 of BM = 64"),
        ([np.s_[:, 3::8]], "columns = 3 mod 8: the same column of every 8 x 8 fragment"),
        (
            [np.s_[r::16] for r in range(8, 16)],
            "rows = 8 to 15 mod 16: SIMD-group 1 of 2 in every tile of BM = 64",
        ),
        ([np.s_[5::64]], "rows = 5 mod 64: the same rows of every tile of BM = 64"),
        (
            [np.s_[64:128], np.s_[192:]],
            "rows = 64 to 127 mod 128: tile 1 of every 2 tiles of BM = 64",
        ),
    ],
)
def test_rows_and_columns_are_matched_to_tiles(places: list[Any], said: str) -> None:
    assert fits(WIDE, *places) == (said,)


def test_a_tile_is_matched_to_both_of_its_sides() -> None:
    assert fits(WIDE, np.s_[64:128, 128:192]) == (
        "rows 64 to 127: row tile 1 of BM = 64",
        "columns 128 to 191: column tile 2 of BN = 64",
    )


def test_several_tiles_are_told_to_be_the_kernels() -> None:
    assert fits(WIDE, np.s_[64:128, :64], np.s_[192:, 128:192]) == (
        "tiles of 64 x 64: the kernel's, BM = 64, BN = 64",
    )


def test_what_fits_no_tile_is_matched_to_none() -> None:
    assert fits(WIDE, np.s_[37:90]) == ()
    assert fits(WIDE, np.s_[:]) == ()
    assert fits(WIDE, (37, 41), (90, 3)) == ()


def test_simd_groups_of_the_accelerators_take_neighbours() -> None:
    text = "matmul-f16-nn-256x256x256"
    (said,) = fits(text, np.s_[96:128], routes=M5_MAX)
    assert said == "rows 96 to 127: SIMD-group 1 of 2 in row tile 1 of BM = 64"


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ((0, 512), "k = 0 to 511: partition 0 of 2 of split-K"),
        ((512, 1029), "k = 512 to 1028: partition 1 of 2 of split-K"),
        ((512, 600), "k = 512 to 599: begins at the boundary of partition 1 of split-K"),
        ((400, 512), "k = 400 to 511: ends at the boundary of partition 1 of split-K"),
        (
            (1024, 1029),
            "k = 1024 to 1028: the K tail, 5 of K = 1029 that are less than a step of BK = 16",
        ),
        ((32, 48), "k = 32 to 47: step 2 of BK = 16"),
        ((33, 50), None),
    ],
)
def test_a_part_of_k_is_matched_to_steps_and_partitions(
    lost: tuple[int, int], said: str | None
) -> None:
    text = "matmul-f32-nn-192x192x1029"
    assert fits(text, np.s_[:], lost=lost) == ((said,) if said else ())


def test_a_batch_that_joined_the_rows_is_found_among_them() -> None:
    text = "matmul-f32-nn-64x256x96-b4:_"
    assert fits(text, np.s_[2]) == ("rows 128 to 191: row tile 2 of BM = 64",)
    assert fits(text, np.s_[1, :32]) == ()
    assert fits(text, np.s_[0], np.s_[3]) == ()


def test_a_vector_is_matched_to_the_outputs_of_a_threadgroup() -> None:
    (said,) = fits("matmul-f32-nt-1x100x512", np.s_[:, 96:])
    assert (
        said == "columns 96 to 99: the last, partial tile of a threadgroup's 16 outputs (4 columns)"
    )
    (said,) = fits("matmul-f16-nt-7x100x512", np.s_[4:], routes=M3_MAX)
    assert said == "rows 4 to 6: the last, partial tile of a pass's 4 rows (3 rows)"


@pytest.mark.parametrize(
    ("places", "lost", "said"),
    [
        (
            [np.s_[:, 256:]],
            None,
            f"columns 256 to 261: to the end from a multiple of 256 ({ALONE})",
        ),
        ([np.s_[:, 64:128]], None, f"columns 64 to 127: between multiples of 64 ({ALONE})"),
        ([np.s_[3::16]], None, f"rows = 3 mod 16: come back after 16 ({ALONE})"),
        ([np.s_[:]], (64, 96), f"k = 64 to 95: between multiples of 32 ({ALONE})"),
        ([np.s_[:]], (64, 101), f"k = 64 to 100: the K tail, K = 101 mod 64 ({ALONE})"),
        ([np.s_[:]], (16, 101), f"k = 16 to 100: to the end of K from a multiple of 16 ({ALONE})"),
        ([np.s_[37:90]], None, None),
        ([np.s_[:, 3::5]], None, None),
    ],
)
def test_without_a_route_only_powers_of_two_are_named(
    places: list[Any], lost: tuple[int, int] | None, said: str | None
) -> None:
    text = "matmul-f32-nn-256x262x101"
    assert fits(text, *places, routes=ELSEWHERE, lost=lost) == ((said,) if said else ())


def test_a_boundary_of_the_dispatch_is_named_on_either_side() -> None:
    def beside(text: str, routes: Routes = M1) -> tuple[str, ...]:
        return boundaries_beside(parse_problem(text), Setting("off"), routes)

    assert beside("matmul-f32-nn-64x96x128") == (
        "K = 128 is just past a boundary of the dispatch: K = 127 takes gemm, not splitk",
    )
    assert beside("matmul-f32-nn-64x96x127") == (
        "K = 127 is just before a boundary of the dispatch: K = 128 takes splitk, not gemm",
    )
    assert beside("matmul-f32-nn-60x90x300") == ()
    assert beside("matmul-f32-nn-64x96x128", ELSEWHERE) == ()


def test_another_number_of_partitions_is_named() -> None:
    problem = parse_problem("matmul-f16-nn-256x256x8193")
    (said,) = (
        one for one in boundaries_beside(problem, Setting("off"), M5_MAX) if one.startswith("K")
    )
    assert said == (
        "K = 8193 is just past a boundary of the dispatch: K = 8192 cuts K into 2, not 3"
    )


def test_sizes_that_a_layout_forbids_are_no_neighbours() -> None:
    problem = parse_problem("matmul-f32-nn-1x512x64 a=vec")
    assert not [one for one in boundaries_beside(problem, Setting("off"), M1) if one[0] == "M"]


@given(
    st.sampled_from(["nn", "nt", "tn"]),
    *(st.integers(1, 80) for _ in range(6)),
    st.sampled_from([M1, M3_MAX, M5_MAX, ELSEWHERE]),
)
def test_whatever_is_wrong_is_matched_to_something_or_nothing(
    transpose: str, m: int, n: int, k: int, rows: int, cols: int, lost: int, routes: Routes
) -> None:
    problem = parse_problem(f"matmul-f16-{transpose}-{m}x{n}x{k}")
    wrong = np.zeros((m, n), bool)
    wrong[min(rows, m) - 1 :, min(cols, n) - 1 :] = True
    finding = Finding("over", lost=(min(lost, k) - 1, k)).located(wrong)
    for one in matched(finding, problem, Setting(), routes):
        assert one.isascii()
        assert len(one) < 120
