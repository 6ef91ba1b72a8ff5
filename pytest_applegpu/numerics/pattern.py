"""Where do the wrong elements lie, in words and in numbers?

A part of K that was lost, such as its tail, spoils whole elements: from where these lie nothing
can be told of K. That is read from their values (see `cause`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from pytest_applegpu.numerics.lines import LISTED, Lines, lines_of
from pytest_applegpu.numerics.rounding import Array

_DENSE: Final = 0.5
"""Share of a region that must be wrong for the region to be named: some elements of a region
that a fault hits are right by chance."""

_SPANNING: Final = 0.75
"""Share of a line that its errors must span for the line to be named as a whole."""

_TILES: Final = (128, 64, 32, 16)

Kind = Literal["every", "lines", "corner", "tiles", "block", "elements", "scattered"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a mask of wrong elements shows, told of one matrix (M, N) that stands for all hit.

    Attributes:
        kind: `every` element; whole `lines`; whole rows and whole columns (`corner`); aligned
            square `tiles`; the inside of a rectangle (`block`); a few `elements`; `scattered`.
        text: the same in words.
        rows: the rows it is bound to, None where it goes through all of them.
        columns: the columns it is bound to, likewise.
        tile: side of the square tiles.
        batches: indices of the matrices that are hit, none where all are or there is no batch.
    """

    kind: Kind
    text: str
    rows: Lines | None = None
    columns: Lines | None = None
    tile: int | None = None
    batches: tuple[tuple[int, ...], ...] = ()

    @property
    def _vague(self) -> bool:
        """Whether a few elements are told better by their indices."""
        bounded = self.rows is not None and self.columns is not None
        return self.kind == "scattered" or (self.kind == "block" and bounded)


def read(wrong: Array) -> Reading:
    """Say where `wrong`, a mask of shape (*batch, M, N), is True; a vector is read as a row.

    Raises:
        ValueError: nothing is wrong, so there is no pattern.
    """
    if not wrong.any():
        raise ValueError("no element is wrong, so there is no pattern to read")
    mask = np.atleast_2d(wrong)
    if mask.all():
        return Reading("every", "every element")
    found = _matrix(mask) if mask.ndim == 2 else _batched(mask)
    few = np.count_nonzero(mask) <= LISTED
    return _listed(mask) if few and found._vague else found  # noqa: SLF001 - of this module


def _listed(wrong: Array) -> Reading:
    places = np.argwhere(wrong)
    named = [_index(place) for place in places]
    if len(named) > 1:
        return Reading("elements", f"{len(named)} elements at {', '.join(named)}")
    *batch, row, column = map(int, places[0])
    return Reading(
        "elements",
        f"one element at {named[0]}",
        Lines(row, row + 1, wrong.shape[-2]),
        Lines(column, column + 1, wrong.shape[-1]),
        batches=(tuple(batch),) if batch else (),
    )


def _index(index: Array) -> str:
    """Write an index: a plain number for one axis, a tuple for more."""
    numbers = [str(int(i)) for i in index]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


def _batched(wrong: Array) -> Reading:
    batches: Array = np.any(wrong, axis=(-2, -1))
    hit = wrong[batches]
    found = _alike(hit)
    if batches.all():
        scattered = found.kind == "scattered"
        return found if scattered else replace(found, text=f"{found.text} of every batch")
    places = tuple(tuple(map(int, index)) for index in np.argwhere(batches))
    head = _batches(batches)
    text = head if found.kind == "every" else f"{head}: {found.text}"
    return replace(found, text=text, batches=places)


def _alike(hit: Array) -> Reading:
    """Name the pattern that the matrices share, or say that there is none."""
    if hit.all():
        return Reading("every", "every element")
    union: Array = np.any(hit, axis=0)
    if union.all() or hit.sum() < _DENSE * len(hit) * union.sum():
        return _scattered(hit)
    found = _matrix(union)
    return _scattered(hit) if found.kind == "scattered" else found


def _batches(batches: Array) -> str:
    named = [_index(index) for index in np.argwhere(batches)]
    if len(named) == 1:
        return f"batch {named[0]} only"
    if len(named) <= LISTED:
        return f"batches {', '.join(named)} only"
    return f"{len(named)} of {batches.size} batches"


def _matrix(wrong: Array) -> Reading:
    if wrong.all():
        return Reading("every", "every element")
    if np.count_nonzero(wrong) == 1:
        return _listed(wrong)
    return (
        _rows(wrong)
        or _columns(wrong)
        or _corner(wrong)
        or _tiles(wrong)
        or _block(wrong)
        or _scattered(wrong)
    )


def _heavy(wrong: Array, share: float) -> Array:
    """Return the rows of which at least `share` is wrong."""
    return np.flatnonzero(wrong.mean(axis=1) >= share)


def _rows(wrong: Array) -> Reading | None:
    rows = _strips(wrong)
    return Reading("lines", rows.text("row"), rows=rows) if rows else None


