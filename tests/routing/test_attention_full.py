"""Full kernels: tiles, the accelerators, masks, padding, large head dimensions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_applegpu.routing.attention.full import FullKernel
from tests.routing.attending import NAX, call_of, kernels, launches, sized, target, written

G = target()
LONG = {"L": 2048, "S": 2048, "mask": "causal"}
HALF_OFF = replace(NAX, tf32=False)


def test_a_threadgroup_takes_rows_of_one_head() -> None:
    (launch,) = launches(G, L=33, S=100, batch=2)
    assert launch.kernel == "steel_attention_float16_bq32_bk32_bd64_bv64_wm4_wn1_maskfloat16"
    assert launch.suffix == "_align_Q_n_align_K_n_has_mask_n_do_causal_n_has_sinks_n"
    assert (launch.grid, launch.group) == ((2, 8, 2), (32, 4, 1))
    assert (launch.label, launch.staged) == ("attn", 2 * (32 * (64 + 8) + 64 * (32 + 8)))


def test_the_name_says_the_values_since_0_32_3() -> None:
    (name,) = kernels(target(version="0.32.2"), L=9)
    assert name == "steel_attention_float16_bq32_bk32_bd64_wm4_wn1_maskfloat16"


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"D": 128}, "_bq32_bk16_bd128_bv128_"),
        ({"D": 96}, "_bq32_bk32_bd96_bv96_"),
        ({"D": 96, "DV": 64}, "_bq32_bk32_bd96_bv64_"),
        ({"mask": "bool"}, "_maskbool_"),
        ({"mask": "float", "dtype": "bfloat16"}, "_maskbfloat16"),
    ],
)
def test_tile_and_mask_stand_in_the_name(changes: dict[str, object], part: str) -> None:
    assert part in kernels(G, L=9, **changes)[0]


def test_flags_of_masks_and_sinks() -> None:
    (causal,) = launches(G, L=64, S=64, mask="causal", sinks=True)
    assert causal.suffix == "_align_Q_t_align_K_t_has_mask_n_do_causal_t_has_sinks_t"
    (array,) = launches(G, L=64, S=64, mask="bool")
    assert array.suffix == "_align_Q_t_align_K_t_has_mask_t_do_causal_n_has_sinks_n"


@pytest.mark.parametrize(
    ("version", "changes", "nax"),
    [
        ("0.30.0", {}, True),
        ("0.29.3", {}, False),
        ("0.31.2", {"D": 80}, False),
        ("0.32.1", {"D": 72}, False),
        ("0.32.1", {"D": 96}, True),
        ("0.32.4", {"D": 96, "DV": 64}, True),
    ],
)
def test_the_accelerators_take_64_rows(
    version: str, changes: dict[str, object], *, nax: bool
) -> None:
    (launch,) = launches(replace(NAX, version=version), L=65, **changes)
    assert launch.kernel.startswith(f"steel_attention_float16_bq{64 if nax else 32}_")
    assert (launch.label, launch.grid[0]) == (("attn_nax", 2) if nax else ("attn", 3))
    assert (launch.staged == 0) == nax


def test_float32_needs_tf32_for_the_accelerators() -> None:
    assert "_bq64_" in kernels(NAX, L=9, dtype="float32")[0]
    assert "_bq32_" in kernels(HALF_OFF, L=9, dtype="float32")[0]
    assert "_bq64_" in kernels(HALF_OFF, L=9)[0]


@pytest.mark.parametrize(
    ("version", "changes", "fused"),
    [
        ("0.32.4", {"L": 129, "mask": "causal"}, False),
        ("0.32.4", {"L": 129, "mask": "bool"}, True),
        ("0.31.2", {"L": 9, "D": 96}, False),
        ("0.32.1", {"L": 9, "D": 96}, True),
        ("0.32.2", {"L": 9, "D": 96, "DV": 64}, False),
        ("0.32.4", {"L": 9, "D": 192}, False),
        ("0.32.4", {"L": 9, "D": 192, "DV": 128}, False),
    ],
)
def test_head_dimensions_and_masks_that_fit(
    version: str, changes: dict[str, object], *, fused: bool
) -> None:
    names = kernels(target(version=version), **changes)
    assert any(name.startswith("steel_attention") for name in names) == fused


@pytest.mark.parametrize(
    ("version", "changes", "fused"),
    [
        ("0.32.1", LONG, False),
        ("0.32.2", LONG, True),
        ("0.32.2", LONG | {"L": 1023}, False),
        ("0.32.2", LONG | {"mask": "bool"}, False),
        ("0.32.3", LONG | {"mask": "bool", "S": 9}, True),
        ("0.32.3", LONG | {"mask": ""}, False),
        ("0.32.3", LONG | {"DV": 128}, False),
    ],
)
def test_head_dimension_256_on_the_accelerators(
    version: str, changes: dict[str, object], *, fused: bool
) -> None:
    names = kernels(replace(NAX, version=version), **({"D": 256} | changes))
    split = [name for name in names if "_dsplit_" in name]
    assert bool(split) == fused
    assert not fused or "_bq64_bk32_bd256_" in split[0]


@pytest.mark.parametrize(
    ("version", "changes", "fused"),
    [
        ("0.32.2", {}, False),
        ("0.32.3", {}, True),
        ("0.32.3", {"S": 2049}, False),
        ("0.32.3", {"L": 2047, "S": 2047}, False),
        ("0.32.3", {"dtype": "float32"}, False),
        ("0.32.3", {"mask": ""}, False),
    ],
)
def test_head_dimension_256_without_accelerators(
    version: str, changes: dict[str, object], *, fused: bool
) -> None:
    names = kernels(target(version=version), **(LONG | {"D": 256} | changes))
    assert any("_bq32_bk16_bd256_bv256_wm4_wn2" in name for name in names) == fused


def test_an_ultra_takes_32_keys_of_head_dimension_256() -> None:
    (launch,) = launches(target("applegpu_g15d"), D=256, **LONG)
    assert "_bq32_bk32_bd256_bv256_wm4_wn2_" in launch.kernel
    assert (launch.group, launch.staged) == ((32, 4, 2), None)


@pytest.mark.parametrize(
    ("changes", "fused"),
    [
        ({"heads": 16}, True),
        ({"heads": 15, "key_heads": 15}, False),
        ({"heads": 32, "L": 1023}, False),
        ({"heads": 16, "mask": "bool"}, False),
        ({"heads": 16, "sinks": True}, True),
        ({"heads": 8, "batch": 2}, True),
    ],
)
def test_head_dimension_512_needs_a_busy_machine(
    changes: dict[str, object], *, fused: bool
) -> None:
    names = kernels(NAX, **(LONG | {"D": 512} | changes))
    named = "steel_attention_dsplit_float16_bq32_bk32_bd512_bv512_wm2_wn4_maskfloat16"
    assert (names == [named]) == fused


def test_short_head_dimensions_are_padded_for_the_accelerators() -> None:
    made = launches(NAX, L=512, S=600, D=80)
    assert [one.role for one in made] == ["copy"] * 6 + ["attention", "copy"]
    assert [one.kernel for one in made[:2]] == ["sn_copyfloat16float16", "gg2_copyfloat16float16"]
    assert made[0].grid == (8 * 512 * 96 // 4, 1, 1)
    assert "_bq64_bk32_bd96_bv96_" in made[6].kernel
    assert made[7].kernel == "gg3_copyfloat16float16"
    assert made[7].grid == (80, 512, 8)


@pytest.mark.parametrize(
    ("version", "changes"),
    [
        ("0.32.2", {}),
        ("0.32.4", {"L": 511}),
        ("0.32.4", {"S": 511}),
        ("0.32.4", {"mask": "causal"}),
        ("0.32.4", {"sinks": True}),
        ("0.32.4", {"dtype": "float32"}),
    ],
)
def test_only_long_plain_half_precision_is_padded(version: str, changes: dict[str, object]) -> None:
    names = kernels(replace(NAX, version=version), **({"L": 512, "S": 600, "D": 72} | changes))
    assert len(names) == 1
    assert "_bq32_bk32_bd72_" in names[0]


def test_operands_are_copied_only_for_gaps_in_the_head_dimension() -> None:
    call = call_of(sized(L=9))
    rows = replace(call.k, strides=(*(2 * s for s in call.k.strides[:3]), 1))
    assert len(written(replace(call, k=rows), G).launches) == 1
    gaps = replace(call.k, strides=tuple(2 * s for s in call.k.strides))
    assert [x.role for x in written(replace(call, k=gaps), G).launches] == ["copy", "attention"]


def test_a_mask_for_one_key_is_copied() -> None:
    roles = [one.role for one in launches(G, L=9, S=1, mask="bool")]
    assert roles == ["copy", "attention"]


def test_the_tile_is_rows_by_keys_over_the_head_dimension() -> None:
    tile = FullKernel(32, 16, 128, 128).tile
    assert (tile.bm, tile.bn, tile.bk, tile.simdgroups) == (32, 16, 128, 4)
