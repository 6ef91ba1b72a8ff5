"""Is a case as fast as it was on this hardware, and if not, what else has changed?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.baselines.records import Run, Speed
from pytest_applegpu.baselines.store import Past
from pytest_applegpu.throughput import verdict as speed_verdict
from pytest_applegpu.throughput.apart import Stored, apart_on
from pytest_applegpu.throughput.slope import Timing
from pytest_applegpu.throughput.verdict import Rules, Verdict

OTHER_METHOD: Final = "another way of measuring"

CAUSES: Final[dict[str, str]] = {
    "mlx": "MLX",
    "wheel": "wheel",
    "os": "OS",
    "nax": "NAX",
    "tf32_measured": "TF32 measured",
    "arch": "architecture",
}
"""What may explain a change of speed, in words. None of it keeps a case from being compared."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A word of `words.SPEED`, what it rests on, and what has changed since.

    `verdict` is None for `no baseline` and `not comparable`; `reasons` say why a case is not
    comparable, or would not be if there were a baseline. `likely_causes` (`MLX 0.32.1 -> 0.32.4`)
    are all differences of provenance, whatever the word.
    """

    word: str
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    likely_causes: tuple[str, ...] = ()
    past: Past[Speed] | None = None

    @property
    def suspected(self) -> bool:
        """Whether this is a slowdown that has yet to be measured again."""
        return self.verdict is not None and self.verdict.suspected


@dataclass(frozen=True, slots=True)
class Frame:
    """What a verdict also depends on: the backend, and how many cases the run times in all."""

    backend: str
    timed: int = 1


def compare_speed(
    taken: Sequence[Timing],
    method: str,
    run: Run,
    past: Past[Speed] | None,
    unfit: tuple[str, ...] = (),
    *,
    frame: Frame,
) -> Comparison:
    """Compare what was measured of a case, once or again, with what is stored for this hardware.

    `unfit` holds what makes this machine unfit for a comparison now (power, heat, load, a
    virtual GPU), empty when it is fit.
    """
    if past is None:
        return Comparison("no baseline", reasons=unfit)
    causes = likely_causes(past.run, run)
    reasons = unfit if method == past.part.method else (*unfit, OTHER_METHOD)
    if reasons:
        return Comparison("not comparable", None, reasons, causes, past)
    rules = Rules(apart=apart_on(frame.backend))
    found = speed_verdict.compare(taken, stored(past.part), frame.timed, rules)
    return Comparison(found.word, found, (), causes, past)


def likely_causes(before: Run, now: Run) -> tuple[str, ...]:
    """Name what differs between two runs: `NAX yes -> no`."""
    return tuple(
        f"{word} {getattr(before, name) or 'unknown'} -> {getattr(now, name) or 'unknown'}"
        for name, word in CAUSES.items()
        if getattr(before, name) != getattr(now, name)
    )


def stored(speed: Speed) -> Stored:
    """Return a stored speed as `throughput` takes it."""
    return Stored(
        seconds=speed.seconds,
        low=speed.low,
        high=speed.high,
        spread=speed.spread,
        best=speed.best,
        runs=speed.runs,
        between=speed.between,
        pairs=speed.repeats,
    )
