"""What is said of a sweep? A table of sizes, its cliffs in sentences, and lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.report.phrases import duration, number
from pytest_applegpu.throughput.cliffs import FLOOR, Cliff, Point
from pytest_applegpu.throughput.roofline import rates

SHOWN: Final = 40
"""Rows of a table at the most: of more sizes, those beside cliffs and evenly spread ones."""


def sweep_text(name: str, axis: str, points: Sequence[Point], found: Sequence[Cliff]) -> str:
    """Return the table of one product, and its cliffs."""
    rows = [_row(point) for point in _shown(points, found)]
    head = (axis.upper(), "time", "95 % together", "TFLOP/s", "GB/s", "route")
    table = tabulate([head, *rows], tablefmt="plain", disable_numparse=True)
    lines = [f"  {cliff_text(axis, one)}" for one in found] or ["  no cliffs"]
    return "\n".join([name, table, f"  {_seen(points)}", *lines])


def cliff_text(axis: str, one: Cliff) -> str:
    """Say a cliff in one line: kind, sizes, routes, and the factor with its interval."""
    first, second = one.sizes
    if one.until is not None:
        where = f"{axis.upper()} = {first} to {one.until}, most at {second}"
    else:
        where = f"{axis.upper()} = {first} and {second}"
    low, high = number(one.low), number(one.high)
    routes = " against ".join(one.routes if one.routes[0] != one.routes[1] else one.routes[:1])
    told = f"; {routes}" if routes.strip() and all(one.routes) else ""
    return f"{one.kind}: {where}: {one.factor:.3g} times ({low} to {high}){told}"


def sweep_lines(name: str, axis: str, points: Sequence[Point]) -> Iterator[dict[str, Any]]:
    """Yield the measured sizes as JSON objects."""
    for one in points:
        tflops, gbs = rates(one.flops, one.bytes, one.seconds)
        yield {
            "kind": "point",
            "case": name,
            "axis": axis,
            "size": one.size,
            "seconds": one.seconds,
            "low": one.low,
            "high": one.high,
            "route": one.route or None,
            "flops": one.flops,
            "bytes": one.bytes,
            "tflops": tflops,
            "gbs": gbs,
        }


def cliff_lines(name: str, axis: str, found: Sequence[Cliff]) -> Iterator[dict[str, Any]]:
    """Yield cliffs as JSON objects."""
    for one in found:
        yield {
            "kind": one.kind,
            "case": name,
            "axis": axis,
            "sizes": list(one.sizes),
            "until": one.until,
            "routes": list(one.routes),
            "factor": one.factor,
            "low": one.low,
            "high": one.high,
        }


def _seen(points: Sequence[Point]) -> str:
    """Say from which factor on a cliff between two usual sizes would have shown."""
    wide = median(one.high / one.low for one in points)
    return f"a cliff shows from a factor of {FLOOR * wide:.3g} on, between usual sizes"


def _row(one: Point) -> tuple[str, ...]:
    tflops, gbs = rates(one.flops, one.bytes, one.seconds)
    ends = f"{duration(one.low)} to {duration(one.high)}"
    return str(one.size), duration(one.seconds), ends, number(tflops), number(gbs), one.route


def _shown(points: Sequence[Point], found: Sequence[Cliff]) -> list[Point]:
    step = -(-len(points) // SHOWN)
    beside = {size for one in found for size in one.sizes}
    return [one for n, one in enumerate(points) if n % step == 0 or one.size in beside]
