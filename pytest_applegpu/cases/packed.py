"""Which formats of packed weights are there, and how does a case's text say one?"""

from __future__ import annotations

from itertools import product
from typing import Final

from pytest_applegpu.forms.quantized import MODES

Format = tuple[str, int, int]
"""Mode, group size and bits."""

FORMATS: Final[tuple[Format, ...]] = tuple(
    (mode, group, bits)
    for mode, (groups, widths) in MODES.items()
    for group, bits in product(groups, widths)
)
"""Every format that MLX's table of quantization modes has."""

_OWN: Final = (64, 4)
"""Group and bits of affine weights of which nothing is said."""


def said_of(form: Format) -> dict[str, str]:
    """Return the parameters that say a format, without what goes without saying."""
    mode, group, bits = form
    if mode != "affine":
        return {"mode": mode}
    said = {"group": (group, _OWN[0]), "bits": (bits, _OWN[1])}
    return {name: str(value) for name, (value, own) in said.items() if value != own}


def words_of(form: Format) -> str:
    """Return the words of a case's text that say a format."""
    return " ".join(f"{name}={value}" for name, value in said_of(form).items())
