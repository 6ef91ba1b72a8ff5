"""What does a file become when this run's measurements are added to it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from pytest_applegpu.baselines.compare_card import card_changes
from pytest_applegpu.baselines.places import file_of
from pytest_applegpu.baselines.records import (
    SCHEMA,
    Baseline,
    BaselineError,
    Card,
    Hardware,
    Numbers,
    Part,
    Record,
    Routed,
    Run,
    Speed,
    run_id,
)
from pytest_applegpu.baselines.repeat import is_repeat, pooled
from pytest_applegpu.baselines.store import rewrite
from pytest_applegpu.baselines.text import decode, encode
from pytest_applegpu.throughput.apart import apart_on
from pytest_applegpu.throughput.roofline import Rates
from pytest_applegpu.throughput.slope import Timing

Kind = Literal["added", "repeated", "replaced"]


_WORDS: Final = {Numbers: "numbers", Speed: "speed", Routed: "route", Card: "card"}


@dataclass(frozen=True, slots=True)
class Change:
    """One part of one record that a merge changed."""

    case: str
    kind: Kind
    old: Part | None
    new: Part

    def __str__(self) -> str:
        """Say it in a line: `matmul-... tf32=off: speed replaced: 2.51e-03 s -> 2.02e-03 s`."""
        word = _WORDS[type(self.new)]
        if isinstance(self.new, Card) and isinstance(self.old, Card):
            return f"{self.case}: {word} {self.kind}: {_news(self.old, self.new)}"
        before = "" if self.old is None else f"{_figure(self.old)} -> "
        return f"{self.case}: {word} {self.kind}: {before}{_figure(self.new)}"


def speed_of(timing: Timing, rates: Rates, run: Run, method: str) -> Speed:
    """Return a timing as the file keeps it, as one run's."""
    return Speed(
        run=run_id(run),
        seconds=timing.seconds,
        low=timing.low,
        high=timing.high,
        spread=timing.spread,
        best=timing.best,
        repeats=timing.pairs,
        runs=1,
        between=None,
        tflops=rates.tflops,
        gbs=rates.gbs,
        method=method,
    )


def numbers_of(
    verdict: str, share: float | None, ulp: float | None, relative: float | None, run: Run
) -> Numbers:
    """Return a check's figures as the file keeps them: null where one is not finite."""
    held = (
        None if figure is None or not isfinite(figure) else figure
        for figure in (share, ulp, relative)
    )
    return Numbers(run_id(run), verdict, *held)


def gather(key: str, hardware: Hardware, measured: Iterable[tuple[str, Run, Part]]) -> Baseline:
    """Return this run's measurements, (case, run, part) each, as a baseline of their own."""
    runs: dict[str, Run] = {}
    cases: dict[str, Record] = {}
    for case, run, part in measured:
        runs[part.run] = run
        cases[case] = _with(cases.get(case), part)
    return Baseline(SCHEMA, key, hardware, runs, cases)


def write(folder: Path, new: Baseline) -> tuple[Change, ...]:
    """Merge this run's measurements into its hardware's file in `folder`.

    Raises:
        BaselineError: see `store.rewrite`; nothing is changed then.
    """
    changes: tuple[Change, ...] = ()

    def change(old: Baseline | None) -> Baseline:
        nonlocal changes
        # As the file keeps them: else a figure would differ from itself in its fifth digit.
        merged, changes = merge(old, decode(encode(new)))
        return merged

    rewrite(file_of(new.key, folder), change)
    return changes


def merge(old: Baseline | None, new: Baseline) -> tuple[Baseline, tuple[Change, ...]]:
    """Add `new` to `old`; no case is ever deleted, and a part that was not measured stays.

    A speed that was measured in the same way and under the same provenance, and that agrees,
    counts as one more run: the spread between runs grows out of these. Any other replaces what
    was there, and keeps the known spread between runs, which is the machine's. Equal numbers,
    routes and cards stay as they are, whoever measured them again.

    Raises:
        BaselineError: the two are about different hardware.
    """
    if old is None:
        old = Baseline(SCHEMA, new.key, new.hardware, {}, {})
    if (old.key, old.hardware) != (new.key, new.hardware):
        theirs, ours = _hardware(old), _hardware(new)
        raise BaselineError(f"$.hardware: {theirs} cannot take the figures of {ours}")
    runs, usual = old.runs | new.runs, apart_on(new.hardware.backend).usual
    found = (
        _change(case, old.cases.get(case), part, runs, usual)
        for case, record in new.cases.items()
        for part in record.parts
    )
    changes = tuple(change for change in found if change is not None)
    cases = dict(old.cases)
    for change in changes:
        cases[change.case] = _with(cases.get(change.case), change.new)
    return Baseline(SCHEMA, new.key, new.hardware, _named(runs, cases), cases), changes


def _named(runs: Mapping[str, Run], cases: Mapping[str, Record]) -> dict[str, Run]:
    """Return the runs that some record still names."""
    named = {part.run for record in cases.values() for part in record.parts}
    return {name: run for name, run in runs.items() if name in named}


def _hardware(baseline: Baseline) -> str:
    known = baseline.hardware
    return f"{baseline.key} ({known.backend}, {known.chip}, {known.gpu_cores} GPU cores)"


def _with(record: Record | None, part: Part) -> Record:
    known = {_WORDS[type(one)]: one for one in (*(record.parts if record else ()), part)}
    return Record(**known)  # type: ignore[arg-type]  # each part by its own word


def _change(
    case: str, record: Record | None, new: Part, runs: Mapping[str, Run], usual: float
) -> Change | None:
    if isinstance(new, Numbers):
        return _plain_change(case, record.numbers if record else None, new)
    if isinstance(new, Routed):
        return _plain_change(case, record.route if record else None, new)
    if isinstance(new, Card):
        return _plain_change(case, record.card if record else None, new)
    old = record.speed if record else None
    if old is None:
        return Change(case, "added", None, new)
    if is_repeat(old, new, runs, usual):
        return Change(case, "repeated", old, pooled(old, new))
    between = old.between if old.method == new.method else None
    return Change(case, "replaced", old, replace(new, between=new.between or between))


def _plain_change(
    case: str, old: Numbers | Routed | Card | None, new: Numbers | Routed | Card
) -> Change | None:
    if old is None:
        return Change(case, "added", None, new)
    if replace(new, run=old.run) == old:
        return None
    return Change(case, "replaced", old, new)


def _news(old: Card, new: Card) -> str:
    return "; ".join(card_changes(old.features, new.features))


def _figure(part: Part) -> str:
    if isinstance(part, Numbers):
        share = "" if part.share is None else f" at {part.share:.3g} of the bound"
        return f"{part.verdict}{share}"
    if isinstance(part, Routed):
        return part.path
    if isinstance(part, Card):
        return f"{len(part.features)} features"
    return f"{part.seconds:.3g} s"
