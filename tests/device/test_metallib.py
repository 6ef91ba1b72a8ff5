"""Kernel names in a metallib; the layout was checked on the mlx.metallib of real wheels."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.metallib import Metallib, read_metallib

Bytes = Callable[..., bytes]

NAMES = ("steel_gemm_fused_nax_nn_float16", "gg1_copybool_bool_", "rope", "affine_qmm_t_nax")


def read(data: bytes) -> Metallib:
    """Return what the reader makes of `data`."""
    return read_metallib(io.BytesIO(data), len(data))


def test_names_and_target_are_read(metallib_bytes: Bytes) -> None:
    found = read(metallib_bytes(NAMES, (26, 2)))
    assert (found.names, found.target, found.damage) == (NAMES, (26, 2), "")


def test_nax_is_a_word_of_a_name_and_not_any_three_letters(metallib_bytes: Bytes) -> None:
    found = read(metallib_bytes((*NAMES, "anaxagoras", "copy_naxos", "nax_probe")))
    assert found.nax_names == (NAMES[0], NAMES[3], "nax_probe")


def test_code_after_the_list_is_not_searched(metallib_bytes: Bytes) -> None:
    data = bytearray(metallib_bytes(("rope",)))
    data += b"_nax_" * 10
    data[16:24] = len(data).to_bytes(8, "little")
    assert read(bytes(data)).nax_names == ()


def test_the_list_is_read_and_no_more(metallib_bytes: Bytes) -> None:
    data = metallib_bytes(NAMES)
    padded = bytearray(data + bytes(1 << 20))
    padded[16:24] = len(padded).to_bytes(8, "little")
    stream = io.BytesIO(bytes(padded))
    read_metallib(stream, len(padded))
    assert stream.tell() <= len(data)


@pytest.mark.parametrize("data", [b"", b"MTL", b"garbage" * 100, b"\x7fELF" + bytes(500)])
def test_another_kind_of_file(data: bytes) -> None:
    found = read(data)
    assert (found.names, found.loose) == (None, False)
    assert "does not start with MTLB" in found.damage


def test_every_cut_is_told(metallib_bytes: Bytes) -> None:
    data = metallib_bytes(NAMES)
    for end in range(4, len(data)):
        found = read(data[:end])
        assert found.names is None
        assert not found.loose
        assert "cut short" in found.damage or "ends within its header" in found.damage


def test_a_damaged_list_is_told_and_names_in_the_file_are_noticed(metallib_bytes: Bytes) -> None:
    data = bytearray(metallib_bytes(NAMES))
    data[88:92] = (9).to_bytes(4, "little")
    found = read(bytes(data))
    assert found.names is None
    assert "ends at function 4 of 9" in found.damage
    assert found.loose


def test_a_function_without_a_name_is_damage(metallib_bytes: Bytes) -> None:
    data = metallib_bytes(("rope",)).replace(b"NAME", b"NOPE")
    assert "function 0 of 1 has no name" in read(data).damage


def test_a_header_that_is_not_known_still_shows_loose_names() -> None:
    assert read(b"MTLB" + b"\0" * 84 + b"steel_gemm_fused_nax_nn_float16\0").loose
    assert not read(b"MTLB" + b"\0" * 84 + b"steel_gemm_fused_nn_float16\0").loose


def test_a_loose_name_across_two_pieces_is_seen() -> None:
    data = b"MTLB".ljust((1 << 22) - 2, b"\0") + b"_nax_" + bytes(10)
    assert read(data).loose


@pytest.mark.parametrize("field", [16, 24, 32])
def test_numbers_that_no_file_has(metallib_bytes: Bytes, field: int) -> None:
    data = bytearray(metallib_bytes(NAMES))
    data[field : field + 8] = b"\xff" * 8
    found = read(bytes(data))
    assert found.names is None
    assert "not one that is known" in found.damage


def test_a_metallib_of_no_functions(metallib_bytes: Bytes) -> None:
    assert read(metallib_bytes(())).names == ()


@given(st.binary(max_size=400), st.integers(0, 400))
def test_arbitrary_bytes_give_no_trouble(data: bytes, position: int) -> None:
    found = read(b"MTLB" + data)
    assert found.names is not None or found.damage


@given(noise=st.binary(max_size=60), position=st.integers(0, 500))
def test_a_metallib_written_over_gives_no_trouble(
    metallib_bytes: Bytes, noise: bytes, position: int
) -> None:
    data = bytearray(metallib_bytes(NAMES))
    data[position : position + len(noise)] = noise
    found = read(bytes(data))
    assert found.names is not None or found.damage
