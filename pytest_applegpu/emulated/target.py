"""Which device is emulated? Architecture and TF32 as a setting says, and the MLX asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.routing.versions import NEWEST, basis_of
from pytest_applegpu.setting import ARCH_VARIABLE, TF32_VARIABLE

DEFAULT_ARCH: Final = "APPLEGPU_EMULATED_ARCH"
"""Variable of the architecture that is emulated where a setting forces none."""

VERSION: Final = "APPLEGPU_EMULATED_MLX"
"""Variable of the MLX whose dispatch is followed."""


def variables(arch: str | None, asked: str | None, installed: str | None) -> dict[str, str]:
    """Return what a worker's environment must hold, beside what its setting puts there.

    The MLX is the one asked for, else the installed one, else the newest whose rules are known.
    """
    version = asked or (installed if _known(installed) else None) or NEWEST
    return {VERSION: version} | ({DEFAULT_ARCH: arch} if arch else {})


def _known(version: str | None) -> bool:
    try:
        basis_of(version or "")
    except ValueError:
        return False
    return True


def target_of(environment: Mapping[str, str]) -> Target:
    """Return the target that a worker's environment names.

    Raises:
        ValueError: there is no architecture, or none such, or no such MLX.
    """
    arch = environment.get(ARCH_VARIABLE) or environment.get(DEFAULT_ARCH)
    if not arch:
        raise ValueError(f"neither {ARCH_VARIABLE} nor {DEFAULT_ARCH} names an architecture")
    tf32 = environment.get(TF32_VARIABLE, "1") != "0"
    return Gpu(arch).target(tf32=tf32, version=environment.get(VERSION) or NEWEST)
