"""What does a versus run say at its end? Ratios by case and by route, and what numbers differ."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rows import shape_class
from pytest_applegpu.report.versus import Mean, Timed, versus_text
from pytest_applegpu.throughput.paired import q_values, together


def told(records: Sequence[Record]) -> str:
    """Return the summary's part about two builds; empty where no case ran on two."""
    held = [record for record in records if record.versus is not None]
    if not held:
        return ""
    return versus_text(held, timed(held), means(held))


def timed(records: Sequence[Record]) -> list[Timed]:
    """Return the timed cases, each with its share of false alarms among all as sure."""
    found = [(one, one.versus.speed) for one in records if one.versus and one.versus.speed]
    shares = q_values([min(1.0, speed.chance) for _, speed in found])
    return [
        Timed(record.case, record.verdict, speed, share)
        for (record, speed), share in zip(found, shares, strict=True)
    ]


def means(records: Sequence[Record]) -> list[Mean]:
    """Return the geometric mean of the ratios of each route, in the order in which they came."""
    groups: dict[str, list[tuple[float, float, float]]] = {}
    for record in records:
        if record.versus and record.versus.speed:
            speed = record.versus.speed
            groups.setdefault(route(record), []).append((speed.ratio, speed.low, speed.high))
    return [Mean(name, *_together(group)) for name, group in groups.items()]


def _together(group: list[tuple[float, float, float]]) -> tuple[int, float, float, float]:
    found = together(group)
    return found.cases, found.ratio, found.low, found.high


def route(record: Record) -> str:
    """Return the route that ran; where none is known, the backend, the operation and its shape."""
    if record.route is not None and record.route.here:
        return record.route.path
    return f"{record.backend} {record.problem.op} {shape_class(record)}"
