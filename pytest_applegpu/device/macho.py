"""For which macOS was a Mach-O library built? Read from its load commands, on any system.

Layout after Apple's <mach-o/loader.h> and <mach-o/fat.h>. Checked on the libmlx.dylib of real
macOS wheels, on Linux; not run on a Mac.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

_MAGIC_64: Final = 0xFEEDFACF
_FAT: Final = {0xCAFEBABE: struct.Struct(">5I"), 0xCAFEBABF: struct.Struct(">2I2Q2I")}
_ARM64: Final = 0x0100000C
_BUILD_VERSION: Final = 0x32
_VERSION_MIN_MACOSX: Final = 0x24
_MOST_COMMANDS: Final = 1 << 20
_MOST_SLICES: Final = 64

Version = tuple[int, int]
"""Major and minor version of macOS."""


@dataclass(frozen=True, slots=True)
class BuildVersion:
    """The oldest macOS a library runs on (its deployment target), and the SDK it was built with."""

    minos: Version
    sdk: Version


def read_build_version(stream: BinaryIO) -> BuildVersion | None:
    """Return what the arm64 part of a Mach-O file says of its build; None if it says nothing.

    Raises:
        OSError: the stream cannot be read.
    """
    try:
        stream.seek(_arm64_offset(stream))
        head = stream.read(32)
        magic, _, _, _, count, size = struct.unpack_from("<6I", head)
        if magic != _MAGIC_64 or size > _MOST_COMMANDS:
            return None
        found = (_version(one) for one in _commands(stream.read(size), count))
        return next((version for version in found if version), None)
    except (struct.error, ValueError, OverflowError):
        return None


def _arm64_offset(stream: BinaryIO) -> int:
    head = stream.read(8)
    if len(head) < 8:
        return 0
    magic, count = struct.unpack(">2I", head)
    entry = _FAT.get(magic)
    if entry is None or count > _MOST_SLICES:
        return 0
    table = stream.read(entry.size * count)
    slices = (entry.unpack_from(table, index * entry.size) for index in range(count))
    return next((one[2] for one in slices if one[0] == _ARM64), 0)


def _commands(block: bytes, count: int) -> Iterator[tuple[int, bytes]]:
    position = 0
    for _ in range(count):
        command, size = struct.unpack_from("<2I", block, position)
        if size < 8:
            return
        yield command, block[position + 8 : position + size]
        position += size


def _version(command: tuple[int, bytes]) -> BuildVersion | None:
    kind, body = command
    if kind == _BUILD_VERSION:
        _, minos, sdk = struct.unpack_from("<3I", body)
    elif kind == _VERSION_MIN_MACOSX:
        minos, sdk = struct.unpack_from("<2I", body)
    else:
        return None
    return BuildVersion(_pair(minos), _pair(sdk))


def _pair(packed: int) -> Version:
    """Unpack X.Y.Z, kept as xxxx.yy.zz in one number, to (X, Y)."""
    return packed >> 16, packed >> 8 & 0xFF
