"""Is this build slower than the other one? A verdict on paired ratios, by one rate of false alarms.

The rate is one for the whole run and is shared out over its timed cases (Bonferroni), so that each
case can be decided by itself, as a run that is resumed or spread over processes needs. A change
counts only where a second pair of fresh workers finds it too: each of the two may be wrong as often
as the root of the case's share says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log

from pytest_applegpu.throughput.lines import LINES, Lines, Word, allowed, change, unseen
from pytest_applegpu.throughput.paired import Paired


@dataclass(frozen=True, slots=True)
class Duel:
    """A word, what it rests on, the limit, and the smallest slowdown that could have been seen.

    `chance` is how likely such figures are where nothing has changed, those of both measurements
    where there were two.
    """

    word: Word
    found: Paired
    limit: float
    smallest_seen: float
    chance: float
    reason: str
    confirmed: bool = False

    @property
    def suspected(self) -> bool:
        """Whether this is a change that has yet to be measured again."""
        return self.word in {"slower", "faster"} and not self.confirmed


def limit_of(found: Paired, timed: int, lines: Lines = LINES) -> float:
    """Return the ratio from which a change counts: the floor, or more where figures scatter."""
    from scipy.stats import norm  # noqa: PLC0415

    return max(lines.floor, exp(float(norm.isf(allowed(timed, lines))) * found.error))


def judge(found: Paired, timed: int, lines: Lines = LINES) -> Duel:
    """Judge one measurement of one of `timed` cases; a change is only suspected until `confirm`."""
    limit = limit_of(found, timed, lines)
    seen = limit * found.ratio / found.low
    said = f"{change(found.ratio)}, limit {limit:.3f}x"
    undecided = Duel("same", found, limit, seen, found.p_slower, said)
    if found.ratio > limit and found.p_slower <= allowed(timed, lines):
        return replace(undecided, word="slower")
    if found.ratio < 1 / limit and found.p_faster <= allowed(timed, lines):
        return replace(undecided, word="faster")
    if seen <= lines.blind and abs(log(found.ratio)) <= log(limit):
        return undecided
    doubt = f"spread {100 * found.spread:.1f} % over {found.rounds} rounds"
    return replace(undecided, word="unstable", reason=f"{said}, but {doubt}: {unseen(seen)}")


def confirm(first: Duel, second: Duel) -> Duel:
    """Judge a suspected change by a second measurement, made by fresh workers on both sides.

    The milder of two such changes is returned as confirmed. A second measurement that finds none
    clears the first; one that is unstable, or that finds the opposite, leaves it undecided.

    Raises:
        ValueError: `first` is no suspected change.
    """
    if not first.suspected:
        raise ValueError(f"only a suspected change is measured again, not {first.word!r}")
    both = f"first {change(first.found.ratio)}, then {change(second.found.ratio)}"
    likely = max(first.chance, second.chance)
    if second.word == first.word:
        milder = min(first, second, key=lambda one: abs(log(one.found.ratio)))
        said = f"{both}, limit {milder.limit:.3f}x"
        return replace(milder, reason=said, confirmed=True, chance=likely**2)
    word: Word = "same" if second.word == "same" else "unstable"
    return replace(second, word=word, reason=f"{both}: {second.reason}", chance=likely)
