"""How does what was found on two builds become a part of a case's record?"""

from __future__ import annotations

from msgspec import structs

from pytest_applegpu.baselines.compare_card import card_changes
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.cards.card import Carded
from pytest_applegpu.conduct.records import Item, ended_record, verdict_record
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.conduct.versus.numbers import Both
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.versus_records import (
    BitsFacts,
    Change,
    DuelFacts,
    NumbersFacts,
    RunFacts,
    VersusFacts,
)
from pytest_applegpu.throughput.duel import Duel
from pytest_applegpu.words import outcome


def with_numbers(record: Record, run: RunFacts, both: Both) -> Record:
    """Return the record of a numeric case with what the other build made of it."""
    error, bits = both.other.error, both.bits
    facts = NumbersFacts(
        verdict=both.other.verdict,
        change=change(both.this.verdict, both.other.verdict),
        share=error.share if error else None,
        message=(error.cause or error.message) if error else None,
        bits=None
        if bits is None
        else BitsFacts(
            identical=bits.identical,
            differing=bits.differing,
            total=bits.total,
            ulp=bits.ulp,
            misfit=bits.misfit,
        ),
        note=both.note,
    )
    return structs.replace(record, versus=VersusFacts(run=run, numbers=facts))


def change(this: str, other: str) -> Change:
    """Say of two verdicts about numbers on which build the case fails."""
    ends = (outcome(this), outcome(other))
    if "skipped" in ends:
        return "alike" if this == other else "not comparable"
    fails, failed = (end == "failed" for end in ends)
    if fails == failed:
        return "both fail" if fails else "alike"
    return "broken" if fails else "fixed"


def with_card(record: Record, run: RunFacts, other: Carded) -> Record:
    """Return the record of a feature card with what differs on the other build."""
    mine, theirs = record.card, other.facts
    changed: tuple[str, ...] = ()
    if mine is not None and theirs is not None:
        changed = card_changes(theirs.features, mine.features)
    elif (mine is None) != (theirs is None):
        changed = (f"{other.verdict} -> {record.verdict}",)
    return structs.replace(record, versus=VersusFacts(run=run, changed=changed))


def duel_record(item: Item, bench: Bench, run: RunFacts, found: Duel | Ended) -> Record:
    """Return the record of a case that was timed on both builds."""
    if isinstance(found, Ended):
        record = ended_record(item, bench, found)
        return structs.replace(record, versus=VersusFacts(run=run))
    record = verdict_record(item, bench, found.word)
    return structs.replace(record, versus=VersusFacts(run=run, speed=_facts(found)))


def _facts(duel: Duel) -> DuelFacts:
    found = duel.found
    return DuelFacts(
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        limit=duel.limit,
        smallest_seen=duel.smallest_seen,
        chance=duel.chance,
        seconds=found.seconds,
        other_seconds=found.other_seconds,
        spread=found.spread,
        count=found.count,
        rounds=found.rounds,
        confirmed=duel.confirmed,
        reason=duel.reason,
    )
