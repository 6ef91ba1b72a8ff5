"""Is a route's feature card as it was on this hardware, and if not, what else has changed?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.baselines.compare import likely_causes
from pytest_applegpu.baselines.records import Card, Run
from pytest_applegpu.baselines.store import Past

Features = Mapping[str, str]
"""Answers by the names of what was asked."""

_NOT_ASKED: Final = "not asked"


@dataclass(frozen=True, slots=True)
class CardComparison:
    """A word of `words.CARD`, and what it rests on.

    `changed` has a line for each feature that is another one, has come or has gone.
    `likely_causes` (`MLX 0.32.1 -> 0.32.4`) are all differences of provenance, where it changed.
    """

    word: str
    changed: tuple[str, ...] = ()
    likely_causes: tuple[str, ...] = ()
    past: Past[Card] | None = None


def compare_card(now: Features, run: Run, past: Past[Card] | None) -> CardComparison:
    """Compare a route's card with the one stored for this hardware."""
    if past is None:
        return CardComparison("no stored card")
    changed = card_changes(past.part.features, now)
    if not changed:
        return CardComparison("as stored", past=past)
    return CardComparison("card changed", changed, likely_causes(past.run, run), past)


def card_changes(old: Features, new: Features) -> tuple[str, ...]:
    """Return a line for each difference: `operand A: 24 bits -> 11 bits, truncated`."""
    return tuple(_changes(old, new))


def _changes(old: Features, new: Features) -> Iterator[str]:
    for name in {**old, **new}:
        was, word = old.get(name, _NOT_ASKED), new.get(name, _NOT_ASKED)
        if was != word:
            yield f"{name}: {was} -> {word}"
