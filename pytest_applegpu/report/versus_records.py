"""What is known of one case on two builds? The parts of a record that a versus run fills."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class SideFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of two builds. `build` tells builds of one version apart, by the files they are made of.

    `executable` is the interpreter.
    """

    mlx: str
    python: str
    numpy: str
    build: str | None = None
    executable: str = ""


class RunFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which run a case belongs to: only one that is alike in all of this is resumed.

    `this` is the build under test and `other` the one that it is held against, `product` this
    product's version, `options` the words that bear on cases and figures, `timed` how many timed
    cases the run has, over which its rate of false alarms is shared out.
    """

    this: SideFacts
    other: SideFacts
    product: str
    options: tuple[str, ...] = ()
    timed: int = 0
    seed: int = 0


class BitsFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether both builds gave the same bits; `differing` of `total` elements do not.

    `ulp` is the largest distance in ULP of the format; null where it is not known. `misfit` says
    that shapes or formats differ.
    """

    identical: bool
    differing: int = 0
    total: int = 0
    ulp: float | None = None
    misfit: str | None = None


Change = Literal["alike", "fixed", "broken", "both fail", "not comparable"]
"""Of numbers: `fixed` fails on the other build alone, `broken` on this one alone."""


class NumbersFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the other build's numbers are like: its `verdict`, and how this build's compare.

    `share` is its worst error in units of the bound, `message` what was said where it failed.
    `bits` is null where there were no two results to compare; `note` says why.
    """

    verdict: str
    change: Change
    share: float | None = None
    message: str | None = None
    bits: BitsFacts | None = None
    note: str = ""


class DuelFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the times of both builds compare: `ratio` is this one's over the other's.

    [`low`, `high`] is its 95 % interval, `limit` the ratio from which a slowdown that was measured
    twice fails, `smallest_seen` the smallest one that could have been seen, `chance` how likely
    such figures are where nothing has changed. `seconds` and `other_seconds` are medians for one
    operation, the overhead of a submission of `count` of them included, and `spread` is the
    scatter of the `rounds`, relative. `reason` says it in words.
    """

    ratio: float
    low: float
    high: float
    limit: float
    smallest_seen: float
    chance: float
    seconds: float
    other_seconds: float
    spread: float
    count: int
    rounds: int
    confirmed: bool = False
    reason: str = ""


class VersusFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The case on two builds: of which run, and its numbers or its speed; a card has `changed`.

    `changed` says what of a feature card is otherwise than on the other build, a sentence each.
    """

    run: RunFacts
    numbers: NumbersFacts | None = None
    speed: DuelFacts | None = None
    changed: tuple[str, ...] = ()
