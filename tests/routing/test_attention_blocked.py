"""Attention in blocks of query rows: when, which blocks, what is launched for each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_applegpu.routing.attention.blocked import Block, blocks, in_blocks
from tests.routing.attending import CALL, NAX, call_of, launches, sized, target, written

G = target()
LONG = {"D": 512, "L": 1025, "S": 1100, "mask": "causal"}


def test_a_block_sees_keys_up_to_its_last_row() -> None:
    made = list(blocks(600, 700))
    assert made == [Block(256, 356), Block(256, 612), Block(88, 700)]


@pytest.mark.parametrize(
    ("changes", "fits"),
    [
        ({}, True),
        ({"L": 1023}, False),
        ({"L": 1101}, False),
        ({"dtype": "float32"}, False),
        ({"sinks": True}, False),
        ({"mask": "bool"}, False),
        ({"D": 256}, False),
    ],
)
def test_long_causal_half_precision_runs_in_blocks(
    changes: dict[str, object], *, fits: bool
) -> None:
    size = sized(**(LONG | changes))
    assert in_blocks(size, G) == fits
    assert not in_blocks(size, NAX)


def test_blocks_are_for_head_dimension_512() -> None:
    assert not in_blocks(CALL, G)


def test_each_block_is_scaled_multiplied_masked_and_copied() -> None:
    made = launches(G, **LONG)
    assert len(made) == 5 * 6
    scale, scores, mask, weights, values, copy = made[:6]
    assert scale.kernel == "sdpa_blocked_scale_copy_float16"
    assert scale.grid == (512, 256, 8)
    assert scores.kernel.startswith("steel_gemm_fused_nt_")
    assert mask.kernel == "sdpa_blocked_causal_mask_float16"
    assert mask.grid == (256, 8 * 256, 1)
    assert weights.kernel == "block_softmax_precise_float16"
    assert weights.grid[0] == 8 * 256 * weights.group[0]
    assert values.kernel.startswith("steel_gemm_fused_nn_")
    assert copy.kernel.startswith("gg")


def test_heads_of_a_group_are_rows_and_a_single_row_is_tiled_too() -> None:
    made = launches(G, **(LONG | {"heads": 16}))
    assert made[1].grid == (-(-331 // 32), 2 * 256 // 64, 8)
    assert made[1].suffix.startswith("_has_batch_t")
    last = launches(G, **LONG)[-5]
    assert last.kernel.startswith("steel_gemm_fused_nt_")
    assert last.grid[1] == 1


def test_one_key_head_may_cut_the_head_dimension() -> None:
    made = launches(G, **(LONG | {"heads": 1, "key_heads": 1, "L": 1024, "S": 1024}))
    assert made[1].kernel.startswith("steel_gemm_splitk_nt_")


def test_the_route_is_marked_since_0_32_4() -> None:
    call = call_of(sized(**LONG))
    assert written(call, G).unfused == "BLOCKED_D512"
    assert written(call, replace(G, version="0.32.3")).unfused is None
    assert written(call, replace(G, version="0.32.3")).launches[0].kernel == "arangeint32"
