"""How does a plane of sizes look, coloured by path?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, log2
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.device.chips import APPLE
from pytest_applegpu.lint.table import NOTHING_RAN
from pytest_applegpu.survey.canvas import canvas
from pytest_applegpu.survey.plane import ALIGNED, Plane
from pytest_applegpu.survey.regions import Spot, spots

FORMATS: Final = (".png", ".svg")

# Okabe and Ito's colours, which the colour-blind tell apart; then Tol's muted ones.
_COLOURS: Final = {
    "gemm_nax": "#0072B2",
    "splitk_nax": "#56B4E9",
    "thin_nax": "#009E73",
    "gemm": "#D55E00",
    "splitk": "#E69F00",
    "gemv_wide": "#F0E442",
    "gemv": "#CC79A7",
    "gemv_t": "#882255",
    "dot+reduce+copy": "#222222",
}
_MORE: Final = ("#999999", "#44AA99", "#AA4499", "#DDCC77", "#117733", "#332288", "#CC6677")

_SIZE: Final = (9.0, 7.4)
_OCTAVE_INCHES: Final = 0.46
_LETTER_INCHES: Final = 0.088
_LINE_INCHES: Final = 0.16
_APART: Final = 0.3
"""Octaves between two boundary sizes that are written beside each other."""


def draw(plane: Plane, path: Path) -> None:
    """Write the picture of `plane` to `path`, a PNG or SVG file.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    with canvas(path, _SIZE, _title(plane)) as figure:
        axes = figure.add_subplot()
        colours = _paint(axes, plane)
        _label(axes, plane, colours)
        _write_sizes(axes, plane)
        _legend(figure, colours)


def _paint(axes: Any, plane: Plane) -> dict[str, str]:
    """Fill the plane, and return each path's colour."""
    from matplotlib.colors import ListedColormap  # noqa: PLC0415

    xs, ys, paths = plane.grid
    colours = _colours(name for row in paths for name in row)
    names = list(colours)
    cells = [[names.index(name) for name in row] for row in paths]
    edges = [[*map(log2, sizes), log2(sizes[-1]) + 1 / 16] for sizes in (xs, ys)]
    shades = ListedColormap(list(colours.values()))
    axes.pcolormesh(*edges, cells, cmap=shades, vmin=-0.5, vmax=len(names) - 0.5, rasterized=True)
    return colours


def _colours(paths: Iterable[str]) -> dict[str, str]:
    """Return a colour for each path: always the same for those that are known, most seen first."""
    present = set(paths)
    known = {path: colour for path, colour in _COLOURS.items() if path in present}
    others = sorted(present - set(known))
    return known | {path: _MORE[i % len(_MORE)] for i, path in enumerate(others)}


def _label(axes: Any, plane: Plane, colours: dict[str, str]) -> None:
    """Write each path's name where it fits, and the slopes of diagonal boundaries."""
    for spot in spots(*plane.grid):
        turned = _turned(spot)
        if turned is not None:
            axes.text(
                spot.x,
                spot.y,
                spot.path,
                rotation=turned,
                ha="center",
                va="center",
                color="white" if _dark(colours[spot.path]) else "black",
                fontsize=11,
            )
    across, up = plane.axes
    for slope, x, y in plane.slopes:
        text = f"{up} = {slope if slope > 1 else ''}{across}"
        axes.annotate(
            text,
            (log2(x), log2(y)),
            xytext=(-3, 4),
            textcoords="offset points",
            fontsize=9,
            ha="right",
            bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.85},
        )


def _turned(spot: Spot) -> int | None:
    """Return the angle at which a name fits, None where it fits at none."""
    length = len(spot.path) * _LETTER_INCHES / _OCTAVE_INCHES
    height = _LINE_INCHES / _OCTAVE_INCHES
    if length <= spot.width and height <= spot.height:
        return 0
    return 90 if length <= spot.height and height <= spot.width else None


def _dark(colour: str) -> bool:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def _write_sizes(axes: Any, plane: Plane) -> None:
    """Write powers of two below and left, and the sizes of straight boundaries opposite."""
    xs, ys, _ = plane.grid
    across, up = plane.axes
    for axis, sizes in ((axes.xaxis, xs), (axes.yaxis, ys)):
        ticks = range(ceil(log2(sizes[-1])) + 1)
        axis.set_ticks(list(ticks), [str(2**tick) for tick in ticks])
    axes.tick_params(axis="x", labelrotation=45)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    for make, sizes, name in zip(
        (axes.secondary_xaxis, axes.secondary_yaxis), plane.straight, plane.axes, strict=True
    ):
        opposite = make("top" if name == across else "right")
        kept = _apart(sizes)
        opposite.set_ticks([log2(size) for size in kept], [str(size) for size in kept], fontsize=9)
        if name == across:
            opposite.tick_params(axis="x", labelrotation=45)
        getattr(opposite, "set_xlabel" if name == across else "set_ylabel")(
            f"first {name} beyond a boundary", fontsize=9
        )


def _apart(sizes: Sequence[int]) -> list[int]:
    """Return those of the sizes that can be written beside each other."""
    kept: list[int] = []
    for size in sizes:
        if not kept or log2(size) - log2(kept[-1]) >= _APART:
            kept.append(size)
    return kept


def _legend(figure: Any, colours: dict[str, str]) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415

    patches = [Patch(facecolor=colour, label=path) for path, colour in colours.items()]
    figure.legend(
        handles=patches, loc="outside lower center", ncols=min(4, len(patches)), frameon=False
    )


def _title(plane: Plane) -> str:
    target = plane.target
    chips = dict.fromkeys(chip.name for chip in APPLE if chip.architecture == target.arch)
    named = f"{target.arch} ({', '.join(chips)})" if chips else target.arch
    switches = (", NAX off" if target.passes_gate and not target.nax else "") + (
        "" if target.tf32 else ", TF32 off"
    )
    name, size = plane.fixed
    aligned = f"; K from {ALIGNED} on in multiples of {ALIGNED}" if "K" in plane.axes else ""
    whose = f"{named}, MLX {target.version} ({target.basis.words}){switches}"
    what = f"matmul {plane.dtype} {plane.transpose}, {name} = {size}: kernels by path{aligned}"
    return f"{whose}\n{what}\n{NOTHING_RAN}"
