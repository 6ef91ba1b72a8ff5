"""What should a person look at, and do next, after a run?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_applegpu.report.failure import bug_text
from pytest_applegpu.report.phrases import escaped, number
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.rows import failed, is_gone, is_known
from pytest_applegpu.words import CARD, NUMBERS, SPEED

_LOAD = re.compile(r"(?<=load of )\d+(?:\.\d+)?")

NO_REASON = "no reason given"

KNOWN: Final = "known issue"
GONE: Final = "known issue gone"
"""How cases are counted that show a known issue, and that should have shown one."""

_NEWS = 1000
"""Characters that the changes of one card may take."""

NAMED = 3
"""So many cases or causes are named; of the rest only the number is given."""


def counts(records: Sequence[Record]) -> str:
    """Return how many cases ended in each verdict, the failing ones first."""
    found = Counter(map(_ended, records))
    outcomes = {GONE: "failed", **NUMBERS, **SPEED, **CARD, KNOWN: "warned"}
    rank = {"failed": 0, "warned": 1, "passed": 2, "skipped": 3}
    order = sorted(found, key=lambda word: (rank[outcomes[word]], list(outcomes).index(word)))
    cases = "1 case" if len(records) == 1 else f"{len(records)} cases"
    return f"{cases}: " + ", ".join(f"{found[word]} {word}" for word in order)


def _ended(record: Record) -> str:
    return GONE if is_gone(record) else KNOWN if is_known(record) else record.verdict


def known_issues(records: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each known issue that happened, the commonest first."""
    found = Counter(one for record in records for one in record.known if one.state == "happened")
    for one, count in found.most_common():
        cases = "1 case" if count == 1 else f"{count} cases"
        yield f"{KNOWN} {one.id} ({cases}): {escaped(one.what)} ({escaped(one.source)})"


