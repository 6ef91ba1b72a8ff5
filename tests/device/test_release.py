"""Of which release a library is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from pytest_applegpu.device.release import release_of


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("mlx_metal-0.32.4-py3-none-macosx_26_0_arm64.whl", "0.32.4"),
        ("mlx-0.33.0.dev20261101+abc-cp312-cp312-macosx_26_0_arm64.whl", "0.33.0.dev20261101+abc"),
    ],
)
def test_a_wheel_says_so_in_its_name(tmp_path: Path, name: str, release: str) -> None:
    assert release_of(tmp_path / name) == release


def test_a_wheel_of_another_name_says_so_inside(tmp_path: Path) -> None:
    wheel = tmp_path / "renamed.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("mlx_metal-0.31.2.dist-info/METADATA", "Name: mlx-metal\nVersion: 0.31.2\n")
    assert release_of(wheel) == "0.31.2"


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x05\x06" + bytes(18)])
def test_a_wheel_that_says_nothing(tmp_path: Path, data: bytes) -> None:
    wheel = tmp_path / "renamed.whl"
    wheel.write_bytes(data)
    assert release_of(wheel) is None


def test_an_installed_library_lies_beside_its_metadata(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages" / "mlx" / "lib"
    folder.mkdir(parents=True)
    (tmp_path / "site-packages" / "mlx_metal-0.32.1.dist-info").mkdir()
    assert release_of(folder) == "0.32.1"
    (folder / "mlx.metallib").write_bytes(b"")
    assert release_of(folder / "mlx.metallib") == "0.32.1"


def test_a_library_without_metadata(tmp_path: Path) -> None:
    assert release_of(tmp_path / "mlx.metallib") is None
