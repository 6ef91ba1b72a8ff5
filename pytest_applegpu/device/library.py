"""Does this MLX library hold NAX kernels? Read from the files of an installation or a wheel.

A normal build names its kernels in mlx.metallib. A JIT build (MLX_METAL_JIT) keeps the sources
of most kernels in libmlx.dylib instead, each after a line `Auto generated source for …`. Strings
such as `steel_gemm_fused_nax_` stand in every libmlx.dylib, those without NAX too: they are
parts from which names are built and prove nothing. Not run on a Mac.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, Literal

from pytest_applegpu.device.facts import Fact, first_known, seen, unknown
from pytest_applegpu.device.macho import Version, read_build_version
from pytest_applegpu.device.metallib import Metallib, read_metallib

Finding = Literal["yes", "no", "unknown"]
By = Literal["kernel names", "kernel sources", "nothing"]

_NAX_SOURCE: Final = (b"steel_gemm_fused_nax.h", b"gemm_nax.h", b"mpp::tensor_ops")
_JIT_SOURCE: Final = (b"steel_gemm_fused.h", b"steel/gemm/gemm.h")
_LEFT_OUT_BY_JIT: Final = ("steel_", "gemm", "gemv", "qmm", "arange")
_INNER_FOLDERS: Final = ("", "Resources", "lib", "mlx/lib")
_CHUNK: Final = 1 << 22
_UNREADABLE: Final = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,  # zipfile: an encrypted member, or a compression this Python lacks
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Kernels:
    """Whether NAX kernels are in a library, by which evidence, and the macOS it is built for."""

    nax: Finding
    reason: str
    by: By
    target: Fact[Version]


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    length: int
    open: Callable[[], BinaryIO]


_Parts = Mapping[str, _Part]


def read_kernels(place: Path, extension: Path | None = None) -> Kernels:
    """Return what the MLX library at `place` holds; never raises on what it finds there.

    Args:
        place: the folder of mlx.metallib and libmlx.dylib (or the package folder above it), one
            mlx.metallib, or a wheel.
        extension: the Python extension module, which holds the library in static builds.
    """
    try:
        with _parts(place, extension) as parts:
            return _judge(parts, place)
    except _UNREADABLE as error:
        return no_evidence(f"{place} cannot be read: {error}")


def kernel_names(place: Path) -> tuple[str, ...]:
    """Return the names of the kernels in the Metal library at `place`.

    Args:
        place: as for `read_kernels`.

    Raises:
        ValueError: there is no mlx.metallib, or its names cannot be read; the message says why.
    """
    try:
        with _parts(place, None) as parts:
            metallib = _metallib(parts)
    except _UNREADABLE as error:
        raise ValueError(f"{place} cannot be read: {error}") from None
    if not place.exists():
        raise ValueError(f"there is no {place}")
    if metallib is None:
        raise ValueError(f"no mlx.metallib in {place}; only MLX for macOS has one")
    if metallib.names is None:
        raise ValueError(f"mlx.metallib of {place} cannot be read: {metallib.damage}")
    if not any(part in name for name in metallib.names for part in _LEFT_OUT_BY_JIT):
        raise ValueError(f"{place} names no matrix kernels: a JIT build makes them when it runs")
    return metallib.names


def no_evidence(reason: str) -> Kernels:
    """Return that nothing is known of the kernels, and why."""
    return Kernels("unknown", reason, "nothing", unknown("", reason))


@contextmanager
def _parts(place: Path, extension: Path | None) -> Iterator[_Parts]:
    if place.suffix == ".whl":
        with zipfile.ZipFile(place) as wheel:
            yield _members(wheel)
    elif place.suffix == ".metallib":
        yield {"metallib": _file(place)} if place.is_file() else {}
    else:
        yield _files(place, extension)


def _members(wheel: zipfile.ZipFile) -> _Parts:
    found = {}
    for kind, ending in (("metallib", "/mlx.metallib"), ("dylib", "/libmlx.dylib")):
        for info in wheel.infolist():
            if info.filename.endswith(ending):
                found[kind] = _Part(
                    info.filename, info.file_size, partial(_open_member, wheel, info)
                )
    return found


def _open_member(wheel: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    return wheel.open(info)  # type: ignore[return-value]  # IO[bytes] of the same methods


def _files(folder: Path, extension: Path | None) -> _Parts:
    places = [folder / inner for inner in _INNER_FOLDERS]
    libraries = [place / "mlx.metallib" for place in places]
    codes = [*(place / "libmlx.dylib" for place in places), *([extension] if extension else [])]
    found = {}
    for kind, paths in (("metallib", libraries), ("dylib", codes)):
        path = next((one for one in paths if one.is_file()), None)
        if path:
            found[kind] = _file(path)
    return found


def _file(path: Path) -> _Part:
    return _Part(path.name, path.stat().st_size, partial(_open_file, path))


def _open_file(path: Path) -> BinaryIO:
    return path.open("rb")


def _judge(parts: _Parts, place: Path) -> Kernels:
    metallib = _metallib(parts)
    target = _target(parts, metallib)
    if metallib is None:
        nax, reason = _by_sources(parts, f"no mlx.metallib in {place}")
    elif metallib.names is None:
        nax, reason = _by_loose_names(metallib)
        return Kernels(nax, reason, "kernel names" if nax == "yes" else "nothing", target)
    elif metallib.nax_names:
        count = len(metallib.nax_names)
        return Kernels("yes", f"mlx.metallib names {count} NAX kernels", "kernel names", target)
    elif any(part in name for name in metallib.names for part in _LEFT_OUT_BY_JIT):
        reason = f"none of the {len(metallib.names)} kernels in mlx.metallib is a NAX kernel"
        return Kernels("no", reason, "kernel names", target)
    else:
        nax, reason = _by_sources(parts, "mlx.metallib names no matrix kernels at all")
    return Kernels(nax, reason, "nothing" if nax == "unknown" else "kernel sources", target)


def _metallib(parts: _Parts) -> Metallib | None:
    part = parts.get("metallib")
    if part is None:
        return None
    with part.open() as stream:
        return read_metallib(stream, part.length)


def _by_loose_names(metallib: Metallib) -> tuple[Finding, str]:
    if metallib.loose:
        return "yes", f"mlx.metallib holds names of NAX kernels, though {metallib.damage}"
    return "unknown", f"mlx.metallib cannot be read: {metallib.damage}"


def _by_sources(parts: _Parts, start: str) -> tuple[Finding, str]:
    part = parts.get("dylib")
    if part is None:
        return "unknown", f"{start}, and no libmlx.dylib holds sources"
    with part.open() as stream:
        found = _search(stream, (*_NAX_SOURCE, *_JIT_SOURCE))
    if found.intersection(_NAX_SOURCE):
        return "yes", f"{start}; {part.name} holds the sources of NAX kernels (JIT build)"
    if found:
        return "no", f"{start}; {part.name} holds kernel sources, none for NAX (JIT build)"
    return "unknown", f"{start}, and {part.name} holds no sources of matrix kernels"


def _search(stream: BinaryIO, markers: tuple[bytes, ...]) -> set[bytes]:
    found: set[bytes] = set()
    tail = b""
    while piece := stream.read(_CHUNK):
        window = tail + piece
        found.update(marker for marker in markers if marker in window)
        tail = window[-64:]
    return found


def _target(parts: _Parts, metallib: Metallib | None) -> Fact[Version]:
    header = "target in the header of mlx.metallib"
    shown = metallib.target if metallib else None
    none = "no libmlx.dylib, or it does not say"
    return first_known(
        seen(_minos(parts), "oldest macOS in the load commands of libmlx.dylib", none),
        seen(shown, header, "no mlx.metallib, or it does not say"),
    )


def _minos(parts: _Parts) -> Version | None:
    part = parts.get("dylib")
    if part is None:
        return None
    try:
        with part.open() as stream:
            version = read_build_version(stream)
    except _UNREADABLE:
        return None  # the kernels are still to be judged
    return version.minos if version else None
