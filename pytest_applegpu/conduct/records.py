"""How a case that is over becomes the record that every report is made from."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import convert, to_builtins

from pytest_applegpu.baselines.compare import Comparison
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.cards.card import Carded
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.conduct.speed import Ended, Measured
from pytest_applegpu.device.condition import Condition
from pytest_applegpu.report.records import (
    BaselineFacts,
    CardFacts,
    ErrorFacts,
    ProblemFacts,
    Record,
    RouteFacts,
    SettingFacts,
    TimeFacts,
    WorkerFacts,
)
from pytest_applegpu.setting import foreign_switches
from pytest_applegpu.throughput.nax import WORD as NAX_MISSED
from pytest_applegpu.throughput.roofline import Rates, rates, share


class Item(NamedTuple):
    """What a record is about: the case, the pytest item that ran it, and its route if known."""

    case: Case
    nodeid: str
    route: RouteFacts | None


def numbers_record(item: Item, bench: Bench, found: Numbers) -> Record:
    """Return the record of a numeric case."""
    return _record(item, bench, found.verdict, error=found.error)


def speed_record(item: Item, bench: Bench, found: Measured | Ended) -> Record:
    """Return the record of a timed case."""
    if isinstance(found, Ended):
        return ended_record(item, bench, found)
    word = NAX_MISSED if found.missed else found.comparison.word
    error = ErrorFacts(message=found.missed) if found.missed else None
    time, baseline = _time(item.case, found), _baseline(found.comparison)
    return _record(item, bench, word, error=error, time=time, baseline=baseline)


def ended_record(item: Item, bench: Bench, found: Ended) -> Record:
    """Return the record of a case that gave no time."""
    return _record(item, bench, found.verdict, error=ErrorFacts(message=found.message))


def verdict_record(item: Item, bench: Bench, verdict: str) -> Record:
    """Return the record of a case of which its verdict is all that belongs to one build."""
    return _record(item, bench, verdict)


def card_record(item: Item, bench: Bench, found: Carded) -> Record:
    """Return the record of a feature card."""
    return _record(item, bench, found.verdict, error=found.error, card=found.facts)


def _record(
    item: Item,
    bench: Bench,
    verdict: str,
    *,
    error: ErrorFacts | None = None,
    time: TimeFacts | None = None,
    baseline: BaselineFacts | None = None,
    card: CardFacts | None = None,
) -> Record:
    case = item.case
    return Record(
        case=str(case),
        kind=case.check,  # type: ignore[arg-type]  # checked where a case is made
        problem=convert(case.problem.as_json(), ProblemFacts),
        setting=convert(case.setting.as_json(), SettingFacts),
        route=item.route,
        verdict=verdict,
        error=error,
        time=time,
        baseline=baseline,
        card=card,
        device=bench.device.key.value or bench.device.name.value,
        backend=bench.backend,
        mlx=bench.device.mlx_version.value,
        worker=WorkerFacts(
            tf32_measured=bench.precision(case.setting).name,
            switches=foreign_switches(bench.environment),
        ),
        seed=bench.config.seed,
        nodeid=item.nodeid,
    )


def _time(case: Case, found: Measured) -> TimeFacts:
    timing = found.timing
    reached = rates(case.problem.flops, case.problem.bytes, timing.seconds)
    return TimeFacts(
        seconds=timing.seconds,
        low=timing.low,
        high=timing.high,
        spread=timing.spread,
        overhead_seconds=timing.overhead_seconds,
        best=timing.best,
        count=timing.count,
        pairs=timing.pairs,
        samples=timing.samples,
        tflops=reached.tflops,
        gbs=reached.gbs,
        peak_share=_peak_share(case, found, reached),
        condition=_condition(found.condition),
    )


def _peak_share(case: Case, found: Measured, reached: Rates) -> float | None:
    """Return the share of the peak that binds: memory's for a GEMV, arithmetic's for the rest."""
    if 1 in {case.problem.m, case.problem.n}:
        return share(reached.gbs, found.peak_gbs)
    return share(reached.tflops, found.peak_tflops)


def _condition(condition: Condition) -> dict[str, Any]:
    return {
        "power_source": condition.power_source.value,
        "power_mode": condition.power_mode.value,
        "thermal": condition.thermal.value,
        "load": condition.load.value,
        "throttle": list(condition.throttle.value or ()),
    }


def _baseline(comparison: Comparison) -> BaselineFacts:
    judged, past = comparison.verdict, comparison.past
    return BaselineFacts(
        verdict=comparison.word,
        seconds=past.part.seconds if past else None,
        ratio=judged.ratio if judged else None,
        low=judged.low if judged else None,
        high=judged.high if judged else None,
        limit=judged.limit if judged else None,
        smallest_seen=judged.smallest_seen if judged else None,
        reasons=comparison.reasons or ((judged.reason,) if judged else ()),
        likely_causes=comparison.likely_causes,
        run=to_builtins(past.run) if past else None,
    )
