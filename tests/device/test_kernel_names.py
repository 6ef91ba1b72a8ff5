"""Names of the kernels in a Metal library, whole, or an error that says why not."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_applegpu.device.library import kernel_names

NAMES = ("gemv_float32_bm1_bn1_sm1_sn32_tm4_tn4_nc0_axpby0", "rope_float16")

Bytes = Callable[..., bytes]


def test_a_folder_a_file_and_a_wheel(
    library: Callable[..., Path], metallib_bytes: Bytes, tmp_path: Path
) -> None:
    folder = library(NAMES)
    wheel = tmp_path / "mlx_metal.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mlx/lib/mlx.metallib", metallib_bytes(NAMES))
    for place in (folder, folder / "mlx.metallib", wheel):
        assert kernel_names(place) == NAMES


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no mlx\.metallib in .*; only MLX for macOS has one"):
        kernel_names(tmp_path)


@pytest.mark.parametrize("data", [b"", b"no zip at all"])
def test_no_wheel(tmp_path: Path, data: bytes) -> None:
    wheel = tmp_path / "mlx_metal.whl"
    wheel.write_bytes(data)
    with pytest.raises(ValueError, match="cannot be read"):
        kernel_names(wheel)


def test_a_damaged_library(library: Callable[..., Path], metallib_bytes: Bytes) -> None:
    folder = library(metallib_bytes(NAMES)[:-3])
    with pytest.raises(ValueError, match="cannot be read: it is cut short"):
        kernel_names(folder)


def test_a_jit_build(library: Callable[..., Path]) -> None:
    with pytest.raises(ValueError, match="names no matrix kernels: a JIT build"):
        kernel_names(library(("rope_float16",)))
