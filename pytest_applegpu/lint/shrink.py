"""What is the smallest problem that still shows a finding?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_applegpu.lint.axes import Axis, axes, layouts
from pytest_applegpu.lint.check import of_route
from pytest_applegpu.lint.finding import Finding, Kind, smallest
from pytest_applegpu.lint.rules import BY_NAME
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.lines import call_of, target_of

ROUNDS: Final = 4
"""How often all sizes are tried in turn; each round begins with what the last one left."""


def shrunk(finding: Finding) -> Finding:
    """Return the finding of the same kind with layouts plain and sizes as small as they will go.

    Sizes are bisected one after another. A finding whose line cannot be read back is returned as
    it is.
    """
    found = _again(finding.call, finding)
    if found is None:
        return finding
    best = found
    for _ in range(ROUNDS):
        before = best
        for line in _simpler(best.call):
            best = _again(line, finding) or best
        for axis in sorted(axes(best.call), key=lambda axis: -axis.of(best.call)):
            best = _shortened(axis, best)
        if best.size == before.size:
            break
    return best


def shrunk_kinds(findings: Iterable[Finding]) -> list[Kind]:
    """Return the kinds of findings as `smallest` does, each with its smallest one shrunk."""
    return [replace(kind, smallest=shrunk(kind.smallest)) for kind in smallest(findings)]


def _simpler(line: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for field in layouts(line):
        yield {name: value for name, value in line.items() if name != field}


def _shortened(axis: Axis, best: Finding) -> Finding:
    """Try ever larger sizes until the finding shows, then bisect down from there."""
    top = axis.of(best.call)
    low, size = 0, axis.step
    while size < top:
        found = _again(axis.resized(best.call, size), best)
        if found is not None:
            return _bisected(axis, found, low, size)
        low, size = size, 2 * size
    return _bisected(axis, best, low, top)


def _bisected(axis: Axis, best: Finding, low: int, high: int) -> Finding:
    while high - low > axis.step:
        middle = low + max((high - low) // 2 // axis.step, 1) * axis.step
        found = _again(axis.resized(best.call, middle), best)
        if found is None:
            low = middle
        else:
            best, high = found, middle
    return best


def _again(line: Mapping[str, Any], like: Finding) -> Finding | None:
    """Return the finding of the same kind that a line has, if any."""
    try:
        call, target = call_of(line), target_of(line)
        route = route_of(call, target)
        found = of_route(call, target, route, rules=(BY_NAME[like.rule],))
    except (ValueError, IndexError, ZeroDivisionError):
        return None
    return next((one for one in found if one.kind == like.kind), None)
