"""What is a set of choices? Levels of factors, levels that exclude each other, and the problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_applegpu.cases.pairs import Excluded, Levels, Row
from pytest_applegpu.problem import Batch, Problem


@dataclass(frozen=True, slots=True)
class Choices:
    """What cases of one operation are made of.

    Attributes:
        levels: each factor's levels, in a fixed order; `fill` is always among them.
        excluded: what does not go together.
        problem: makes the problem of a row.
        free: factors that are sizes, and what they are multiplied by to make one.
    """

    levels: Levels
    excluded: tuple[Excluded, ...]
    problem: Callable[[Row], Problem]
    free: Mapping[str, int] = field(default_factory=lambda: {"m": 1, "n": 1, "k": 1})

    def allows(self, row: Row) -> bool:
        """Tell whether nothing in a row excludes another thing in it."""
        return not any(
            all(row[name] in levels for name, levels in one.items()) for one in self.excluded
        )


SIZES: Final = (1, 2, 7, 16, 17, 31, 32, 33, 64, 65, 129)
"""Sizes beside edges of tiles and vectors: enough for pairs, as corners and depth hold others."""

BATCHES: Final[dict[str, tuple[Batch, Batch]]] = {
    "none": ((), ()),
    "b3": ((3,), (3,)),
    "b2x3": ((2, 3), (2, 3)),
    "b2x1:1x3": ((2, 1), (1, 3)),
    "b4:_": ((4,), ()),
    "_:b3": ((), (3,)),
}
"""Batches of both operands that broadcast."""

BATCHED: Final = ("bc", "heads")
"""Layouts that need a batch on their operand."""

LAYOUTS: Final = ("plain", "pad:1", "rows:1", "off:1", "step", "neg", "axis", *BATCHED)
"""Layouts of an operand; `matmul` has more numbers."""

FLAT: Final = tuple(one for one in LAYOUTS if one not in BATCHED)
"""Layouts of an operand that has no batch."""

UNPLAIN: Final = LAYOUTS[1:]


def without(side: int) -> tuple[str, ...]:
    """Return the names of those batches of which operand 0 or 1 has none."""
    return tuple(name for name, batches in BATCHES.items() if not batches[side])


def unbatched(names: Iterable[str], batches: tuple[str, ...]) -> tuple[Excluded, ...]:
    """Exclude layouts that need a batch, of the operands `names`, where there is none."""
    return tuple({name: BATCHED, "batch": batches} for name in names)
