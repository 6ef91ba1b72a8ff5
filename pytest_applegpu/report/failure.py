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
    ErrorFacts,
    Record,
    RouteFacts,
    TimeFacts,
)
from pytest_applegpu.report.rerun import Rerun

LINES: Final = 12
"""No failure text is longer than this."""


RULE: Final = 160
"""Characters of the rules that chose a route."""

STRICT: Final = frozenset({"exact", "projection"})
"""Kinds of case that have no bound to take a share of."""


def failure_text(record: Record, rerun: Rerun) -> str:
    """Return the text that explains `record`'s verdict and ends with the command to rerun it."""
    lines = [f"{escaped(record.case)}: {record.verdict} ({MEANINGS[record.verdict]})"]
    if record.error is not None:
        lines += _error_lines(record.error, strict=record.kind in STRICT)
    if record.time is not None:
        lines += _time_lines(record.time, record.baseline)
    if record.baseline is not None:
        lines += _baseline_lines(record.baseline)
    if record.route is not None:
        lines += [route_text(record.route)]
    lines += [_where(record)]
    return "\n".join([*lines[: LINES - 1], f"rerun: {rerun.command(record.case)}"])


def route_text(route: RouteFacts) -> str:
    """Return the route in one line: its path, the rule that chose it, and for which GPU."""
    where = f"{route.arch}, MLX {route.mlx}"
    if not route.here:
        where += ", whose shapes these are; not run here"
    rule = f" ({escaped(route.rule, RULE)})" if route.rule else ""
    changed = f"; {route.verdict}, before: {escaped(route.before[0])}" if route.before else ""
    return f"route: {escaped(route.path)}{rule} on {where}{changed}"


def _error_lines(error: ErrorFacts, *, strict: bool) -> Iterator[str]:
    worst = _worst(error, strict=strict)
    if worst:
        yield worst
    if error.got is not None or error.expected is not None:
        yield f"got {escaped(error.got or '?', 80)}, expected {escaped(error.expected or '?', 80)}"
    if error.wrong:
        yield _extent(error.wrong, error.total, error.pattern)
    elif error.pattern:
        yield f"pattern: {escaped(error.pattern)}"
    if error.cause:
        yield f"cause: {escaped(error.cause)}"
    if error.message:
        yield f"message: {escaped(error.message)}"


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
