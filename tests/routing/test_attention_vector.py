"""Vector kernels: when they fit, one pass or two, blocks, copies, names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.attention.vector import key_blocks
from tests.routing.attending import (
    NAX,
    call_of,
    heads_last,
    kernels,
    launches,
    sized,
    target,
    written,
)

G = target()
S = target("applegpu_g16s")


def test_one_pass_has_a_threadgroup_for_each_row_of_each_head() -> None:
    (launch,) = launches(G, L=3, batch=2)
    assert launch.kernel == "sdpa_vector_float16_t_64_64"
    assert launch.suffix == "_nomask_qnt_nc_nosinks"
    assert (launch.grid, launch.group) == ((16, 3, 1), (1024, 1, 1))
    assert launch.label == "sdpa_vec"


@pytest.mark.parametrize(
    ("changes", "suffix"),
    [
        ({"L": 2, "mask": "causal"}, "_nomask_qnt_c_nosinks"),
        ({"L": 1, "mask": "causal"}, "_nomask_qnt_nc_nosinks"),
        ({"mask": "bool"}, "_boolmask_qnt_nc_nosinks"),
        ({"mask": "float", "sinks": True}, "_floatmask_qnt_nc_sinks"),
    ],
)
def test_function_constants_stand_in_the_suffix(changes: dict[str, object], suffix: str) -> None:
    assert launches(G, **changes)[0].suffix == suffix


@pytest.mark.parametrize(
    ("arch", "version", "changes", "passes"),
    [
        ("applegpu_g16s", "0.32.4", {"S": 1023}, 1),
        ("applegpu_g16s", "0.32.4", {"S": 1024}, 2),
        ("applegpu_g16s", "0.30.0", {"S": 1024}, 1),
        ("applegpu_g15d", "0.30.0", {"S": 1024}, 2),
        ("applegpu_g16g", "0.32.4", {"S": 65536}, 1),
        ("applegpu_g16g", "0.32.4", {"S": 4095, "key_heads": 4}, 1),
        ("applegpu_g16g", "0.32.4", {"S": 4096, "key_heads": 4}, 2),
        ("applegpu_g16c", "0.32.4", {"S": 1024}, 1),
    ],
)
def test_long_keys_take_two_passes(
    arch: str, version: str, changes: dict[str, object], passes: int
) -> None:
    assert len(kernels(target(arch, version), **changes)) == passes


def test_two_passes_cut_the_keys_into_tuned_blocks_since_0_30_6() -> None:
    first, second = launches(S, S=4096, key_heads=2, L=2)
    assert first.kernel == "sdpa_vector_2pass_1_float16_t_64_64"
    assert first.suffix == "_nomask_qnt_nc_nosinks_128"
    assert (first.grid, first.group) == ((2, 1, 128), (32, 4, 2))
    assert second.kernel == "sdpa_vector_2pass_2_float16_t_64"
    assert (second.grid, second.group, second.suffix) == ((8, 2, 1), (1024, 1, 1), "")


def test_two_passes_had_32_blocks_before() -> None:
    first, _ = launches(target("applegpu_g16s", "0.30.0"), S=4096, key_heads=2, L=2)
    assert (first.grid, first.group) == ((8, 2, 32), (256, 1, 1))
    assert first.suffix == "_nomask_qnt_nc_nosinks"


@pytest.mark.parametrize(
    ("letter", "keys", "rows", "blocks"),
    [
        ("g", 4096, 3, 32),
        ("g", 4096, 4, 64),
        ("s", 1024, 32, 64),
        ("s", 1025, 4, 64),
        ("s", 1025, 5, 128),
        ("s", 8193, 5, 256),
        ("s", 32769, 5, 512),
        ("s", 65537, 5, 1024),
        ("d", 8193, 2, 256),
        ("d", 8192, 2, 128),
        ("d", 16384, 3, 128),
        ("d", 16383, 6, 128),
        ("d", 16384, 6, 512),
        ("d", 65536, 6, 1024),
    ],
)
def test_blocks_by_letter_keys_and_rows(letter: str, keys: int, rows: int, blocks: int) -> None:
    assert key_blocks(letter, keys, rows) == blocks


@pytest.mark.parametrize(
    ("version", "changes", "part"),
    [
        ("0.32.2", {"D": 64, "heads": 8}, "1_gqa_float16_t"),
        ("0.32.3", {"D": 64, "heads": 8}, "1_gqa_8_float16_t"),
        ("0.32.1", {"D": 64, "heads": 8}, "1_float16_t"),
        ("0.32.3", {"D": 64, "heads": 12}, "1_float16_t"),
        ("0.32.3", {"D": 128, "heads": 12}, "1_gqa_12_float16_t"),
        ("0.32.2", {"D": 128, "heads": 16}, "1_float16_t"),
        ("0.32.3", {"D": 128, "heads": 8, "mask": "bool"}, "1_float16_t"),
        ("0.32.3", {"D": 128, "heads": 8, "mask": "causal"}, "1_gqa_8_float16_t"),
        ("0.32.3", {"D": 128, "heads": 8, "sinks": True}, "1_float16_t"),
        ("0.32.3", {"D": 128, "heads": 8, "L": 2}, "1_float16_t"),
        ("0.32.3", {"D": 128, "heads": 8, "S": 8191}, "1_float16_t"),
    ],
)
def test_some_head_groups_have_a_first_pass_of_their_own(
    version: str, changes: dict[str, object], part: str
) -> None:
    changes = {"S": 8192, "key_heads": 1} | changes
    first = kernels(target(version=version), **changes)[0]
    assert first.startswith(f"sdpa_vector_2pass_{part}")


@pytest.mark.parametrize(
    ("version", "changes", "fused"),
    [
        ("0.32.4", {"L": 4, "S": 3}, False),
        ("0.32.4", {"L": 8, "heads": 32, "key_heads": 8}, True),
        ("0.32.4", {"L": 7, "heads": 40, "key_heads": 8}, False),
        ("0.30.0", {"L": 8, "heads": 40, "key_heads": 8}, True),
        ("0.31.2", {"D": 192, "DV": 128}, False),
        ("0.32.1", {"D": 192, "DV": 128}, True),
        ("0.32.2", {"D": 96, "DV": 64}, False),
        ("0.32.3", {"D": 96, "DV": 64}, True),
        ("0.32.4", {"D": 192}, False),
        ("0.32.4", {"D": 80}, False),
        ("0.32.4", {"D": 512, "S": 1024, "key_heads": 1}, True),
        ("0.32.2", {"D": 512, "S": 1024, "key_heads": 1}, False),
        ("0.32.4", {"D": 512, "S": 1023, "key_heads": 1}, False),
        ("0.32.4", {"D": 512, "S": 1024, "key_heads": 2}, False),
        ("0.32.4", {"D": 512, "S": 1024, "key_heads": 1, "L": 2}, False),
        ("0.32.4", {"D": 512, "S": 1024, "key_heads": 1, "mask": "float"}, False),
        ("0.32.4", {"D": 512, "S": 1024, "key_heads": 1, "sinks": True}, True),
    ],
)
def test_head_dimensions_and_lengths_that_fit(
    version: str, changes: dict[str, object], *, fused: bool
) -> None:
    assert kernels(target(version=version), **changes)[0].startswith("sdpa_vector") == fused


def test_accelerators_and_formats_change_the_name_only() -> None:
    assert kernels(NAX, dtype="bfloat16") == ["sdpa_vector_bfloat16_t_64_64"]
    assert kernels(NAX, dtype="float32") == ["sdpa_vector_float_64_64"]


def padded(array: Array, gap: int) -> Array:
    batch, heads, rows, dim = array.strides
    return replace(array, strides=(2 * batch, 2 * heads, rows + gap, dim), data_size=2 * array.size)


def test_queries_with_gaps_are_copied() -> None:
    call = call_of(sized(L=2))
    tape = written(replace(call, q=padded(call.q, 8)), G)
    assert [one.role for one in tape.launches] == ["copy", "attention"]
    assert tape.launches[1].suffix.startswith("_nomask_qnt")


def test_queries_of_one_batch_may_lie_with_heads_beside_each_other() -> None:
    call = call_of(sized(L=2))
    tape = written(replace(call, q=heads_last(call.q)), G)
    assert [one.suffix for one in tape.launches] == ["_nomask_qt_nc_nosinks"]
    more = call_of(sized(L=2, batch=2))
    assert len(written(replace(more, q=heads_last(more.q)), G).launches) == 2


def test_keys_and_values_need_batch_and_heads_in_one_step() -> None:
    call = call_of(sized(batch=2))
    assert len(written(replace(call, k=padded(call.k, 8), v=padded(call.v, 8)), G).launches) == 1
    turned = replace(call, k=heads_last(call.k), v=heads_last(call.v))
    assert [one.role for one in written(turned, G).launches] == ["copy", "copy", "attention"]
    alone = call_of(sized())
    assert len(written(replace(alone, k=heads_last(alone.k)), G).launches) == 1


def test_keys_whose_head_dimension_has_gaps_are_copied() -> None:
    call = call_of(sized())
    gaps = tuple(2 * stride for stride in call.k.strides)
    tape = written(replace(call, k=replace(call.k, strides=gaps)), G)
    assert [one.role for one in tape.launches] == ["copy", "attention"]
