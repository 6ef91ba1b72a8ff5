"""Which case is left when every step to a smaller or plainer one that still fails is taken?

Greedy, as delta debugging is (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
input", 2002). A fault need not be monotone in a size: one that spares multiples of 64 fails at 1
and not at 64, one at multiples of 24 is missed by bisection. So sizes at powers of two, beside
them and congruent to the failing one are tried too.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.shrinking.plainer import plainer, plainest
from pytest_applegpu.cases.shrinking.sizes import Axis, axes, ladder, smaller
from pytest_applegpu.cases.shrinking.tries import Tries


@dataclass
class Descent:
    """A way down from a case that fails; `best` is where it is now.

    `minimal` tells whether it is over: no single step that is tried leads further down.
    """

    best: Case
    tries: Tries
    minimal: bool = False

    def run(self) -> None:
        """Take every step that still fails until none does.

        Raises:
            Spent: no further case may be run.
        """
        before = None
        while before != self.best:
            before = self.best
            self._simplify()
            for axis in axes(self.best):
                self._keep(axis.resized(self.best, min(axis.of(self.best), 1)))
            for axis in sorted(axes(self.best), key=lambda axis: -axis.of(self.best)):
                self._shorten(axis)
        self.minimal = True

    def _keep(self, case: Case | None) -> bool:
        if case is None or case == self.best or not self.tries(case):
            return False
        self.best = case
        return True

    def _simplify(self) -> None:
        if self._keep(plainest(self.best)):
            return
        while any(self._keep(one) for _, one in plainer(self.best)):
            pass

    def _shorten(self, axis: Axis) -> None:
        """Climb to the first size that fails, bisect down from there, then look for periods."""
        self._climb(axis)
        now = axis.of(self.best)
        while any(self._keep(axis.resized(self.best, size)) for size in smaller(now)):
            self._stride(axis, now - axis.of(self.best))
            now = axis.of(self.best)

    def _climb(self, axis: Axis) -> None:
        low = 0
        for size in ladder(axis.of(self.best)):
            if self._keep(axis.resized(self.best, size)):
                break
            low = size
        while axis.of(self.best) - low > 1:
            middle = (low + axis.of(self.best)) // 2
            if not self._keep(axis.resized(self.best, middle)):
                low = middle

    def _stride(self, axis: Axis, step: int) -> None:
        """Go on down by a step that has led to a failure, by twice as many, and by half again."""
        count = 1
        while self._down(axis, count * step):
            count *= 2
        while count > 1:
            count //= 2
            self._down(axis, count * step)

    def _down(self, axis: Axis, by: int) -> bool:
        size = axis.of(self.best) - by
        return size > 0 and self._keep(axis.resized(self.best, size))
