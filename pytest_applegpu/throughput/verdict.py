"""Has the speed changed: same, faster, slower, or is the machine too noisy to say?

A change counts when it is large (beyond a limit set by the noise), significant (the interval of
the ratio excludes 1) and seen by every submission (the fastest one changed as much: other work
on the machine slows most submissions, a slower kernel slows all). Ratios are time now over time
before: above 1 is slower. A slowdown found once is suspected; it is `confirmed` when a fresh
worker finds it again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, hypot, log, sqrt
from typing import Final, Literal

from pytest_applegpu.throughput.slope import Timing, check_interval

Word = Literal["same", "faster", "slower", "unstable"]

Z95: Final = 1.96
"""Standard deviations on either side that hold 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What was measured before: a `Timing`'s figures, and how far whole runs lay apart.

    `between` is the relative standard deviation between `runs` runs, None where only one was
    made.
    """

    seconds: float
    low: float
    high: float
    spread: float
    best: float
    runs: int = 1
    between: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no time.

        Raises:
            ValueError: not 0 < low <= seconds <= high.
        """
        check_interval(self.seconds, self.low, self.high)


@dataclass(frozen=True, slots=True)
class Rules:
    """Where the lines are drawn. Limits are ratios, spreads shares of the time.

    A change must exceed 1 + `spreads` times the largest spread, at least `floor`, at most `cap`
    (beyond which the interval alone decides). A comparison that would have missed a slowdown by
    `blind` is unstable, whatever its ratio. Fewer than `enough` runs say little about how far
    runs lie apart, which is then taken to be at least `unknown`.
    """

    floor: float = 1.15
    spreads: float = 3.0
    cap: float = 2.0
    blind: float = 1.5
    enough: int = 5
    unknown: float = 0.05


RULES: Final = Rules()
"""The lines that verdicts are drawn by, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word, the ratio it rests on with its 95 % interval, and what could have been seen.

    `best_ratio` compares the fastest submissions. `limit` is the ratio that a change had to
    exceed, `smallest_seen` the smallest slowdown that would have been called one.
    """

    word: Word
    ratio: float
    low: float
    high: float
    best_ratio: float
    limit: float
    smallest_seen: float
    reason: str
    confirmed: bool = False

    @property
    def suspected(self) -> bool:
        """Whether this is a slowdown that has yet to be measured again."""
        return self.word == "slower" and not self.confirmed


def compare(now: Timing, before: Stored, rules: Rules = RULES) -> Verdict:
    """Judge `now` against `before`; `slower` is only suspected until `confirm` was asked."""
    noise = _noise(now, before)
    limit = limit_for(noise, rules)
    ratio = now.seconds / before.seconds
    apart = Z95 * _between(before, rules) * sqrt(1 + 1 / before.runs)
    down = hypot(log(now.seconds / now.low), log(before.high / before.seconds), apart)
    up = hypot(log(now.high / now.seconds), log(before.seconds / before.low), apart)
    undecided = Verdict(
        word="same",
        ratio=ratio,
        low=ratio * exp(-down),
        high=ratio * exp(up),
        best_ratio=now.best / before.best,
        limit=limit,
        smallest_seen=max(limit, exp(down)),
        reason=f"{change(ratio)}, limit {limit:.2f}x",
    )
    return _decide(undecided, noise, rules)


def limit_for(noise: float, rules: Rules = RULES) -> float:
    """Return the ratio that a change must exceed where figures scatter by `noise` (0.02: 2 %)."""
    return min(max(rules.floor, 1 + rules.spreads * noise), rules.cap)


def change(ratio: float) -> str:
    """Return a ratio of times in words: `1.30x slower`, `2.00x faster` or `as fast`."""
    factor = f"{max(ratio, 1 / ratio):.2f}x"
    return "as fast" if factor == "1.00x" else f"{factor} {'slower' if ratio > 1 else 'faster'}"


def confirm(first: Verdict, second: Verdict) -> Verdict:
    """Judge a suspected slowdown by a second measurement, made in a fresh worker.

    The milder of two slowdowns is returned as confirmed. A second measurement that finds none
    clears the first; one that is unstable, or that finds the opposite, leaves it undecided.

    Raises:
        ValueError: `first` is not a suspected slowdown.
    """
    if not first.suspected:
        raise ValueError(f"only a suspected slowdown is measured again, not {first.word!r}")
    both = f"first {change(first.ratio)}, then {change(second.ratio)}"
    if second.word == "slower":
        milder = min(first, second, key=lambda verdict: verdict.ratio)
        return replace(milder, reason=f"{both}, limit {milder.limit:.2f}x", confirmed=True)
    word: Word = "same" if second.word == "same" else "unstable"
    return replace(second, word=word, reason=f"{both}: {second.reason}")


def _between(before: Stored, rules: Rules) -> float:
    known = before.between or 0.0
    return known if before.runs >= rules.enough else max(known, rules.unknown)


def _noise(now: Timing, before: Stored) -> float:
    return max(now.spread, before.spread, before.between or 0.0)


def _decide(undecided: Verdict, noise: float, rules: Rules) -> Verdict:
    ratio, best, limit = undecided.ratio, undecided.best_ratio, undecided.limit
    if undecided.low > 1 and min(ratio, best) > limit:
        return replace(undecided, word="slower")
    if undecided.high < 1 and max(ratio, best) < 1 / limit:
        return replace(undecided, word="faster")
    notable = not 1 / rules.floor <= ratio <= rules.floor
    if not notable and undecided.smallest_seen <= rules.blind:
        return undecided
    return replace(undecided, word="unstable", reason=_doubt(undecided, noise))


def _doubt(undecided: Verdict, noise: float) -> str:
    ratio, seen = undecided.ratio, undecided.smallest_seen
    spread = f"spread {100 * noise:.0f} %"
    if not 1 / seen <= ratio <= seen:
        fastest = change(undecided.best_ratio)
        return f"{change(ratio)}, but the fastest submission {fastest}, {spread}"
    unseen = f"a slowdown under {seen:.2f}x could not have been seen"
    return f"{change(ratio)}, but {spread}: {unseen}"
