"""How many significant bits has the running sum?

L + s - L gives s back while the sum holds both: s is moved down, some binary places at a time and
then one after another, until it is lost. Only threes count that lose s when it lies far below (see
`triples`): in others L and -L meet first. The narrowest sum that any of them meets is the
accumulator; wider ones are those of a block whose terms are aligned with some bits to spare.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.numerics.card.answer import Feature
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.losses import Losses
from pytest_applegpu.numerics.card.triples import Three, Way, kept, range_of

NAME: Final = "accumulator"

_THREES: Final = 10
"""Threes of each kind that are followed place by place."""

_MEET: Final = 2
"""Ways that lose s where two of three positions meet first."""

_DEEPEST: Final = 60
"""Binary places below L that are tried: more than any accumulator has bits."""

_STRIDE: Final = 8
"""Binary places that s is moved down at a time, before those in between are tried."""


@dataclass(frozen=True, slots=True)
class Width:
    """Bits of the narrowest sum (0: none was seen), where it is met, and the line that says it."""

    bits: int
    way: Way | None
    feature: Feature


def width(ask: Ask, found: Losses) -> Width:
    """Ask how far below a sum a term may lie."""
    asked = _chosen(found)
    deepest = min(_DEEPEST, range_of(ask).widest)
    if not asked:
        said = f"no three of {len(found.every)} lose a term {range_of(ask).widest} places below"
        return Width(0, None, Feature(NAME, f"over {range_of(ask).widest} bits", said))
    # One place more than can be lost stands for what was not lost within reach.
    far = _first_lost(
        ask, asked, [range(_STRIDE, deepest + 1, _STRIDE)] * len(asked), [deepest + 1] * len(asked)
    )
    between = [range((place - 1) // _STRIDE * _STRIDE + 1, place) for place in far]
    bits = _first_lost(ask, asked, between, far)
    return _narrowest(list(zip(bits, asked, strict=True)))


def _first_lost(ask: Ask, ways: list[Way], places: list[range], otherwise: list[int]) -> list[int]:
    """Return, for each way, the first of its places at which s is lost, or else what is given."""
    tries = [(way, place) for way, some in zip(ways, places, strict=True) for place in some]
    came = iter(kept(ask, tries).tolist() if tries else ())
    lost = [[place for place in some if not next(came)] for some in places]
    return [some[0] if some else last for some, last in zip(lost, otherwise, strict=True)]


def _narrowest(found: list[tuple[int, Way]]) -> Width:
    least, way = found[0]
    for bits, other in found:
        if bits < least:
            least, way = bits, other
    counts = Counter(bits for bits, _ in found)
    said = ", ".join(f"{bits} bits in {count}" for bits, count in sorted(counts.items()))
    return Width(least, way, Feature(NAME, f"{least} bits", f"of {len(found)} sums: {said}"))


def _chosen(found: Losses) -> list[Way]:
    """Return ways that lose s, from all over K; those first where s is known to meet L."""
    chosen: list[Way] = []
    for counts in ({_MEET}, {1, 3}):
        for threes in (found.first, found.far, found.middle):
            chosen += _spread([one for one, some in threes.items() if len(some) in counts], threes)
    return chosen


def _spread(threes: list[Three], ways: dict[Three, tuple[Way, ...]]) -> list[Way]:
    step = -(-len(threes) // _THREES) or 1
    return [ways[three][0] for three in threes[::step]]
