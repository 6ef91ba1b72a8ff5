"""How does a roofline look? TFLOP/s over operations a byte, under the peaks of the chip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.survey.canvas import canvas
from pytest_applegpu.throughput.roof import Spot

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
_MARKS: Final = "osD^vP*X"


def draw_roofline(
    spots: Sequence[Spot], published: Sequence[tuple[float, float]], title: str, path: Path
) -> None:
    """Write the picture to `path`, a PNG or SVG file.

    `published` are others' figures: operations a byte and TFLOP/s.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    with canvas(path, (10, 6.6), title) as figure:
        axes = figure.add_subplot()
        _roofs(axes, spots)
        _spots(axes, spots)
        if published:
            axes.plot(*zip(*published, strict=True), "x", color="black", label="published")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("operations a byte")
        axes.set_ylabel("TFLOP/s")
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)


def _roofs(axes: Any, spots: Sequence[Spot]) -> None:
    """Draw each pair of peaks once, from the leftmost spot to the rightmost."""
    left, right = min(s.intensity for s in spots) / 2, max(s.intensity for s in spots) * 2
    pairs = dict.fromkeys((s.peak_tflops, s.peak_gbs) for s in spots)
    for (peak, memory), style in zip(pairs, ("-", "--", ":", "-.") * len(pairs), strict=False):
        if peak is None or memory is None:
            continue
        ridge = 1e3 * peak / memory
        bend = sorted({left, min(max(ridge, left), right), right})
        heights = [min(peak, x * memory / 1e3) for x in bend]
        name = f"computed {peak:.4g} TFLOP/s, {memory:.4g} GB/s"
        axes.plot(bend, heights, style, color="#555555", lw=1.3, label=name)


def _spots(axes: Any, spots: Sequence[Spot]) -> None:
    kinds = list(dict.fromkeys((s.route, s.dtype) for s in spots))
    dtypes = list(dict.fromkeys(s.dtype for s in spots))
    routes = list(dict.fromkeys(s.route for s in spots))
    for route, dtype in kinds:
        own = [s for s in spots if (s.route, s.dtype) == (route, dtype)]
        axes.plot(
            [s.intensity for s in own],
            [s.tflops for s in own],
            _MARKS[dtypes.index(dtype) % len(_MARKS)],
            color=_COLOURS[routes.index(route) % len(_COLOURS)],
            mec="black",
            mew=0.4,
            ms=6,
            label=f"{route}, {dtype}",
        )
