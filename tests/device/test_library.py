"""NAX kernels in an installed library: by names, by sources, or not to be told."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_applegpu.device.library import read_kernels

Make = Callable[..., Path]
Bytes = Callable[..., bytes]

NAX = ("steel_gemm_fused_nax_nt_float16_float16_bm64_bn64_bk256_wm2_wn2", "arangefloat32")
PLAIN = ("steel_gemm_fused_nt_float16_float16_bm64_bn64_bk16_wm2_wn2", "arangefloat32")
JIT = ("argmax_float32", "rope_single_float16")

HEAD = b"// Auto generated source for mlx/backend/metal/kernels/"
EVERY_BUILD = HEAD + b"utils.h\0steel_gemm_fused_nax_\0" + HEAD + b"hadamard.h\0"
JIT_PLAIN = EVERY_BUILD + HEAD + b"steel/gemm/kernels/steel_gemm_fused.h\0"
JIT_NAX = JIT_PLAIN + HEAD + b"steel/gemm/kernels/steel_gemm_fused_nax.h\0"


def test_names_decide(library: Make, dylib_bytes: Bytes) -> None:
    found = read_kernels(library(NAX, dylib_bytes((26, 2), EVERY_BUILD)))
    assert (found.nax, found.by) == ("yes", "kernel names")
    assert found.reason == "mlx.metallib names 1 NAX kernels"
    assert found.target.value == (26, 2)


def test_a_wheel_for_macos_15_has_none(library: Make, dylib_bytes: Bytes) -> None:
    found = read_kernels(library(PLAIN, dylib_bytes((15, 0), EVERY_BUILD), (15, 0)))
    assert (found.nax, found.by, found.target.value) == ("no", "kernel names", (15, 0))


@pytest.mark.parametrize(
    ("sources", "nax", "by"),
    [
        (JIT_NAX, "yes", "kernel sources"),
        (JIT_PLAIN, "no", "kernel sources"),
        (EVERY_BUILD, "unknown", "nothing"),
    ],
)
@pytest.mark.parametrize("names", [JIT, None])
def test_a_jit_build_is_told_by_its_sources(
    library: Make,
    dylib_bytes: Bytes,
    names: tuple[str, ...] | None,
    sources: bytes,
    nax: str,
    by: str,
) -> None:
    found = read_kernels(library(names, dylib_bytes((26, 4), sources)))
    assert (found.nax, found.by, found.target.value) == (nax, by, (26, 4))


def test_sources_across_two_pieces_are_seen(library: Make, dylib_bytes: Bytes) -> None:
    marker = b"steel_gemm_fused_nax.h"
    text = bytes((1 << 22) - 8 - len(dylib_bytes())) + marker
    assert read_kernels(library(JIT, dylib_bytes((26, 2), text))).nax == "yes"


def test_a_static_build_keeps_its_library_in_the_extension(
    library: Make, dylib_bytes: Bytes, tmp_path: Path
) -> None:
    extension = tmp_path / "core.cpython-312-darwin.so"
    extension.write_bytes(dylib_bytes((26, 3), JIT_NAX))
    found = read_kernels(library(JIT), extension)
    assert (found.nax, found.target.value) == ("yes", (26, 3))


def test_the_target_is_also_in_the_metallib(library: Make) -> None:
    found = read_kernels(library(NAX, target=(26, 2)))
    assert found.target.value == (26, 2)
    assert "mlx.metallib" in found.target.source


@pytest.mark.parametrize("data", [b"", b"not a metallib", b"MTLB\x01\x80"])
def test_a_damaged_metallib_is_unknown_even_beside_sources(
    library: Make, dylib_bytes: Bytes, data: bytes
) -> None:
    found = read_kernels(library(data, dylib_bytes((26, 2), EVERY_BUILD)))
    assert (found.nax, found.by) == ("unknown", "nothing")
    assert "cannot be read" in found.reason


def test_a_metallib_of_an_unknown_layout_that_holds_names(library: Make) -> None:
    found = read_kernels(library(b"MTLB" + bytes(84) + NAX[0].encode()))
    assert found.nax == "yes"
    assert "though its header is not one that is known" in found.reason


def test_a_dylib_that_cannot_be_read_leaves_the_names(library: Make) -> None:
    head = struct.pack(">2I2I2Q2I", 0xCAFEBABF, 1, 0x0100000C, 0, 2**63 - 1, 1, 0, 0)
    found = read_kernels(library(NAX, head, (26, 2)))
    assert (found.nax, found.target.value) == ("yes", (26, 2))
    assert "mlx.metallib" in found.target.source


def test_nothing_there(tmp_path: Path) -> None:
    found = read_kernels(tmp_path / "nowhere")
    assert (found.nax, found.by, found.target.value) == ("unknown", "nothing", None)
    assert "no mlx.metallib" in found.reason


def test_one_metallib_and_the_package_folder_are_places_too(library: Make) -> None:
    folder = library(NAX)
    for place in (folder / "mlx.metallib", folder.parent):
        assert read_kernels(place).nax == "yes"


@pytest.mark.parametrize(("names", "nax"), [(NAX, "yes"), (PLAIN, "no")])
def test_a_wheel_is_read_without_unpacking(
    tmp_path: Path, metallib_bytes: Bytes, dylib_bytes: Bytes, names: tuple[str, ...], nax: str
) -> None:
    wheel = tmp_path / "mlx_metal-0.32.4-py3-none-macosx_26_0_arm64.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mlx/lib/mlx.metallib", metallib_bytes(names))
        file.writestr("mlx/lib/libmlx.dylib", dylib_bytes((26, 2), EVERY_BUILD))
    found = read_kernels(wheel)
    assert (found.nax, found.target.value) == (nax, (26, 2))


@pytest.mark.parametrize("data", [b"", b"no zip at all", b"PK\x05\x06" + bytes(18)])
def test_a_wheel_that_is_none(tmp_path: Path, data: bytes) -> None:
    wheel = tmp_path / "mlx_metal.whl"
    wheel.write_bytes(data)
    assert read_kernels(wheel).nax == "unknown"


def test_a_wheel_with_a_damaged_member(tmp_path: Path, metallib_bytes: Bytes) -> None:
    wheel = tmp_path / "mlx_metal.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mlx/lib/mlx.metallib", metallib_bytes(NAX * 50))
    data = bytearray(wheel.read_bytes())
    data[60:90] = b"\xff" * 30
    wheel.write_bytes(data)
    assert read_kernels(wheel).nax == "unknown"


def test_real_wheels() -> None:
    """Real mlx-metal wheels, where a variable names them, are told apart by their kernels."""
    named = os.environ.get("APPLEGPU_TEST_WHEELS", "")
    if not named:
        pytest.skip("APPLEGPU_TEST_WHEELS names no macOS wheels of mlx-metal 0.32 (path:path)")
    for wheel in map(Path, named.split(":")):
        found = read_kernels(wheel)
        assert (found.nax, found.by) == ("yes" if "_26_0_" in wheel.name else "no", "kernel names")
        assert found.target.value is not None
