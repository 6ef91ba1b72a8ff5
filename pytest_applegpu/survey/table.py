"""How is one route shown to a person?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from tabulate import tabulate

from pytest_applegpu.device.arch import architectures
from pytest_applegpu.lint.table import NOTHING_RAN
from pytest_applegpu.report.phrases import escaped
from pytest_applegpu.routing.launch import Launch, Route, Triple
from pytest_applegpu.routing.target import Target
from pytest_applegpu.survey.asked import Asked

SIMD: Final = 32
"""Threads of a SIMD-group."""

_LEFT: Final = frozenset({"role", "grid", "group", "tile"})


def route_table(asked: Asked, route: Route, cores: Sequence[int]) -> str:
    """Return the launches of `route` in their order, and why they were chosen.

    `cores` are the counts of GPU cores that the threadgroups are divided by.
    """
    lines = [escaped(asked.text, 2000), f"on {_whom(asked.target)} ({route.basis})"]
    lines += [f"path: {route.path}", ""]
    if route.error is not None:
        lines += [f"MLX raises: {escaped(route.error, 2000)}", ""]
    elif route.launches:
        lines += [_launches(route.launches, cores), "", *_kernels(route.launches), ""]
        idle = list(_idle(route.launches, cores))
        lines += [*idle, ""] if idle else []
    return "\n".join([*lines, *_reasons(route), NOTHING_RAN])


def _whom(target: Target) -> str:
    nax, tf32 = ("on" if one else "off" for one in (target.nax, target.tf32))
    known = target.arch in architectures() or target.arch.startswith("air64")
    stranger = "" if known else " (of no chip in the table: by generation and letter)"
    return f"{target.arch}{stranger}, NAX {nax}, TF32 {tf32}, MLX {target.version}"


def _launches(launches: Sequence[Launch], cores: Sequence[int]) -> str:
    rows = [_cells(number, one, cores) for number, one in enumerate(launches, 1)]
    # A column in which no launch has anything to say is left out.
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    cells = [heads, *([row[head] or "-" for head in heads] for row in rows)]
    return tabulate(
        cells,
        headers="firstrow",
        tablefmt="simple",
        disable_numparse=True,
        colalign=["left" if head in _LEFT else "right" for head in heads],
    )


def _cells(number: int, launch: Launch, cores: Sequence[int]) -> dict[str, str]:
    tile = launch.tile
    return {
        "": str(number),
        "role": launch.role,
        "grid": sizes(launch.grid) + (" threads" if launch.kind == "threads" else ""),
        "group": sizes(launch.group),
        "tile": f"{tile.bm}x{tile.bn}x{tile.bk}" if tile else "",
        "SIMD-\ngroups": str(-(-prod(launch.group) // SIMD)),
        "sub-\ntile": "{}x{}".format(*tile.sub_tile) if tile else "",
        "swiz-\nzle": str(launch.params.get("swizzle_log", 0)) if tile else "",
        "parts\nof K": str(launch.params.get("partitions", "")),
        "staged\nmemory": _staged(launch.staged),
        "thread-\ngroups": str(launch.threadgroups),
        _per_core(cores): " / ".join(f"{launch.threadgroups / one:.3g}" for one in cores),
    }


def _per_core(cores: Sequence[int]) -> str:
    return f"per core\n({' / '.join(map(str, cores))})" if cores else "per core"


def _staged(staged: int | None) -> str:
    if staged is None:
        return "?"
    return f"{staged} B" if staged else "none"


def sizes(triple: Triple) -> str:
    """Return the three sizes joined by x."""
    return "x".join(map(str, triple))


def _kernels(launches: Sequence[Launch]) -> Iterator[str]:
    for number, launch in enumerate(launches, 1):
        suffix = f" + {launch.suffix}" if launch.suffix else ""
        yield f"{number}  {launch.kernel}{suffix}"


def _idle(launches: Sequence[Launch], cores: Sequence[int]) -> Iterator[str]:
    """Yield a line for each launch with fewer threadgroups than the largest GPU has cores."""
    for number, launch in enumerate(launches, 1):
        if launch.threadgroups < max(cores, default=0):
            few, many = launch.threadgroups, max(cores)
            yield f"launch {number} leaves GPU cores idle: {few} threadgroups, {many} cores"


def _reasons(route: Route) -> Iterator[str]:
    if route.unfused is not None:
        yield f"not fused: {route.unfused}"
    for reason in route.reasons:
        yield f"because  {reason}"
    if route.reasons:
        yield ""


def route_lines(asked: Asked, route: Route) -> str:
    """Return a route in a few lines: what is asked, for whom, the path, a kernel a line."""
    target = asked.target
    number = f"{escaped(str(asked.line['id']), 100)} " if "id" in asked.line else ""
    nax = ", NAX off" if target.passes_gate and not target.nax else ""
    tf32 = "" if target.tf32 else ", TF32 off"
    whom = f"{target.arch}, MLX {target.version}{nax}{tf32}"
    head = f"{number}{asked.text} ({whom}): {route.path}"
    if route.error is not None:
        return f"{head}\n    MLX raises: {escaped(route.error, 2000)}\n"
    return "\n".join([head, *map(_launch_line, route.launches)]) + "\n"


def _launch_line(launch: Launch) -> str:
    return (
        f"    {launch.role:10} {launch.kernel}{launch.suffix} "
        f"{sizes(launch.grid)} {launch.kind} of {sizes(launch.group)}"
    )
