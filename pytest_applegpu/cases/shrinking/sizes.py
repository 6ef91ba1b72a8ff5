"""Which sizes has a case, and which smaller ones are worth trying in the place of one?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.problem import Batch

PERIODS: Final = (
    *(2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 100),
    *(112, 128, 160, 192, 256, 320, 384, 512, 1024),
)
"""Periods with which faults come again along a size: those of vectors, SIMD-groups and tiles."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One size of a case: m, n, k, or the axis of its batch that is `place` from the last one."""

    field: str
    place: int = 0
    name: str = ""

    def of(self, case: Case) -> int:
        """Return the size."""
        problem = case.problem
        return problem.batch[-self.place] if self.place else int(getattr(problem, self.field))

    def resized(self, case: Case, size: int) -> Case | None:
        """Return the case with another size here; None where the case does not allow it."""
        problem, now = case.problem, self.of(case)
        try:
            if not self.place:
                changed: dict[str, Any] = {self.field: size}
            else:
                changed = {
                    name: self._axis(batch, now, size)
                    for name, batch in (("batch_a", problem.batch_a), ("batch_b", problem.batch_b))
                }
            found = replace(case, problem=replace(problem, **changed))
        except ValueError:
            return None
        # The batch of a result may be no batch of its operands: a parameter says it.
        return found if self.of(found) == size else None

    def _axis(self, batch: Batch, now: int, size: int) -> Batch:
        """Give `size` to an operand that has the whole axis: one that broadcasts goes on to."""
        if len(batch) < self.place or batch[-self.place] != now:
            return batch
        at = len(batch) - self.place
        return (*batch[:at], size, *batch[at + 1 :])


SIDES: Final = (Axis("m", name="M"), Axis("n", name="N"), Axis("k", name="K"))


def axes(case: Case) -> tuple[Axis, ...]:
    """Return M, N, K, and the axes of the batch from the first to the last."""
    count = len(case.problem.batch)
    names = ["batch"] if count == 1 else [f"batch axis {n}" for n in range(count)]
    return (*SIDES, *(Axis("batch", count - n, name) for n, name in enumerate(names)))


def ladder(below: int) -> list[int]:
    """Return the sizes below `below` that lie at a power of two or beside it, ascending."""
    powers = (1 << exponent for exponent in range(below.bit_length() + 1))
    near = {size for power in powers for size in (power - 1, power, power + 1)}
    return sorted(size for size in near if 0 < size < below)


def congruent(size: int) -> list[int]:
    """Return sizes below `size` that a fault of some period shows at if it does at `size`.

    They are the first ones, the first ones past the last power of two, and the last ones before.
    """
    power = 1 << (max(size - 1, 1).bit_length() - 1)
    found = {base + (size - base - 1) % period + 1 for base in (0, power) for period in PERIODS}
    found |= {size - 1, *(size - period for period in PERIODS)}
    return sorted(one for one in found if 0 < one < size)


def smaller(size: int) -> list[int]:
    """Return all sizes that are tried in the place of `size`, ascending."""
    return sorted({*ladder(size), *congruent(size)})
