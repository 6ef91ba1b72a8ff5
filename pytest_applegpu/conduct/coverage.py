"""Which routes did a run exercise, which could it not, and why?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_applegpu.cases.boundaries import paths
from pytest_applegpu.device.arch import architectures, parse_architecture
from pytest_applegpu.report.coverage import Dispatch, coverage_text, dispatches
from pytest_applegpu.report.records import Record
from pytest_applegpu.routing.target import Gpu


def coverage(records: Sequence[Record]) -> str:
    """Return the tables of routes, one for each architecture and MLX; empty where none is known.

    What a backend does not have took no route.
    """
    records = [one for one in records if one.verdict != "unsupported"]
    return "\n\n".join(
        coverage_text(dispatch, records, unreached(dispatch, records))
        for dispatch in dispatches(records)
    )


def unreached(dispatch: Dispatch, records: Sequence[Record]) -> dict[str, str]:
    """Return the routes of any Apple GPU that no record took, with the reason."""
    mine = [one for one in records if one.route and one.route.arch == dispatch.arch]
    taken = {one.route.path for one in mine if one.route}
    asked = sorted({(one.problem.op, one.problem.dtype) for one in mine})
    own = _paths(dispatch.arch, dispatch.mlx, asked)
    every = own.union(*(_paths(arch, dispatch.mlx, asked) for arch in architectures()))
    return {path: _why(path, own, dispatch.arch) for path in every - taken}


def _paths(arch: str, version: str, asked: Iterable[tuple[str, str]]) -> set[str]:
    """Return the routes that plain problems take, of each operation in its formats."""
    targets = [Gpu(arch).target(tf32=tf32, version=version) for tf32 in (True, False)]
    return set().union(*(paths(*one, target) for one in asked for target in targets))


def _why(path: str, own: set[str], arch: str) -> str:
    if path in own:
        return "no case of this run is routed there"
    parsed = parse_architecture(arch)
    if "nax" in path and not (parsed and parsed.has_nax):
        return f"{arch} has no NAX"
    return f"{arch} does not take it"
