"""Under which switches a worker runs: the environment that MLX reads once per process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

TF32: Final = ("on", "off")

TF32_VARIABLE: Final = "MLX_ENABLE_TF32"
ARCH_VARIABLE: Final = "MLX_METAL_GPU_ARCH"

OWNED: Final = (TF32_VARIABLE, ARCH_VARIABLE)
"""The variables that a setting decides; every other MLX_* variable is the user's own."""


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """TF32 on or off, and the architecture forced on MLX's dispatch (None: the GPU's own)."""

    tf32: str = "on"
    arch: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no setting.

        Raises:
            ValueError: `tf32` is neither on nor off, or `arch` is no architecture's name.
        """
        if self.tf32 not in TF32:
            raise ValueError(f"tf32={self.tf32!r} is not one of {', '.join(TF32)}")
        if self.arch is not None and not re.fullmatch(r"applegpu_g\d{2}[a-z]", self.arch):
            raise ValueError(f"arch={self.arch} is not an architecture such as applegpu_g16s")

    def __str__(self) -> str:
        """Text as it ends a case: `tf32=off arch=applegpu_g16s`."""
        return f"tf32={self.tf32}" + (f" arch={self.arch}" if self.arch else "")

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return `inherited` with this setting's variables set, or removed where it has none."""
        changed = {name: value for name, value in inherited.items() if name not in OWNED}
        changed[TF32_VARIABLE] = "1" if self.tf32 == "on" else "0"
        if self.arch:
            changed[ARCH_VARIABLE] = self.arch
        return changed

    def as_json(self) -> dict[str, str | None]:
        """Return the object that stands under `setting` in the report log."""
        return {"tf32": self.tf32, "arch": self.arch}


def foreign_switches(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the MLX_* variables that no setting owns: they colour results, so they are shown."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith("MLX_") and name not in OWNED
    }
