"""Which kernels does a metallib file name, and for which macOS was it built?

The file starts with a header (magic, target platform, offset and size of each section); its
function list holds one group of tags for each function: four letters, a two-byte length, the
data; `NAME` is the kernel's name, `ENDT` ends the group. Layout as described by
github.com/YuAo/MetalLibraryArchive, and as found in the mlx.metallib of real macOS wheels. Only the
header and the function list are read: 3 MB of the 214 MB of mlx-metal 0.32.4. Not run on a Mac.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from pytest_applegpu.device.macho import Version

_MAGIC: Final = b"MTLB"
_HEADER: Final = struct.Struct("<4s3H2B2H3Q")
_MACOS: Final = 0x81
_MOST_LIST_BYTES: Final = 1 << 27
_MOST_FILE_BYTES: Final = 1 << 40
_CHUNK: Final = 1 << 22

_NAX: Final = re.compile(r"(?:^|_)nax(?:_|$)")
_NAX_PART: Final = b"_nax_"


@dataclass(frozen=True, slots=True)
class Metallib:
    """What a metallib file says.

    `names` is None where the function list could not be read; `damage` then says why.
    `loose` says that NAX kernel names stand in the file all the same.
    """

    names: tuple[str, ...] | None
    target: Version | None = None
    damage: str = ""
    loose: bool = False

    @property
    def nax_names(self) -> tuple[str, ...]:
        """The kernels that run on the neural accelerators, by MLX's naming (`…_nax_…`)."""
        return tuple(name for name in self.names or () if is_nax(name))


def is_nax(name: str) -> bool:
    """Say whether a kernel runs on the neural accelerators, by MLX's naming."""
    return _NAX.search(name) is not None


class _DamagedError(Exception):
    """The function list is not as the format says."""


def read_metallib(stream: BinaryIO, length: int) -> Metallib:
    """Return the kernel names and target of the metallib in `stream`, `length` bytes long.

    Raises:
        OSError: the stream cannot be read.
    """
    head = stream.read(_HEADER.size)
    if not head.startswith(_MAGIC):
        return Metallib(None, damage="it does not start with MTLB")
    if len(head) < _HEADER.size:
        return Metallib(None, damage="it ends within its header")
    _, _, _, _, _, system, major, minor, size, offset, list_size = _HEADER.unpack(head)
    target = (major, minor) if system == _MACOS else None
    if max(size, offset) >= _MOST_FILE_BYTES or list_size >= _MOST_LIST_BYTES or not offset:
        return _scanned(stream, "its header is not one that is known")
    if size > length:
        return Metallib(None, target, f"it is cut short: {length} of {size} bytes")
    try:
        stream.seek(offset)
        names = tuple(_names(stream.read(list_size + 4)))
    except (_DamagedError, ValueError) as error:
        return _scanned(stream, f"its function list is damaged: {error}", target)
    return Metallib(names, target)


def _names(block: bytes) -> Iterator[str]:
    if len(block) < 4:
        raise _DamagedError("it is missing")
    (count,) = struct.unpack_from("<I", block)
    position = 4
    for index in range(count):
        try:
            name, position = _function(block, position)
        except struct.error as error:
            raise _DamagedError(f"it ends at function {index} of {count}") from error
        if name is None:
            raise _DamagedError(f"function {index} of {count} has no name")
        yield name


def _function(block: bytes, position: int) -> tuple[str | None, int]:
    """Return the name of the function whose group starts at `position`, and where it ends."""
    name = None
    position += 4  # the group's own size, which its tags give as well
    while True:
        (tag,) = struct.unpack_from("<4s", block, position)
        position += 4
        if tag == b"ENDT":
            return name, position
        (length,) = struct.unpack_from("<H", block, position)
        position += 2
        data = block[position : position + length]
        position += length
        if tag == b"NAME":
            name = data.split(b"\0", 1)[0].decode("utf-8", errors="replace")


def _scanned(stream: BinaryIO, damage: str, target: Version | None = None) -> Metallib:
    """Look for NAX kernel names in the whole file, where its list cannot be followed."""
    stream.seek(0)
    tail = b""
    while piece := stream.read(_CHUNK):
        window = tail + piece
        if _NAX_PART in window:
            return Metallib(None, target, damage, loose=True)
        tail = window[-len(_NAX_PART) :]
    return Metallib(None, target, damage)
