"""What does an architecture string say? Read as MLX itself reads it.

MLX (mlx/backend/metal/device.cpp, `Device::Device`) takes the two characters before the last
as the generation, a non-digit counting 0, and the last as the letter. So `applegpu_g17s` is
generation 17, letter s, and the paravirtual `air64_v27` is generation 2, letter 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.device.chips import APPLE

NAX_GENERATION: Final = 17
"""First generation whose GPUs have neural accelerators (MLX's `is_nax_available`)."""

NAX_GENERATION_PHONE: Final = 18
"""The same for letter p: A18 Pro is generation 17 and has none."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """An architecture string with the generation and letter that MLX's dispatch sees."""

    text: str
    generation: int
    letter: str

    @property
    def virtual(self) -> bool:
        """Whether this is the compiler target that paravirtual devices print in place of a GPU."""
        return self.text.startswith("air64")

    @property
    def nax_generation(self) -> int:
        """The first generation with NAX among GPUs of this letter."""
        return NAX_GENERATION_PHONE if self.letter == "p" else NAX_GENERATION

    @property
    def has_nax(self) -> bool:
        """Whether generation and letter pass MLX's gate."""
        return self.generation >= self.nax_generation

    def __str__(self) -> str:
        return f"generation {self.generation}, letter {self.letter}"


def parse_architecture(text: str | None) -> Architecture | None:
    """Return the parts of `text`, or None where there is no architecture string."""
    text = (text or "").strip()
    if not text:
        return None
    tens, ones = (text[-3], text[-2]) if len(text) >= 3 else ("0", "0")
    return Architecture(text, _digit(tens) * 10 + _digit(ones), text[-1])


def _digit(character: str) -> int:
    return int(character) if character in "0123456789" else 0


def family_of(architecture: Architecture | None) -> str | None:
    """Return the GPU family (`Apple10`) of an architecture in the chip table, else None."""
    if architecture is None:
        return None
    return next((c.family for c in APPLE if c.architecture == architecture.text), None)


def architectures(*, nax: bool = True) -> tuple[str, ...]:
    """Return the architectures of the chip table, oldest first; with `nax` false, those without."""
    parsed = {parse_architecture(chip.architecture) for chip in APPLE}
    kept = sorted(
        (one.generation, one.letter, one.text) for one in parsed if one and (nax or not one.has_nax)
    )
    return tuple(text for _, _, text in kept)


def newest_with_nax() -> str:
    """Return the newest architecture of a Mac in the chip table that has NAX."""
    capable = (c for c in APPLE if c.nax and c.letter != "p")
    return max(capable, key=lambda chip: (chip.generation, chip.letter)).architecture
