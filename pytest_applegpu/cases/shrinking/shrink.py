"""What is the smallest case that still fails, and where along each size does it begin to?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.shrinking.descent import Descent
from pytest_applegpu.cases.shrinking.edges import Crossing, Edges
from pytest_applegpu.cases.shrinking.plainer import plainer
from pytest_applegpu.cases.shrinking.tries import Fails, Tries

TRIES: Final = 400
"""Cases that are run at the most, the first one included."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest case found, sentences on where it begins to fail, and neighbours there.

    `minimal` tells whether no single step to a smaller or plainer case fails. `spent` says which
    limit was met before all was tried; empty where none was.
    """

    case: Case
    starts: tuple[str, ...]
    crossings: tuple[Crossing, ...]
    tried: int
    minimal: bool
    spent: str = ""


def shrink(case: Case, fails: Fails, most: int = TRIES) -> Shrunk | None:
    """Search for the smallest case that fails as `case` does; None where that one does not now.

    `fails` may raise `Spent` where no further case may be run.
    """
    tries = Tries(fails, most)
    descent = Descent(case, tries)
    needs: list[str] = []
    with tries.until_spent():
        if not tries(case):
            return None
        descent.run()
        needs += _needs(descent.best, tries)
    edges = Edges(case, descent.best, tries)
    edges.find()
    return Shrunk(
        descent.best,
        (*edges.said, *needs),
        tuple(edges.crossings),
        tries.count,
        descent.minimal,
        tries.spent,
    )


def _needs(case: Case, tries: Tries) -> list[str]:
    """Say what of the smallest case cannot be made plainer."""
    return [f"right with {said}" for said, one in plainer(case) if tries(one) is False]
