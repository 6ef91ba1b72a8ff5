"""Has the speed changed since it was stored: same, faster, slower, or can nobody say?

A run is off by what runs differ by, or by its own scatter where that is more, and so is the stored
time, by the root of its number of runs less (`throughput.apart`). A slowdown counts where it is
beyond the limit that follows from both, and where every submission shows it: other work on the
machine slows most submissions, a slower kernel slows all. A slowdown found once is suspected and
measured again by fresh workers. All measurements are held to one stored time, so they are judged
together: the milder of two, or else the middle one of five, must be beyond a limit that chance
passes as rarely as the case's share of the run's false alarms says. Ratios are time now over time
before: above 1 is slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import median_low
from typing import Final

from pytest_applegpu.throughput.apart import APART, Apart, Known, Stored, errors, known
from pytest_applegpu.throughput.lines import (
    LINES,
    Lines,
    Word,
    change,
    share_of,
    unseen,
)
from pytest_applegpu.throughput.paired import Z95
from pytest_applegpu.throughput.slope import Timing

LOOKS: Final = (2, 5)
"""After how many measurements a slowdown can be found; each look may be a false alarm as often as
its part of the case's share. What is no longer suspected is not measured to the end."""

MOST: Final = LOOKS[-1]
"""How many times a case is measured at the most."""


_LARGEST: Final = 100.0
"""Logarithm beyond which a ratio is only said to be very large."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The lines that all verdicts on speed have in common, and what is held of runs."""

    lines: Lines = LINES
    apart: Apart = APART
    suspicion: float = 0.1
    """How often a measurement may look slower where nothing has changed, and is made again."""


RULES: Final = Rules()
"""The lines that verdicts are drawn by, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word, the ratio it rests on with its 95 % interval, and what could have been seen.

    `best_ratio` compares the fastest submissions. `limit` is the ratio that a slowdown had to
    exceed to fail, `smallest_seen` the smallest one that would have been called one. `chance` is
    how likely such a ratio is where nothing has changed. `measured` counts the measurements;
    `suspected` says that another one is due.
    """

    word: Word
    ratio: float
    low: float
    high: float
    best_ratio: float
    limit: float
    smallest_seen: float
    chance: float
    reason: str
    measured: int = 1
    suspected: bool = False

    @property
    def confirmed(self) -> bool:
        """Whether this is a slowdown that was measured again, and that counts."""
        return self.word == "slower" and not self.suspected


@dataclass(frozen=True, slots=True)
class _Limits:
    """Logarithms: of a suspicion, of a slowdown that counts, of a speed-up measured once."""

    first: float
    final: float
    faster: float


def compare(
    taken: Sequence[Timing], before: Stored, timed: int = 1, rules: Rules = RULES
) -> Verdict:
    """Judge the measurements of one of `timed` cases, in the order taken, against what is stored.

    Raises:
        ValueError: there are none or more than `MOST`, or `timed` is below 1.
    """
    if not 1 <= len(taken) <= MOST:
        raise ValueError(f"{len(taken)} measurements: one to {MOST} are judged")
    scale = known(before, taken, rules.apart, share_of(timed, rules.lines) / len(LOOKS))
    error = errors(before, taken, scale)
    limits = _limits(before, taken, scale, rules)
    ratios = [one.seconds / before.seconds for one in taken]
    bests = [one.best / before.best for one in taken]
    ratio = median_low(ratios)
    half = scale.quantile(0.025) * error
    undecided = Verdict(
        word="unstable",
        ratio=ratio,
        low=ratio / _factor(half),
        high=ratio * _factor(half),
        best_ratio=median_low(bests),
        limit=_factor(limits.final),
        smallest_seen=_factor(limits.final + Z95 * errors(before, taken[:1], scale)),
        chance=scale.chance(log(ratio) / error),
        reason=_said(ratios, _factor(limits.final)),
        measured=len(taken),
    )
    slow = log(median_low(map(min, ratios, bests)))
    fast = log(max(ratios[-1], bests[-1]))
    return _decided(undecided, limits, (slow, fast), _spread(taken, before, scale), rules)


def _factor(log_of_it: float) -> float:
    """Return a ratio by its logarithm, a very large one where it would be no number."""
    return exp(min(log_of_it, _LARGEST))


def _limits(before: Stored, taken: Sequence[Timing], scale: Known, rules: Rules) -> _Limits:
    floor = log(rules.lines.floor)
    twice = list(taken) if len(taken) > 1 else [taken[0], taken[0]]
    error, final = errors(before, taken, scale), scale.limit * errors(before, twice, scale)
    first = max(floor, min(final, scale.quantile(rules.suspicion) * error))
    return _Limits(first, max(floor, final), max(floor, scale.limit * error))


def _decided(
    undecided: Verdict, limits: _Limits, logs: tuple[float, float], spread: str, rules: Rules
) -> Verdict:
    """Find the word: `logs` are the slowdown that all submissions show, and the speed-up."""
    slow, fast = logs
    measured, seen = undecided.measured, undecided.smallest_seen
    if slow > limits.final and measured in LOOKS:
        return replace(undecided, word="slower")
    if slow > limits.first and measured < MOST:
        return replace(undecided, word="slower", suspected=True)
    if fast < -limits.faster and measured == 1:
        return replace(undecided, word="faster")
    within = -limits.faster <= log(undecided.ratio) <= limits.first
    if within and seen <= rules.lines.blind:
        return replace(undecided, word="same")
    said = undecided.reason
    if not within and seen <= undecided.ratio:
        said += f", but the fastest submission {change(undecided.best_ratio)}"
    return replace(undecided, reason=f"{said}, but {spread}: {unseen(seen)}")


def _said(ratios: Sequence[float], limit: float) -> str:
    first, *again = map(change, ratios)
    return f"{', then '.join([f'first {first}' if again else first, *again])}, limit {limit:.3f}x"


def _spread(taken: Sequence[Timing], before: Stored, scale: Known) -> str:
    """Say what the limit rests on: how far runs lie apart, and how much the pairs scatter."""
    runs = "1 stored run" if before.runs == 1 else f"{before.runs} stored runs"
    within = max(before.spread, *(one.spread for one in taken))
    how = "lie" if scale.seen else "are taken to lie"
    return (
        f"runs {how} {100 * scale.between:.1f} % apart ({runs}), "
        f"spread within one {100 * within:.1f} %"
    )
