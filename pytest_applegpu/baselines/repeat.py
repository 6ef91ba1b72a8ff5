"""When is a speed the same thing measured again, and what do two such measurements say?"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, hypot, log, sqrt
from typing import Final

from msgspec.structs import replace

from pytest_applegpu.baselines.records import Run, Speed

SPREADS: Final = 4.0
"""Standard deviations that figures of one provenance may lie apart and still agree."""


def is_repeat(old: Speed, new: Speed, runs: Mapping[str, Run], usual: float) -> bool:
    """Whether `new` is the same thing measured again, with a figure that agrees.

    It agrees within what runs differ by: as is `usual` on the backend, or as these figures say
    where that is more. Too narrow a rule would leave out the very runs that show the spread.
    """
    before, now = runs[old.run], runs[new.run]
    if old.method != new.method or replace(before, date=now.date) != now:
        return False
    noise = max(usual, old.spread, new.spread, old.between or 0.0)
    apart = noise * sqrt(1 / old.runs + 1 / new.runs)
    return abs(log(new.seconds / old.seconds)) <= SPREADS * apart


def pooled(old: Speed, new: Speed) -> Speed:
    """Return both as one: their geometric mean by number of runs, and the spread between all.

    Means and squared deviations of log seconds are pooled as in Chan, Golub & LeVeque (1983),
    so that only the figures in the file are needed, not every run's. A spread that was kept from
    before a change counts as one degree of freedom.
    """
    runs = old.runs + new.runs
    weight = new.runs / runs

    def mean(before: float, now: float) -> float:
        return exp((1 - weight) * log(before) + weight * log(now))

    seconds = mean(old.seconds, new.seconds)
    scale = seconds / new.seconds
    return replace(
        new,
        seconds=seconds,
        low=min(seconds, new.low * scale),
        high=max(seconds, new.high * scale),
        spread=(1 - weight) * old.spread + weight * new.spread,
        best=mean(old.best, new.best),
        runs=runs,
        between=_between(old, new),
        tflops=new.tflops / scale,
        gbs=new.gbs / scale,
    )


def _between(old: Speed, new: Speed) -> float:
    apart = log(new.seconds / old.seconds) / hypot(1 / sqrt(old.runs), 1 / sqrt(new.runs))
    freedom = [_freedom(old), _freedom(new)]
    known = freedom[0] * (old.between or 0.0) ** 2 + freedom[1] * (new.between or 0.0) ** 2
    return sqrt((known + apart**2) / (sum(freedom) + 1))


def _freedom(speed: Speed) -> int:
    return max(speed.runs - 1, 0 if speed.between is None else 1)
