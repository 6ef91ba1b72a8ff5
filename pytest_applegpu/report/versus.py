"""What does the summary say of two builds? Text from records and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from tabulate import tabulate

from pytest_applegpu.report.phrases import escaped, number
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.versus_records import BitsFacts, DuelFacts, NumbersFacts

NAMED: Final = 5
"""So many cases are named of a kind."""

CASE: Final = 48
"""Characters of a case in the table."""


class Timed(NamedTuple):
    """A timed case, its verdict and figures, and the share of false alarms among all as sure."""

    case: str
    verdict: str
    speed: DuelFacts
    share: float


class Mean(NamedTuple):
    """The geometric mean of the ratios of a route's cases, and its 95 % interval."""

    route: str
    cases: int
    ratio: float
    low: float
    high: float


def versus_text(records: Sequence[Record], timed: Sequence[Timed], means: Sequence[Mean]) -> str:
    """Return tables of ratios by case and by route, then what numbers and cards differ."""
    parts = [_cases(timed), _means(means), "\n".join(_numbers(records))]
    return "\n\n".join(part for part in parts if part)


def _cases(timed: Sequence[Timed]) -> str:
    if not timed:
        return ""
    head = ("this/other", "ratio", "95 %", "limit", "seen from", "q", "verdict")
    rows = [
        (
            escaped(one.case, CASE),
            f"{one.speed.ratio:.3f}",
            f"{one.speed.low:.3f}-{one.speed.high:.3f}",
            f"{one.speed.limit:.3f}",
            f"{one.speed.smallest_seen:.3f}",
            f"{one.share:.1g}",
            one.verdict,
        )
        for one in timed
    ]
    return _table(head, rows)


def _means(means: Sequence[Mean]) -> str:
    if not means:
        return ""
    head = ("route", "cases", "geometric mean", "95 %")
    rows = [_mean(one) for one in means]
    return _table(head, rows)


def _mean(one: Mean) -> tuple[str, ...]:
    ends = f"{one.low:.3f}-{one.high:.3f}"
    return escaped(one.route, CASE), str(one.cases), f"{one.ratio:.3f}", ends


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return tabulate([head, *rows], tablefmt="plain", disable_numparse=True)


def _numbers(records: Sequence[Record]) -> Iterator[str]:
    found = [(one.case, one.versus.numbers) for one in records if one.versus and one.versus.numbers]
    if found:
        yield _bits([facts.bits for _, facts in found])
    differing = [(case, facts.bits) for case, facts in found if facts.bits and _other(facts)]
    if differing:
        named = (f"{escaped(case)} ({bits_text(bits)})" for case, bits in differing)
        yield f"other bits: {_some(named)}"
    for word, said in (
        ("fixed", "fixed, wrong on the other build alone"),
        ("broken", "broken, right on the other build"),
        ("not comparable", "not comparable"),
    ):
        such = [(case, facts) for case, facts in found if facts.change == word]
        if such:
            yield f"{said} ({len(such)}): {_some(map(_told, such))}"
    cards = [one for one in records if one.versus and one.versus.changed]
    if cards:
        yield f"another arithmetic: {_some(map(_card, cards))}"


def _other(facts: NumbersFacts) -> bool:
    return facts.bits is not None and not facts.bits.identical


def _bits(found: Sequence[BitsFacts | None]) -> str:
    known = [one for one in found if one is not None]
    cases = "1 case" if len(found) == 1 else f"{len(found)} cases"
    alike = sum(one.identical for one in known)
    unknown = f", {len(found) - len(known)} without two results" if len(known) < len(found) else ""
    return (
        f"numbers of {cases}: {alike} bit-identical on both builds, "
        f"{len(known) - alike} with other bits{unknown}"
    )


def bits_text(bits: BitsFacts) -> str:
    """Return how two results differ: `12 of 4096 elements, up to 2 ULP`."""
    if bits.misfit is not None:
        return escaped(bits.misfit)
    far = "" if bits.ulp is None else f", up to {number(bits.ulp)} ULP"
    return f"{bits.differing} of {bits.total} elements{far}"


def _told(one: tuple[str, NumbersFacts]) -> str:
    case, facts = one
    said = f": {escaped(facts.message, 120)}" if facts.message else ""
    return f"{escaped(case)} (other build: {facts.verdict}{said})"


def _card(record: Record) -> str:
    changed = record.versus.changed if record.versus else ()
    return f"{escaped(record.case)} ({escaped('; '.join(changed))})"


def _some(texts: Iterable[str]) -> str:
    shown = list(texts)
    more = len(shown) - NAMED
    return "; ".join(shown[:NAMED]) + (f"; and {more} more" if more > 0 else "")


def speed_lines(speed: DuelFacts) -> Iterator[str]:
    """Yield what a failed case says of both builds' times."""
    yield (
        f"this/other {speed.ratio:.3f} ({speed.low:.3f} to {speed.high:.3f}), limit "
        f"{speed.limit:.3f}: {number(speed.seconds * 1e6)} us against "
        f"{number(speed.other_seconds * 1e6)} us, {speed.rounds} rounds of A B B A, "
        f"spread {100 * speed.spread:.2g} %"
    )
    yield (
        f"reasons: {escaped(speed.reason)}; chance {speed.chance:.1g}; "
        f"the smallest slowdown that could have been seen is {speed.smallest_seen:.3f}x"
    )


def numbers_line(facts: NumbersFacts) -> str:
    """Return what the other build made of a case that failed on this one."""
    bits = f", {bits_text(facts.bits)} differ" if _other(facts) and facts.bits else ""
    same = ", the same bits" if facts.bits and facts.bits.identical else ""
    return f"other build: {facts.verdict}{bits}{same}"
