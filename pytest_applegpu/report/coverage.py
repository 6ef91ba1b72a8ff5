"""Which routes did this run exercise, and which not? Text from records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from tabulate import tabulate

from pytest_applegpu.report.phrases import escaped
from pytest_applegpu.report.records import Record, RouteFacts
from pytest_applegpu.report.rows import failed

_ALIGNED: Final = ("left", "right", "right", "right")


class Dispatch(NamedTuple):
    """Whose dispatch the routes of a run follow; `here` tells whether their kernels ran."""

    arch: str
    mlx: str
    here: bool
    basis: str


def dispatches(records: Iterable[Record]) -> list[Dispatch]:
    """Return whose dispatch the routes of `records` follow, each once."""
    routes = (record.route for record in records if record.route)
    return sorted({_dispatch(route) for route in routes})


def _dispatch(route: RouteFacts) -> Dispatch:
    return Dispatch(route.arch, route.mlx, route.here, route.basis)


def coverage_text(dispatch: Dispatch, records: Sequence[Record], unreached: dict[str, str]) -> str:
    """Return the table of routes of one dispatch, and below it those not reached, with reasons."""
    mine = [one for one in records if one.route and _dispatch(one.route) == dispatch]
    cells = [["route", "cases", "failed", "kernels"], *_rows(mine)]
    table = tabulate(cells, tablefmt="plain", disable_numparse=True, colalign=_ALIGNED)
    return "\n".join([_heading(dispatch), table, *_missed(unreached)])


def _missed(unreached: dict[str, str]) -> Iterator[str]:
    """Yield a line for each reason, with the routes it is the reason for."""
    for why in sorted(set(unreached.values())):
        missed = sorted(path for path, reason in unreached.items() if reason == why)
        yield f"not reached ({why}): {', '.join(missed)}"


def _heading(dispatch: Dispatch) -> str:
    whose = f"routes on {dispatch.arch}, MLX {dispatch.mlx} ({dispatch.basis})"
    if dispatch.here:
        return f"{whose}:"
    return f"{whose}, by whose dispatch the shapes are chosen; its kernels did not run here:"


def _rows(records: Sequence[Record]) -> Iterator[list[str]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.route.path if record.route else "", []).append(record)
    for path, group in sorted(groups.items()):
        kernels = {kernel for one in group if one.route for kernel in one.route.kernels}
        figures = (len(group), sum(map(failed, group)), len(kernels))
        yield [escaped(path), *map(str, figures)]
