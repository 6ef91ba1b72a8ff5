"""Settings: their text, and the environment of a worker."""

from __future__ import annotations

import pytest

from pytest_applegpu.setting import Setting, foreign_switches


def test_the_variables_of_a_setting_are_set_or_removed() -> None:
    inherited = {"HOME": "/", "MLX_ENABLE_TF32": "7", "MLX_METAL_GPU_ARCH": "applegpu_g13g"}
    assert Setting("off").environment(inherited) == {"HOME": "/", "MLX_ENABLE_TF32": "0"}
    forced = Setting("on", "applegpu_g16s").environment(inherited)
    assert forced == {"HOME": "/", "MLX_ENABLE_TF32": "1", "MLX_METAL_GPU_ARCH": "applegpu_g16s"}


def test_other_switches_of_mlx_are_found() -> None:
    found = foreign_switches({"MLX_BFS_MAX_WIDTH": "1", "MLX_ENABLE_TF32": "0", "PATH": ""})
    assert found == {"MLX_BFS_MAX_WIDTH": "1"}


def test_a_planted_fault_is_one_of_them() -> None:
    assert foreign_switches({"APPLEGPU_SELFTEST_FAULT": "last_row"}) == {
        "APPLEGPU_SELFTEST_FAULT": "last_row"
    }


def test_text() -> None:
    assert str(Setting()) == "tf32=on"
    assert str(Setting("off", "applegpu_g16s")) == "tf32=off arch=applegpu_g16s"


def test_neither_on_nor_off_is_refused() -> None:
    with pytest.raises(ValueError, match="tf32='maybe' is not one of on, off"):
        Setting("maybe")


@pytest.mark.parametrize(
    ("own", "forced"),
    [
        ("applegpu_g17s", "applegpu_g16s"),
        ("applegpu_g18p", "applegpu_g16p"),
        ("applegpu_g13d",) * 2,
        ("air64_v26",) * 2,
    ],
)
def test_nax_off_forces_the_newest_of_the_letter_without(own: str, forced: str) -> None:
    environment = Setting("on", nax="off").environment({}, own)
    assert environment == {"MLX_ENABLE_TF32": "1", "MLX_METAL_GPU_ARCH": forced}


def test_nax_off_goes_before_a_forced_architecture() -> None:
    assert Setting("on", "applegpu_g17g", "off").dispatched("applegpu_g17s") == "applegpu_g16g"


def test_nax_off_needs_to_know_the_gpu() -> None:
    with pytest.raises(ValueError, match="nax=off: the GPU's own architecture is not known"):
        Setting("on", nax="off").environment({})


def test_nax_is_on_or_off() -> None:
    with pytest.raises(ValueError, match="nax='maybe' is not one of on, off"):
        Setting(nax="maybe")
    assert str(Setting("off", "applegpu_g17s", "off")) == "tf32=off arch=applegpu_g17s nax=off"
