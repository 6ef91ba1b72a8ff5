"""How does a sweep look? Time and TFLOP/s over the size, routes as bands, cliffs marked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_applegpu.survey.canvas import canvas
from pytest_applegpu.throughput.cliffs import Cliff, Point
from pytest_applegpu.throughput.roofline import rates

_LINES: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_BANDS: Final = ("#56B4E9", "#E69F00", "#F0E442", "#999999", "#44AA99", "#AA4499")
_MARKS: Final = {
    "larger is faster": "v",
    "cost of a row jumps": "^",
    "bandwidth falls": "s",
    "slower than dense": "X",
}


class Drawn(NamedTuple):
    """One product of a sweep, by the name to write, with its cliffs."""

    name: str
    points: Sequence[Point]
    cliffs: Sequence[Cliff]


def draw_sweep(swept: Sequence[Drawn], axis: str, title: str, path: Path) -> None:
    """Write the picture of a sweep to `path`, a PNG or SVG file.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    with canvas(path, (10, 7.6), title) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        _bands(above, below, swept[0].points)
        for one, colour in zip(swept, _LINES * len(swept), strict=False):
            _product(above, below, one, colour)
        above.set_yscale("log")
        above.set_ylim(*_span(swept))
        above.set_ylabel("time of one product (ms)")
        below.set_ylabel("TFLOP/s")
        below.set_ylim(bottom=0)
        below.set_xlabel(axis.upper())
        figure.legend(*_named(above), loc="outside lower center", ncols=3, frameon=False)


def _span(swept: Sequence[Drawn]) -> tuple[float, float]:
    """Return the ends of the time axis: wide intervals run out of it, lines never do."""
    times = [1e3 * point.seconds for one in swept for point in one.points]
    return min(times) / 2, max(times) * 2


def _named(axes: Any) -> tuple[list[Any], list[str]]:
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    return list(once.values()), list(once)


def _bands(above: Any, below: Any, points: Sequence[Point]) -> None:
    """Colour the ground by the first product's routes, where they are known."""
    names = list(dict.fromkeys(one.route for one in points if one.route))
    for route, run in groupby(points, key=lambda one: one.route):
        sizes = [one.size for one in run]
        if route:
            colour = _BANDS[names.index(route) % len(_BANDS)]
            for axes in (above, below):
                ends = sizes[0] - 0.5, sizes[-1] + 0.5
                axes.axvspan(*ends, color=colour, alpha=0.25, lw=0, label=route)


def _product(above: Any, below: Any, one: Drawn, colour: str) -> None:
    sizes = [point.size for point in one.points]
    times = [1e3 * point.seconds for point in one.points]
    speeds = [rates(point.flops, point.bytes, point.seconds).tflops for point in one.points]
    above.plot(sizes, times, color=colour, lw=1.3, label=one.name)
    above.fill_between(
        sizes,
        [1e3 * point.low for point in one.points],
        [1e3 * point.high for point in one.points],
        color=colour,
        alpha=0.25,
        lw=0,
    )
    below.plot(sizes, speeds, color=colour, lw=1.3)
    for axes, values in ((above, times), (below, speeds)):
        at = dict(zip(sizes, values, strict=True))
        for cliff in one.cliffs:
            size = cliff.sizes[1]
            axes.plot(
                [size],
                [at[size]],
                _MARKS[cliff.kind],
                color=colour,
                mec="black",
                ms=7,
                ls="none",
                label=cliff.kind,
            )
