"""How many terms are added at once, before the sum is rounded?

See `triples`: around one position, the others are counted with which no way of three loses s
(added exactly), or with which every way does (aligned to the largest and cut). The position lies
where the sum is under way already, and position 0, which stands in the sum, is the third of three;
where that tells nothing, all three are new terms: a block that is added up before it joins the sum.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.losses import Losses
from pytest_applegpu.numerics.card.triples import Three, Way

NAME: Final = "terms fused"

_ALIGNED, _EXACT = 3, 0
"""Ways of three that lose s where terms are aligned and cut, and where they are added exactly."""

Lost = dict[Three, tuple[Way, ...]]


def fused(found: Losses) -> Feature:
    """Tell from what was lost how many products enter the sum in one rounding."""
    if not any(found.every.values()):
        return Feature(NAME, "all", f"no three of {len(found.every)} lose a small term")
    aligned, exact = (_with_sum(found.first, lost) for lost in (_ALIGNED, _EXACT))
    if not (aligned or exact):
        aligned, exact = (_apart(found.middle, lost) for lost in (_ALIGNED, _EXACT))
    if aligned and exact:
        said = f"{aligned} terms look aligned and {exact} look added exactly"
        return unknown(NAME, said)
    if aligned:
        return _several(aligned, "aligned", found)
    if exact:
        return _several(exact, "exact", found)
    return Feature(NAME, "1", f"of each of {len(found.every)} threes two are added first")


def _several(count: int, how: str, found: Losses) -> Feature:
    more = " or more" if count >= found.window else ""
    lost = "lose" if how == "aligned" else "keep"
    said = f"{count}{more} neighbours {lost} a small one wherever it stands"
    return Feature(NAME, f"{count}{more}, {how}", said)


def _with_sum(threes: Lost, lost: int) -> int:
    """Return the size of the block round the middle of the window; 0 where there is none.

    Position 0 stands in the sum by then. Where the window begins with it, and its own neighbour is
    in the block, so is position 0, and counts.
    """
    others = [three[2] for three, ways in threes.items() if len(ways) == lost]
    if not others:
        return 0
    return len(others) + (2 if 1 in others else 1)


def _apart(threes: Lost, lost: int) -> int:
    """Return the size of the block that begins with the middle of the window; 0 for none."""
    partners = Counter(
        place for three, ways in threes.items() if len(ways) == lost for place in three[1:]
    )
    return max(partners.values()) + 2 if partners else 0
