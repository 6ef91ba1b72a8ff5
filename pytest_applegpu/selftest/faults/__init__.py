"""The faults: small functions, each of which makes an operation wrong in one way.

The parent reads their table; in a worker `plant` puts one of them in front of the array library.
Only the standard library and NumPy are imported, and modules of this package by relative names:
in a worker it is loaded by its path.
"""

from . import (  # noqa: F401 - each adds its faults
    addends,
    alike,
    attention,
    batches,
    convolutions,
    endings,
    flaky,
    forms,
    gathered,
    layers,
    layouts,
    masks,
    memory,
    packed,
    packing,
    partitions,
    precision,
    refusals,
    scaling,
    segments,
    special,
    tails,
    tiles,
    transforms,
)
from .fault import FAULTS, NONE, Fault
from .planting import plant
from .sizes import Sizes

__all__ = ["FAULTS", "GROUPS", "NONE", "Fault", "Sizes", "plant"]

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(fault.group for fault in FAULTS.values()))
"""The groups of faults, each a module, in the order of the table."""
