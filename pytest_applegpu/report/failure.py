"""What does a person need to know of one failed case? At most twelve lines, the command last."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.report.phrases import (
    MEANINGS,
    duration,
    escaped,
    index,
    interval,
    number,
    share,
)
from pytest_applegpu.report.records import (
    BaselineFacts,
    BlameFacts,
    BudgetFacts,
    BugFacts,
    ErrorFacts,
    Record,
    RouteFacts,
    ShrunkFacts,
    TimeFacts,
)
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.versus import numbers_line, speed_lines
from pytest_applegpu.words import outcome

LINES: Final = 12
"""No failure text is longer than this."""

SPARED: Final = ("message: ", "bound: ", "matched: ", "got ")
"""How the lines begin that are left out first where there are too many; the log has them all."""


RULE: Final = 160
"""Characters of the rules that chose a route."""

LEAST: Final = 0.0005
"""Share from which a part of a bound is named."""

STRICT: Final = frozenset({"exact", "projection"})
"""Kinds of case that have no bound to take a share of."""


STARTS: Final = 800
"""Characters of where a fault begins, and of the rules that are crossed there."""


def failure_text(record: Record, rerun: Rerun, bundle: str | None = None) -> str:
    """Return the text that explains `record`'s verdict and ends with the command to rerun it.

    `bundle` says where its bundle was written.
    """
    lines = [f"{escaped(record.case)}: {record.verdict} ({MEANINGS[record.verdict]})"]
    if record.error is not None:
        lines += _error_lines(record.error, record.verdict, strict=record.kind in STRICT)
    if record.time is not None:
        lines += _time_lines(record.time, record.baseline)
    if record.baseline is not None:
        lines += _baseline_lines(record.baseline)
    if record.versus is not None and record.versus.speed is not None:
        lines += speed_lines(record.versus.speed)
    if record.versus is not None and record.versus.numbers is not None:
        lines += [numbers_line(record.versus.numbers)]
    if record.route is not None:
        lines += [route_text(record.route)]
    lines += map(bug_text, record.bugs)
    lines += [_where(record)]
    last = [f"rerun: {rerun.command(record.case)}"]
    if bundle is not None:
        last.insert(0, f"bundle: {escaped(bundle)}")
    return "\n".join([*_shortened(lines, LINES - len(last)), *last])


def _shortened(lines: list[str], most: int) -> list[str]:
    """Leave out what tells least until no more than `most` lines are left."""
    for beginning in SPARED:
        if len(lines) > most:
            lines = [line for line in lines if not line.startswith(beginning)]
    return lines[:most]


def route_text(route: RouteFacts) -> str:
    """Return the route in one line: its path, the rule that chose it, and for which GPU."""
    where = f"{route.arch}, MLX {route.mlx}"
    if not route.here:
        where += ", whose shapes these are; not run here"
    rule = f" ({escaped(route.rule, RULE)})" if route.rule else ""
    changed = f"; {route.verdict}, before: {escaped(route.before[0])}" if route.before else ""
    return f"route: {escaped(route.path)}{rule} on {where}{changed}"


_HAD: Final = {"none": "in no release of MLX", "": "in all MLX"}
"""Which versions had a bug, where none are numbered."""


def bug_text(bug: BugFacts) -> str:
    """Return in one line which bug a failed case shows, or shows again, and where it is told of."""
    beginning = "bug" if bug.affected else "regression of"
    had = _HAD.get(bug.mlx, f"in MLX {bug.mlx}")
    return f"{beginning} {escaped(bug.id)}, {escaped(had)}: {escaped(bug.source)}"


def _error_lines(error: ErrorFacts, verdict: str, *, strict: bool) -> Iterator[str]:
    worst = _worst(error, strict=strict)
    if worst:
        yield worst
    if error.got is not None or error.expected is not None:
        yield f"got {escaped(error.got or '?', 80)}, expected {escaped(error.expected or '?', 80)}"
    yield from _place_lines(error)
    if error.cause:
        yield f"cause: {escaped(error.cause)}"
    if error.message:
        yield f"message: {escaped(error.message)}"
    if error.budget:
        yield f"bound: {budget_text(error.budget)}"
    if error.blame:
        yield blame_text(error.blame, verdict)
    if error.shrunk is not None:
        yield from _shrunk_lines(error.shrunk)


def _place_lines(error: ErrorFacts) -> Iterator[str]:
    if error.wrong:
        yield _extent(error.wrong, error.total, error.pattern)
    elif error.pattern:
        yield f"pattern: {escaped(error.pattern)}"
    if error.matched:
        yield f"matched: {escaped('; '.join(error.matched))}"


def _shrunk_lines(shrunk: ShrunkFacts) -> Iterator[str]:
    said = "; ".join((*shrunk.starts, *shrunk.rules))
    if not shrunk.tried:
        yield f"not shrunk: {escaped(said)}"
        return
    yield f"smallest: {escaped(shrunk.case)} ({shrunk.tried} cases tried)"
    if said:
        yield f"starts: {escaped(said, STARTS)}"


def blame_text(blame: tuple[BlameFacts, ...], verdict: str) -> str:
    """Return in one line where the same case was right, where it was not, and where it did not run.

    What failed otherwise than by `verdict` has its word beside it.
    """
    places: dict[str, list[str]] = {"right": [], "wrong too": [], "not run": []}
    for one in blame:
        if one.verdict is None:
            places["not run"].append(one.where)
        elif outcome(one.verdict) == "failed":
            word = "" if one.verdict == verdict else f" ({one.verdict})"
            places["wrong too"].append(f"{one.where}{word}")
        else:
            places["right"].append(one.where)
    said = (f"{word}: {', '.join(where)}" for word, where in places.items() if where)
    return escaped("; ".join(said))


def budget_text(budget: BudgetFacts) -> str:
    """Return what a bound is made of, in percent, and the model that it follows from."""
    parts = (
        ("operands", budget.operand),
        ("sums", budget.accumulate),
        ("output", budget.output),
        ("rest", budget.rest),
    )
    said = ", ".join(f"{word} {100 * part:.3g} %" for word, part in parts if part >= LEAST)
    return f"{said} ({escaped(budget.model)})" if budget.model else said


def _worst(error: ErrorFacts, *, strict: bool) -> str:
    bound = None if strict else error.share
    said = [
        f"{number(value)}{unit}"
        for value, unit in ((bound, " of its bound"), (error.ulp, " ULP"))
        if value is not None
    ]
    if error.relative is not None:
        said.append(f"relative {number(error.relative)}")
    if error.bias is not None:
        said.append(f"bias {number(error.bias)} ULP")
    if strict and said:
        said.append("no error is allowed")
    where = f" {index(error.worst)}" if error.worst else ""
    return f"worst element{where}: {', '.join(said)}" if said or where else ""


def _extent(wrong: int, total: int | None, pattern: str | None) -> str:
    of = f" of {total} elements ({share(wrong, total)})" if total else " elements"
    return f"wrong: {wrong}{of}" + (f": {escaped(pattern)}" if pattern else "")


def _time_lines(time: TimeFacts, baseline: BaselineFacts | None) -> Iterator[str]:
    now = f"now {duration(time.seconds)}"
    if time.low is not None and time.high is not None:
        now += f" ({duration(time.low)} to {duration(time.high)})"
    if time.spread is not None:
        now += f", spread {100 * time.spread:.2g} %"
    if baseline is not None and baseline.seconds is not None:
        now += f"; before {duration(baseline.seconds)}"
    yield now


def _baseline_lines(baseline: BaselineFacts) -> Iterator[str]:
    if baseline.ratio is not None:
        text = f"now/before {number(baseline.ratio)}{interval(baseline.low, baseline.high)}"
        limit = "" if baseline.limit is None else f", limit {number(baseline.limit)}"
        yield text + limit
    if baseline.reasons:
        yield f"reasons: {escaped('; '.join(baseline.reasons))}"
    if baseline.likely_causes:
        yield f"likely causes: {escaped('; '.join(baseline.likely_causes))}"


def _where(record: Record) -> str:
    measured = record.worker.tf32_measured
    facts = (
        record.backend,
        record.device,
        f"MLX {record.mlx}" if record.mlx else None,
        f"worker measured {measured}" if measured else None,
        None if record.seed is None else f"seed {record.seed}",
    )
    return f"on: {', '.join(escaped(fact) for fact in facts if fact) or 'unknown'}"
