"""What do rounds of A B B A say of two builds: how much slower is this one, and how sure is it?

The ratio of a round is the geometric mean of both submissions of this build over that of the other
one's. Every submission holds the same count of operations, so the overhead of submitting it stands
on both sides; it draws the ratio towards 1 by its share of the time, and no further. The median
over the rounds is the ratio, with the order statistics round it as its 95 % interval, no narrower
than blocks of rounds ask for, and widened by what two processes of one build differ by: rounds
repeat within one pair of processes and cannot see that. SciPy is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot, isfinite, log, pi, sqrt
from statistics import median
from typing import Final

from pytest_applegpu.throughput.abba import Round
from pytest_applegpu.throughput.interval import median_interval, relative_spread
from pytest_applegpu.throughput.slope import Unsound

Z95: Final = 1.96
"""Standard deviations on either side that hold 95 % of a normal distribution."""

BETWEEN: Final = 0.011
"""Relative standard deviation of the ratio of two processes of one build: 200 rounds a pair, CPU
backend on 2 shared cores. Memory, caches and cores are handed out anew to each process."""


BLOCK: Final = 10
"""Rounds of a block: some 0.1 s, in which other work mostly stays as it is."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The ratio of times, this build over the other one, above 1 where this one is slower.

    [`low`, `high`] is its 95 % interval and `error` its standard error as a share, both with what
    processes differ by. `spread` is the scatter of single rounds. `p_slower` and `p_faster` are
    how likely rounds of such a ratio are where nothing has changed. `seconds` and `other_seconds`
    are medians for one operation, overhead included.
    """

    ratio: float
    low: float
    high: float
    error: float
    spread: float
    p_slower: float
    p_faster: float
    seconds: float
    other_seconds: float
    count: int
    rounds: int


def paired(count: int, rounds: Sequence[Round], between: float = BETWEEN) -> Paired | Unsound:
    """Compare both sides of rounds whose submissions hold `count` operations each.

    Returns:
        The comparison, or `Unsound` where the clock went wrong.

    Raises:
        ValueError: there are no rounds, or `count` is below 1.
    """
    if not rounds or count < 1:
        raise ValueError(f"{len(rounds)} rounds of {count} operations say nothing")
    times = [time for one in rounds for side in one for time in side]
    if wrong := [time for time in times if not (isfinite(time) and time > 0)]:
        return Unsound(f"the clock said {wrong[0]} s for a submission")
    logs = [log_ratio(one) for one in rounds]
    centre, (low, high) = median(logs), median_interval(logs)
    wander = block_error(logs)
    error = hypot(max((high - low) / (2 * Z95), wander), between)
    down, up = (max(part, Z95 * wander) for part in (centre - low, high - centre))
    return Paired(
        ratio=exp(centre),
        low=exp(centre - hypot(down, Z95 * between)),
        high=exp(centre + hypot(up, Z95 * between)),
        error=error,
        spread=relative_spread([exp(one) for one in logs]),
        p_slower=chance(logs, error),
        p_faster=chance([-one for one in logs], error),
        seconds=median(time for one in rounds for time in one.this) / count,
        other_seconds=median(time for one in rounds for time in one.other) / count,
        count=count,
        rounds=len(rounds),
    )


def block_error(logs: Sequence[float]) -> float:
    """Return the standard error of the median as blocks of neighbouring rounds show it.

    Work that comes and goes beside slows many rounds in a row, which are not independent then:
    the order statistics of single rounds would be too sure. The medians of blocks scatter by what
    remains, and sqrt(pi / 2) is a median's standard error over a mean's. 0 for fewer than two.
    """
    blocks = [median(logs[at : at + BLOCK]) for at in range(0, len(logs) - BLOCK + 1, BLOCK)]
    if len(blocks) < 2:
        return 0.0
    scatter = relative_spread([exp(one) for one in blocks])
    return sqrt(pi / 2) * scatter / sqrt(len(blocks))


def log_ratio(one: Round) -> float:
    """Return the logarithm of a round's ratio: mean log of both of this side less the other's."""
    return (log(one.this[0]) + log(one.this[1]) - log(one.other[0]) - log(one.other[1])) / 2


def chance(logs: Sequence[float], error: float) -> float:
    """Return how likely rounds as slow as these are where nothing has changed.

    The larger of two answers: Wilcoxon's signed ranks, which take the rounds as they are and know
    nothing of processes, and a normal distribution of the median's standard `error`, which does.
    """
    from scipy.stats import norm, wilcoxon  # noqa: PLC0415

    if not any(logs):
        return 1.0
    ranks = float(wilcoxon(logs, alternative="greater").pvalue)
    return max(ranks, float(norm.sf(median(logs) / error)))


@dataclass(frozen=True, slots=True)
class Geometric:
    """The geometric mean of ratios, with its 95 % interval."""

    ratio: float
    low: float
    high: float
    cases: int


def together(found: Sequence[tuple[float, float, float]]) -> Geometric:
    """Return the geometric mean of ratios (ratio, low, high), each with its 95 % interval.

    The interval says how well the mean of just these cases is known; how far apart they lie is
    no error of it.

    Raises:
        ValueError: there are none.
    """
    from scipy.stats import gmean  # noqa: PLC0415

    if not found:
        raise ValueError("no ratios, no mean")
    ratio = float(gmean([one for one, _, _ in found]))
    half = sqrt(sum((log(high / low) / 2) ** 2 for _, low, high in found)) / len(found)
    return Geometric(ratio, ratio * exp(-half), ratio * exp(half), len(found))


def q_values(chances: Sequence[float]) -> list[float]:
    """Return of each case which share of false alarms there is where it and all as sure are red.

    Benjamini and Hochberg's, over the cases of one run.
    """
    from scipy.stats import false_discovery_control  # noqa: PLC0415

    return [float(one) for one in false_discovery_control(chances)] if chances else []
