"""What is said of the roofline? Peaks, medians of each route, and published figures beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tabulate import tabulate

from pytest_applegpu.report.phrases import escaped, number
from pytest_applegpu.throughput.roof import RouteRow, Spot, best, by_route

ROUTE: Final = 34
"""Characters of a route in the table."""


class Reference(NamedTuple):
    """A measured product, and what somebody published of the same one on the same chip."""

    case: str
    tflops: float
    published: float
    software: str
    source: str


def roofline_text(spots: Sequence[Spot], references: Sequence[Reference]) -> str:
    """Return the section; empty where nothing was timed on a chip whose peaks are known."""
    if not any(one.binds for one in spots):
        return ""
    parts = [_peaks(spots), _routes(by_route(spots))]
    if references:
        lines = "\n".join(map(_reference, references))
        parts.append(f"published, as a reference and no baseline:\n{lines}")
    return "\n\n".join(parts)


def _peaks(spots: Sequence[Spot]) -> str:
    lines = []
    for dtype in dict.fromkeys(one.dtype for one in spots):
        tflops, gbs = best(spots, dtype)
        peaks = [one for one in spots if one.dtype == dtype]
        computed = max((one.peak_tflops or 0 for one in peaks), default=0)
        memory = max((one.peak_gbs or 0 for one in peaks), default=0)
        lines.append(
            f"roofline {dtype}: best measured {number(tflops)} TFLOP/s and {number(gbs)} GB/s; "
            f"computed peaks {_known(computed)} TFLOP/s and {_known(memory)} GB/s"
        )
    return "\n".join(lines)


def _known(value: float) -> str:
    return number(value) if value else "unknown"


def _routes(rows: Sequence[RouteRow]) -> str:
    head: tuple[str, ...] = (
        "route",
        "dtype",
        "cases",
        "ops/byte",
        "TFLOP/s",
        "GB/s",
        "of roof",
        "binds",
    )
    cells: list[tuple[str, ...]] = [
        (
            escaped(one.route, ROUTE),
            one.dtype,
            str(one.cases),
            number(one.intensity),
            number(one.tflops),
            number(one.gbs),
            "" if one.share is None else f"{100 * one.share:.3g} %",
            one.binds or "",
        )
        for one in rows
    ]
    if any(one.per_core is not None for one in rows):
        head = (*head, "groups/core")
        cores = ("" if one.per_core is None else number(one.per_core) for one in rows)
        cells = [(*cell, core) for cell, core in zip(cells, cores, strict=True)]
    return tabulate([head, *cells], tablefmt="plain", disable_numparse=True)


def _reference(one: Reference) -> str:
    said = f"{number(one.tflops)} TFLOP/s here, {number(one.published)} published"
    return f"  {escaped(one.case, 48)}: {said} ({escaped(one.software)}; {escaped(one.source)})"