def _columns(wrong: Array) -> Reading | None:
    columns = _strips(wrong.T)
    return Reading("lines", columns.text("column"), columns=columns) if columns else None


def _strips(wrong: Array) -> Lines | None:
    """Return whole rows (or, of a transposed mask, columns) if they hold all that is wrong."""
    lines = _heavy(wrong, _DENSE)
    if not 0 < len(lines) < len(wrong) or _outside(wrong, lines).any():
        return None
    along = _box(wrong)[1]
    spanned = along.stop - along.start >= _SPANNING * wrong.shape[1]
    return lines_of(lines, len(wrong)) if spanned else None


def _outside(wrong: Array, lines: Array) -> Array:
    rest = wrong.copy()
    rest[lines] = False
    return rest


def _corner(wrong: Array) -> Reading | None:
    """Name whole rows and whole columns that together hold all that is wrong."""
    rows, cols = _heavy(wrong, _SPANNING), _heavy(wrong.T, _SPANNING)
    both = 0 < len(rows) < wrong.shape[0] and 0 < len(cols) < wrong.shape[1]
    if not both or _outside(_outside(wrong, rows).T, cols).any():
        return None
    named = lines_of(rows, wrong.shape[0]), lines_of(cols, wrong.shape[1])
    if named[0] is None or named[1] is None:
        return None
    return Reading("corner", f"{named[0].text('row')} and {named[1].text('column')}", *named)


def _tiles(wrong: Array) -> Reading | None:
    """Name aligned square tiles, the largest first, that hold all that is wrong densely."""
    for tile in _TILES:
        if tile >= max(wrong.shape):
            continue
        share = _tile_shares(wrong, tile)
        hit = np.argwhere(share > 0)
        if len(hit) < share.size and share[share > 0].min() >= _DENSE:
            first = _index(hit[0] * tile)
            if len(hit) == 1:
                return _one_tile(hit[0] * tile, tile, wrong.shape)
            text = f"{len(hit)} of {share.size} tiles of {tile}x{tile}, the first at {first}"
            return Reading("tiles", text, tile=tile)
    return None


def _one_tile(first: Array, tile: int, shape: tuple[int, ...]) -> Reading:
    starts = zip(map(int, first), shape, strict=True)
    rows, columns = (Lines(start, min(start + tile, size), size) for start, size in starts)
    return Reading("tiles", f"the {tile}x{tile} tile at {_index(first)}", rows, columns, tile)


def _tile_shares(wrong: Array, tile: int) -> Array:
    """Return which share of each tile is wrong; edge tiles count the elements they have."""
    sums = wrong.astype(np.float64)
    sizes = np.ones_like(sums)
    for axis in (0, 1):
        edges = np.arange(0, wrong.shape[axis], tile)
        sums, sizes = np.add.reduceat(sums, edges, axis), np.add.reduceat(sizes, edges, axis)
    shares: Array = sums / sizes
    return shares


def _block(wrong: Array) -> Reading | None:
    """Name the rectangle round all that is wrong, if it is smaller than the matrix and full."""
    box = _box(wrong)
    inside = wrong[box]
    if inside.size == wrong.size or (inside.mean() < _DENSE and 1 not in inside.shape):
        return None
    rows, columns = (_within(*side) for side in zip(box, wrong.shape, strict=True))
    text = _box_text(box, wrong.shape)
    if inside.mean() < _DENSE:
        text = f"{np.count_nonzero(inside)} elements in {text}"
    return Reading("block", text, rows, columns)


def _within(span: slice, size: int) -> Lines | None:
    return None if span == slice(0, size) else Lines(span.start, span.stop, size)


def _box(wrong: Array) -> tuple[slice, slice]:
    rows, cols = np.flatnonzero(wrong.any(axis=1)), np.flatnonzero(wrong.any(axis=0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(cols[0]), int(cols[-1]) + 1)


def _box_text(box: tuple[slice, slice], shape: tuple[int, ...]) -> str:
    """Name the rectangle; a side that spans the whole matrix goes without saying."""
    texts = []
    for span, size, word in zip(box, shape, ("row", "column"), strict=True):
        if span.stop - span.start == 1:
            texts.append(f"{word} {span.start}")
        elif span.stop - span.start < size:
            texts.append(f"{word}s {span.start} to {span.stop - 1}")
    return ", ".join(texts)


def _scattered(wrong: Array) -> Reading:
    share = wrong.mean()
    head = "almost every element" if share > 0.9 else "scattered"
    text = f"{head} ({np.count_nonzero(wrong)} of {wrong.size})"
    if wrong.ndim > 2 or share > _DENSE:
        return Reading("scattered", text)
    box = _box(wrong)
    small = wrong[box].size <= wrong.size / 2
    return Reading("scattered", f"{text} within {_box_text(box, wrong.shape)}" if small else text)