def bugs(records: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each public bug whose cases failed, regressions first."""
    found = Counter(one for record in records if failed(record) for one in record.bugs)
    for one, count in sorted(found.items(), key=lambda item: (item[0].affected, item[0].id)):
        cases = "1 case" if count == 1 else f"{count} cases"
        yield f"{bug_text(one)} ({cases})"


def warnings(records: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each verdict that does not fail and yet should be known."""
    emulated = [_emulated(record) for record in records if record.backend == "emulated"]
    if emulated:
        yield f"emulated: {_some(list(dict.fromkeys(emulated)), ', ')}: not a GPU, not run on a Mac"
    creeping = [_creeping(record) for record in records if record.verdict == "creeping"]
    unstable = [_unstable(record) for record in records if _says(record, "unstable")]
    if creeping:
        yield f"creeping: {_some(creeping, ', ')}"
    if unstable:
        yield f"unstable: {_some(unstable, ', ')}"
    yield from _cards(records)
    rerouted = [_rerouted(record) for record in records if _changed(record)]
    if rerouted:
        yield f"rerouted since the baseline: {_some(rerouted, '; ')}"
    for word in ("not comparable", "unsupported"):
        named = _grouped([_reason(record) for record in records if _says(record, word)])
        if named:
            yield f"{word}: {_some(named, '; ')}"


def _cards(records: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each way in which feature cards changed, with the cases that it is met in.

    Routes of one format tend to change alike: what is new is said once.
    """
    for word in ("card changed", "card unsteady"):
        groups: dict[tuple[str, ...], list[str]] = {}
        for record in records:
            if record.card is not None and record.verdict == word:
                groups.setdefault(record.card.changed, []).append(escaped(record.case))
        for changed, cases in groups.items():
            yield f"{word}: {escaped('; '.join(changed), _NEWS)} ({_some(cases, ', ')})"


def _emulated(record: Record) -> str:
    arch = record.route.arch if record.route else record.setting.arch
    return escaped(f"{arch or record.device} with MLX {record.mlx}")


def _changed(record: Record) -> bool:
    return record.route is not None and record.route.verdict == "rerouted"


def _rerouted(record: Record) -> str:
    route = record.route
    before = route.before[0] if route and route.before else "?"
    return f"{escaped(record.case)} ({escaped(before)} -> {escaped(route.path if route else '?')})"


def _grouped(reasons: Sequence[str]) -> list[str]:
    """Count like reasons, the commonest first; loads that differ are one reason, with a range."""
    groups: dict[str, list[str]] = {}
    for reason in reasons:
        groups.setdefault(_LOAD.sub("*", reason), []).append(reason)
    ordered = sorted(groups.values(), key=len, reverse=True)
    return [f"{_ranged(group)} ({len(group)})" for group in ordered]


def _ranged(group: Sequence[str]) -> str:
    loads = sorted({found for reason in group for found in _LOAD.findall(reason)}, key=float)
    if len(loads) < 2:
        return group[0]
    return _LOAD.sub(f"{loads[0]} to {loads[-1]}", group[0])


def likely_causes(records: Sequence[Record]) -> Iterator[str]:
    """Yield one line with all that has changed since stored times and cards, said once."""
    compared = (part for record in records for part in (record.baseline, record.card) if part)
    found = dict.fromkeys(cause for part in compared for cause in part.likely_causes)
    if found:
        yield f"changed since the baseline: {escaped('; '.join(found))}"


def next_steps(records: Sequence[Record], rerun: Rerun, *, storing: bool = False) -> Iterator[str]:
    """Yield the commands that make sense after this run, or after one that is `storing` itself."""
    red = list(dict.fromkeys(record.case for record in records if failed(record)))
    if red:
        which = "the case that failed" if len(red) == 1 else f"{len(red)} failed cases"
        first = "" if len(red) <= NAMED else f", the first {NAMED}"
        yield f"to rerun {which}{first}: {rerun.command(*red[:NAMED])}"
    if storing or any(record.versus for record in records):
        return  # times that were taken in turns are no baseline
    store = rerun.plain("--applegpu-update-baselines")
    without = sum(_says(record, "no baseline") for record in records)
    if without:
        yield f"{without} timed without a baseline; to store one: {store}"
    faster = sum(_says(record, "faster") for record in records)
    if faster and not red:
        yield f"{faster} faster than the baseline; to store the new times: {store}"
    crept = [record for record in records if record.verdict == "creeping"]
    grown = sum(_before(record) is not None for record in crept)
    if grown and not red:
        yield f"{grown} creeping above the stored error; to store the new ones: {store}"
    changed = sum(_says(record, "card changed") for record in records)
    if changed and not red:
        yield f"{changed} with another feature card than is stored; to store the new ones: {store}"


def _says(record: Record, word: str) -> bool:
    return word in (record.verdict, record.baseline.verdict if record.baseline else None)


def _creeping(record: Record) -> str:
    share, before = record.error.share if record.error else None, _before(record)
    if share is None:
        return escaped(record.case)
    past = "" if before is None else f", before {number(before)}"
    return f"{escaped(record.case)} ({number(share)} of its bound{past})"


def _before(record: Record) -> float | None:
    """Return the stored share that the error is held to, if there is one."""
    return record.error.budget.before if record.error and record.error.budget else None


def _unstable(record: Record) -> str:
    reason = _reason(record)
    if reason == NO_REASON and record.time and record.time.spread is not None:
        reason = f"spread {100 * record.time.spread:.2g} %"
    return f"{escaped(record.case)} ({reason})"


def _reason(record: Record) -> str:
    if record.versus and record.versus.speed:
        return escaped(record.versus.speed.reason)
    if record.baseline and record.baseline.reasons:
        return escaped("; ".join(record.baseline.reasons))
    if record.error:
        return escaped(record.error.cause or record.error.message or NO_REASON)
    return NO_REASON


def _some(texts: Iterable[str], joint: str) -> str:
    shown = list(texts)
    more = len(shown) - NAMED
    return joint.join(shown[:NAMED]) + (f"{joint}and {more} more" if more > 0 else "")
