"""One route as a table."""

from __future__ import annotations

import re

from pytest_applegpu.survey.asked import Whom, asked_words
from pytest_applegpu.survey.table import route_lines, route_table

M5_MAX = Whom("applegpu_g17s", "0.31.2")


def table(words: str, cores: tuple[int, ...] = (32, 40), whom: Whom = M5_MAX) -> str:
    """Return the table of a case."""
    asked = asked_words([words], whom)
    return route_table(asked, asked.route, cores)


def test_every_launch_has_a_row_with_its_figures() -> None:
    said = table("matmul-f16-nt-128x100x4096")
    first, second = re.findall(r"^ ?\d  +(?:matmul|accumulate) .*$", said, re.MULTILINE)
    cells = ["1", "matmul", "8x1x1", "32x2x2", "64x64x256", "4", "32x32", "0", "2", "none", "8"]
    assert first.split() == [*cells, "0.25", "/", "0.2"]
    assert second.split()[:5] == ["2", "accumulate", "100x128x1", "threads", "32x32x1"]
    assert "(32 / 40)" in said


def test_the_heading_says_for_whom_and_how_it_is_known() -> None:
    said = table("matmul-f16-nt-128x100x4096")
    assert "on applegpu_g17s, NAX on, TF32 on, MLX 0.31.2 (recorded)" in said
    assert "path: splitk_nax" in said
    assert "predicted from MLX's dispatch rules; nothing was run" in said
    newer = table("matmul-f16-nt-128x100x4096", whom=Whom("applegpu_g17s", "9.9"))
    assert "MLX 9.9 (extrapolated" in newer


def test_kernels_are_named_whole_and_rules_with_their_values() -> None:
    said = table("matmul-f16-nt-128x100x4096")
    name = "steel_gemm_splitk_nax_nt_float16_float32_bm64_bn64_bk256_wm2_wn2"
    assert f"1  {name} + _align_M_t_align_N_n_align_K_t" in said
    assert re.search(r"because +NAX split-K: K >= 3\*max\(M,N\): 4096 >= 384", said)


def test_threadgroup_memory_of_simd_kernels_is_in_bytes() -> None:
    said = table("matmul-f16-nn-512x512x64", whom=Whom("applegpu_g16s", "0.32.4"))
    assert re.search(r"\d{4,5} B", said)


def test_without_cores_that_are_known_the_column_is_left_out() -> None:
    assert "per core" not in table("matmul-f16-nt-128x100x4096", ())


def test_what_mlx_raises_is_shown() -> None:
    said = table("matmul dtype=int32 a_shape=2x2 b_shape=2x2")
    assert "MLX raises: [matmul] Only inexact types are supported" in said


def test_nothing_launched_has_no_table() -> None:
    said = table("matmul-f16-nn-0x4x5")
    assert "path: none" in said
    assert "grid" not in said


def test_few_lines_a_case() -> None:
    asked = asked_words(["matmul-f16-nt-128x100x4096 tf32=off"], M5_MAX)
    head, first, second = route_lines(asked, asked.route).splitlines()
    assert head.endswith("(applegpu_g17s, MLX 0.31.2, TF32 off): splitk_nax")
    assert first.split()[0] == "matmul"
    assert second.endswith("100x128x1 threads of 32x32x1")
    refused = asked_words(["matmul-f64-nt-1x1x1"], M5_MAX)
    assert "MLX raises" in route_lines(refused, refused.route)


def test_cores_without_a_threadgroup_are_told() -> None:
    said = table("matmul-f16-nt-128x100x4096")
    assert "launch 1 leaves GPU cores idle: 8 threadgroups, 40 cores" in said
    assert "idle" not in table("matmul-f16-nn-4096x4096x4096")
    assert "idle" not in table("matmul-f16-nt-128x100x4096", ())
