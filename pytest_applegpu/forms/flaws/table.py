"""Every flaw, by the operation and the name."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.flaws import (
    attention,
    convolution,
    dense,
    packed,
    packing,
    stacks,
)
from pytest_applegpu.forms.flaws.flaw import Flaw

FLAWS: Final[dict[tuple[str, str], Flaw]] = {
    (flaw.op, flaw.name): flaw
    for module in (dense, stacks, packed, packing, attention, convolution)
    for flaw in module.FLAWS
}


def flaws_of(op: str) -> dict[str, Flaw]:
    """Return the flaws of an operation by their names, in the order of the table."""
    return {name: flaw for (of, name), flaw in FLAWS.items() if of == op}


NAMES: Final = tuple(dict.fromkeys(name for _, name in FLAWS))
"""The names of all flaws, of whichever operation."""
