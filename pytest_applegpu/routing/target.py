"""For whom is predicted: an architecture, whether NAX is there, TF32, and the MLX version."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.routing.versions import Basis, ByVersion, basis_of


@dataclass(frozen=True, slots=True)
class Gate:
    """From which generation on MLX takes a GPU to have NAX; letter p is the phones'."""

    generation: int
    phone: int


NEVER: Final = 100

GATES: Final = ByVersion(
    Gate(NEVER, NEVER),
    {"0.30.0": {"generation": 17, "phone": 17}, "0.30.6": {"phone": 18}},
)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU, and whether its system and MLX build let NAX be used; None: as far as it has them."""

    arch: str
    nax: bool | None = None

    def target(self, *, tf32: bool, version: str) -> Target:
        """Return this GPU under a TF32 setting, for an MLX version.

        Raises:
            ValueError: as `Target`.
        """
        plain = Target(self.arch, nax=False, tf32=tf32, version=version)
        return replace(plain, nax=self.nax is not False and plain.passes_gate)


@dataclass(frozen=True)
class Target:
    """A GPU as MLX's dispatch sees it, its switches, and the MLX version.

    `nax` tells whether the neural accelerators can be used at all: chip, system and build.

    Raises:
        ValueError: the architecture has no generation and letter, or the version no rules.
    """

    arch: str
    nax: bool
    tf32: bool
    version: str

    def __post_init__(self) -> None:
        """Refuse what has no generation, or no rules."""
        if not re.fullmatch(r"[A-Za-z0-9_]*(?:g\d\d[a-z]|v\d\d)", self.arch):
            raise ValueError(f"arch={self.arch!r} is not an architecture such as applegpu_g16s")
        _ = self.basis

    @cached_property
    def basis(self) -> Basis:
        """Which release's rules hold, and how they are known."""
        return basis_of(self.version)

    @cached_property
    def letter(self) -> str:
        """Last character: g base, p phone, s Pro and Max, d Ultra."""
        return self.arch[-1]

    @cached_property
    def gen(self) -> int:
        """Generation, parsed as MLX does."""
        parsed = parse_architecture(self.arch)
        return parsed.generation if parsed else 0

    @property
    def passes_gate(self) -> bool:
        """Whether MLX takes a GPU of this architecture to have NAX."""
        gate = GATES.at(self.version)
        return self.gen >= (gate.phone if self.letter == "p" else gate.generation)

    def use_nax(self, dtype: str) -> bool:
        """Whether dense products of `dtype` may run on the accelerators."""
        return self.nax and dtype != "complex64" and (self.tf32 or dtype != "float32")
