"""Does a boundary of the dispatch lie next to this problem's sizes?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pytest_applegpu.cases.boundaries import signature
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.launch import Route, Tile
from pytest_applegpu.setting import Setting

_SIDES: Final = ((-1, "just past"), (1, "just before"))


def boundaries_beside(problem: Problem, setting: Setting, routes: Routes) -> tuple[str, ...]:
    """Name each of M, N and K that is one off from where other kernels run, and what runs there.

    Nothing is said where the problem does not run on a predicted route.
    """
    now = routes.taken(problem, setting)
    if now is None or now.error is not None:
        return ()
    return tuple(
        f"{axis.upper()} = {size} is {side} a boundary of the dispatch: "
        f"{axis.upper()} = {other} {_unlike(there, now)}"
        for axis, size, side, other, there in _neighbours(problem, setting, routes)
        if there.error is None and signature(there) != signature(now)
    )


def _neighbours(
    problem: Problem, setting: Setting, routes: Routes
) -> Iterator[tuple[str, int, str, int, Route]]:
    """Yield each size, on which side its neighbour lies, and the neighbour with its route."""
    for axis, size in (("m", problem.m), ("n", problem.n), ("k", problem.k)):
        for step, side in _SIDES:
            route = _route(problem, axis, size + step, setting, routes) if size + step else None
            if route is not None:
                yield axis, size, side, size + step, route


def _route(
    problem: Problem, axis: str, size: int, setting: Setting, routes: Routes
) -> Route | None:
    """Return the route at another size; None where the operation or a layout cannot have it."""
    try:
        return routes.taken(replace(problem, **{axis: size}), setting)  # type: ignore[arg-type]
    except ValueError:
        return None


def _unlike(there: Route, now: Route) -> str:
    """Say what differs, the most telling alone."""
    if there.path != now.path:
        return f"takes {there.path}, not {now.path}"
    for read, say in ((_partitions, "cuts K into {}, not {}"), (_tile, "has tiles of {}, not {}")):
        theirs, ours = read(there), read(now)
        if theirs != ours:
            return say.format(theirs, ours)
    return "takes another kernel"


def _partitions(route: Route) -> int:
    return max((one.params.get("partitions", 1) for one in route.launches), default=1)


def _tile(route: Route) -> str:
    tiles: Iterator[Tile] = (one.tile for one in route.launches if one.tile is not None)
    return ", ".join(f"{tile.bm}x{tile.bn}x{tile.bk}" for tile in tiles)
