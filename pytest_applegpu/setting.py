"""Under which switches a worker runs: the environment that MLX reads once per process."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

TF32: Final = ("on", "off")
NAX: Final = ("on", "off")

TF32_VARIABLE: Final = "MLX_ENABLE_TF32"
ARCH_VARIABLE: Final = "MLX_METAL_GPU_ARCH"

ARCHITECTURE: Final = re.compile(r"applegpu_g\d{2}[a-z]", re.ASCII)
"""How the architectures of Apple GPUs are named."""

LAST_WITHOUT_NAX: Final = 16
"""Newest generation of GPUs none of which has NAX."""

FAULT_VARIABLE: Final = "APPLEGPU_SELFTEST_FAULT"
"""Names the fault that is planted in workers, where one is: see `applegpu selftest`."""

SIDE_VARIABLE: Final = "APPLEGPU_SIDE"
"""Tells a worker which of two builds it runs, where two are held against each other."""

Side = Literal["this", "other"]

OWNED: Final = (TF32_VARIABLE, ARCH_VARIABLE)
"""The variables that a setting decides; every other MLX_* variable is the user's own."""


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """TF32 on or off, the architecture forced on MLX's dispatch (None: the GPU's own), and NAX.

    NAX off forces the newest architecture of the same letter that has none.
    """

    tf32: str = "on"
    arch: str | None = None
    nax: str = "on"

    def __post_init__(self) -> None:
        """Refuse what is no setting.

        Raises:
            ValueError: `tf32` or `nax` is neither on nor off, or `arch` is no architecture's name.
        """
        if self.tf32 not in TF32:
            raise ValueError(f"tf32={self.tf32!r} is not one of {', '.join(TF32)}")
        if self.nax not in NAX:
            raise ValueError(f"nax={self.nax!r} is not one of {', '.join(NAX)}")
        if self.arch is not None and not ARCHITECTURE.fullmatch(self.arch):
            raise ValueError(f"arch={self.arch} is not an architecture such as applegpu_g16s")

    def __str__(self) -> str:
        """Text as it ends a case: `tf32=off arch=applegpu_g16s`."""
        arch = f" arch={self.arch}" if self.arch else ""
        return f"tf32={self.tf32}{arch}" + (" nax=off" if self.nax == "off" else "")

    def dispatched(self, own: str | None) -> str | None:
        """Return the architecture that MLX's dispatch is to follow; None where nothing is forced.

        `own` is the GPU's own architecture.

        Raises:
            ValueError: NAX is to be off and nothing says for which architecture.
        """
        if self.nax == "on":
            return self.arch
        followed = self.arch or own
        if followed is None:
            raise ValueError("nax=off: the GPU's own architecture is not known")
        return without_nax(followed)

    def environment(self, inherited: Mapping[str, str], own: str | None = None) -> dict[str, str]:
        """Return `inherited` with this setting's variables set, or removed where it has none.

        Raises:
            ValueError: as `dispatched`.
        """
        forced = self.dispatched(own)
        changed = {name: value for name, value in inherited.items() if name not in OWNED}
        changed[TF32_VARIABLE] = "1" if self.tf32 == "on" else "0"
        if forced:
            changed[ARCH_VARIABLE] = forced
        return changed

    def as_json(self) -> dict[str, str | None]:
        """Return the object that stands under `setting` in the report log."""
        return {"tf32": self.tf32, "arch": self.arch, "nax": self.nax}


def without_nax(arch: str) -> str:
    """Return `arch`, or the newest architecture of its letter that has no NAX.

    What a virtual GPU prints in place of an architecture has none and stays as it is.
    """
    if not ARCHITECTURE.fullmatch(arch):
        return arch
    return f"{arch[:-3]}{min(int(arch[-3:-1]), LAST_WITHOUT_NAX)}{arch[-1]}"


def foreign_switches(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that colour results and that no setting owns, so that they are shown.

    They are the MLX_* ones, and the one that names a planted fault.
    """
    return {
        name: value
        for name, value in sorted(environment.items())
        if name == FAULT_VARIABLE or (name.startswith("MLX_") and name not in OWNED)
    }
