"""Attention without a fused kernel: order of launches, masks, head groups, sinks."""

from __future__ import annotations

from dataclasses import replace

from tests.routing.attending import (
    call_of,
    heads_last,
    kernels,
    launches,
    sized,
    target,
    written,
)

OLD = target("applegpu_g16g", "0.31.2")


def test_scale_scores_softmax_and_values_in_this_order() -> None:
    made = launches(OLD, L=9, D=100)
    assert [one.role for one in made] == ["elementwise", "matmul", "softmax", "matmul"]
    assert made[0].kernel == "sv_Multiplyfloat16"
    assert made[1].kernel.startswith("steel_gemm_fused_nt_")
    assert made[3].kernel.startswith("steel_gemm_fused_nn_")


def test_the_causal_mask_is_made_first() -> None:
    made = launches(OLD, L=9, D=100, mask="causal")
    assert [one.kernel for one in made[:4]] == [
        "arangeint32",
        "arangeint32",
        "g2_GreaterEqualint32",
        "sv_Multiplyfloat16",
    ]
    assert [one.grid[0] for one in made[:2]] == [9, 128]
    assert made[5].kernel == "g2_Selectfloat16"
    assert made[5].grid == (9 * 128, 8, 1)


def test_places_of_one_row_or_one_key_are_compared_as_a_scalar() -> None:
    assert kernels(OLD, D=100, mask="causal")[2] == "sv_GreaterEqualint32"
    assert kernels(OLD, D=100, L=9, S=1, mask="causal")[2] == "vs_GreaterEqualint32"
    assert kernels(OLD, D=100, S=1, mask="causal")[2] == "ss_GreaterEqualint32"


def test_one_head_selects_without_strides() -> None:
    names = kernels(OLD, L=9, D=100, heads=1, key_heads=1, mask="causal")
    assert names[5] == "vs_Selectfloat16"


def test_an_array_mask_is_selected_by_or_added() -> None:
    assert kernels(OLD, L=9, D=100, mask="bool")[2] == "g2_Selectfloat16"
    assert kernels(OLD, L=9, D=100, mask="float")[2] == "g2_Addfloat16"


def test_head_groups_share_keys_by_a_stride_of_zero() -> None:
    scores = launches(OLD, L=9, D=100, key_heads=2)[1]
    assert scores.suffix.startswith("_has_batch_t")
    assert scores.grid[2] == 8


def test_queries_with_heads_beside_each_other_are_scaled_as_they_lie() -> None:
    call = call_of(sized(L=9, D=100, key_heads=2))
    tape = written(replace(call, q=heads_last(call.q)), OLD)
    assert tape.launches[0].kernel == "sv_Multiplyfloat16"
    assert [one.role for one in tape.launches] == ["elementwise", "matmul", "softmax", "matmul"]


def test_sinks_are_a_column_before_the_scores() -> None:
    made = launches(OLD, L=9, D=100, sinks=True)
    roles = [one.role for one in made]
    assert roles == ["elementwise", "matmul", "copy", "copy", "softmax", "matmul"]
    assert [one.kernel for one in made[2:4]] == ["gg2_copyfloat16float16"] * 2
    assert [one.grid for one in made[2:4]] == [(9, 8, 1), (128, 72, 1)]
    assert made[4].grid == (72 * 64, 1, 1)
    assert made[5].params["lda"] == 129


def test_the_row_of_one_query_beside_sinks_is_copied() -> None:
    roles = [one.role for one in launches(OLD, D=100, sinks=True, key_heads=2)]
    assert roles == ["elementwise", "matmul", "copy", "copy", "softmax", "copy", "matmul"]


def test_without_keys_no_softmax_is_launched() -> None:
    roles = [one.role for one in launches(OLD, L=9, S=0, mask="bool")]
    assert "softmax" not in roles
    assert "arangeint32" not in kernels(OLD, L=0, S=0, D=100, mask="causal")
