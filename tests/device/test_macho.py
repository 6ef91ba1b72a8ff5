"""The build target of a Mach-O library."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.macho import BuildVersion, read_build_version

Bytes = Callable[..., bytes]


def test_a_build_version_is_read(dylib_bytes: Bytes) -> None:
    found = read_build_version(io.BytesIO(dylib_bytes((26, 2))))
    assert found == BuildVersion((26, 2), (26, 5))


def test_a_fat_file_is_read_at_its_arm64_part(dylib_bytes: Bytes) -> None:
    intel, arm = (
        struct.pack(">5I", 0x01000007, 3, 64, 64, 0),
        struct.pack(">5I", 0x0100000C, 0, 128, 64, 0),
    )
    head = struct.pack(">2I", 0xCAFEBABE, 2) + intel + arm
    data = head.ljust(128, b"\0") + dylib_bytes((15, 0))
    assert read_build_version(io.BytesIO(data)) == BuildVersion((15, 0), (26, 5))


def test_the_older_command_is_read_as_well() -> None:
    command = struct.pack("<4I", 0x24, 16, 14 << 16, 15 << 16 | 2 << 8)
    head = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 1, len(command), 0, 0)
    assert read_build_version(io.BytesIO(head + command)) == BuildVersion((14, 0), (15, 2))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xcf\xfa\xed\xfe",
        b"\x7fELF" + bytes(200),
        struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 9, 4000, 0, 0),
        struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 2**32 - 1, 2**32 - 1, 0, 0),
        struct.pack("<8I", 0xFEEDFACF, 0, 0, 6, 5, 16, 0, 0) + bytes(16),
        struct.pack(">2I", 0xCAFEBABE, 2**31),
        struct.pack(">2I2I2Q2I", 0xCAFEBABF, 1, 0x0100000C, 0, 2**64 - 1, 1, 0, 0),
    ],
)
def test_what_says_nothing(data: bytes) -> None:
    assert read_build_version(io.BytesIO(data)) is None


@given(st.binary(max_size=300))
def test_arbitrary_bytes_give_no_trouble(data: bytes) -> None:
    head = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 3, len(data), 0, 0)
    for trial in (data, head + data):
        found = read_build_version(io.BytesIO(trial))
        assert found is None or found.minos >= (0, 0)
