"""Where do the wrong elements lie, in words?"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.rounding import Array

_DENSE: Final = 0.5
"""Share of a region that must be wrong for the region to be named: some elements of a region
that a fault hits are right by chance."""

_SPANNING: Final = 0.75
"""Share of a line that its errors must span for the line to be named as a whole."""

_TILES: Final = (128, 64, 32, 16)
_PERIODS: Final = (2, 4, 8, 16, 32, 64, 128)
_LISTED: Final = 4


def read(wrong: Array) -> str:
    """Say where `wrong`, a mask of shape (*batch, M, N), is True.

    Raises:
        ValueError: nothing is wrong, so there is no pattern.
    """
    if not wrong.any():
        raise ValueError("no element is wrong, so there is no pattern to read")
    if wrong.all():
        return "every element"
    named = _matrix(wrong) if wrong.ndim <= 2 else _batched(wrong)
    few = np.count_nonzero(wrong) <= _LISTED
    vague = "scattered" in named or ("row" in named and ", column" in named)
    return _listed(wrong) if few and vague else named


def _listed(wrong: Array) -> str:
    places = [_index(place) for place in np.argwhere(wrong)]
    if len(places) == 1:
        return f"one element at {places[0]}"
    return f"{len(places)} elements at {', '.join(places)}"


def _index(index: Array) -> str:
    """Write an index: a plain number for one axis, a tuple for more."""
    numbers = [str(int(i)) for i in index]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


def _batched(wrong: Array) -> str:
    batches: Array = np.any(wrong, axis=(-2, -1))
    hit = wrong[batches]
    where = _alike(hit)
    if batches.all():
        return where if where == _scattered(hit) else f"{where} of every batch"
    head = _batches(batches)
    return head if hit.all() else f"{head}: {where}"


def _alike(hit: Array) -> str:
    """Name the pattern that the matrices share, or say that there is none."""
    union: Array = np.any(hit, axis=0)
    if union.all() or hit.sum() < _DENSE * len(hit) * union.sum():
        return _scattered(hit)
    where = _matrix(union)
    return _scattered(hit) if where == _scattered(union) else where


def _batches(batches: Array) -> str:
    named = [_index(index) for index in np.argwhere(batches)]
    if len(named) == 1:
        return f"batch {named[0]} only"
    if len(named) <= _LISTED:
        return f"batches {', '.join(named)} only"
    return f"{len(named)} of {batches.size} batches"


def _matrix(wrong: Array) -> str:
    if wrong.all():
        return "every element"
    if np.count_nonzero(wrong) == 1:
        return _listed(wrong)
    return (
        _strips(wrong, "row")
        or _strips(wrong.T, "column")
        or _corner(wrong)
        or _tiles(wrong)
        or _block(wrong)
        or _scattered(wrong)
    )


def _heavy(wrong: Array, share: float) -> Array:
    """Return the rows of which at least `share` is wrong."""
    return np.flatnonzero(wrong.mean(axis=1) >= share)


def _strips(wrong: Array, word: str) -> str | None:
    """Name whole rows (or, of a transposed mask, columns) if they hold all that is wrong."""
    lines = _heavy(wrong, _DENSE)
    if not 0 < len(lines) < len(wrong) or _outside(wrong, lines).any():
        return None
    along = _box(wrong)[1]
    spanned = along.stop - along.start >= _SPANNING * wrong.shape[1]
    return _lines(lines, len(wrong), word) if spanned else None


def _outside(wrong: Array, lines: Array) -> Array:
    rest = wrong.copy()
    rest[lines] = False
    return rest


def _lines(lines: Array, count: int, word: str) -> str | None:
    """Name a set of rows or columns out of `count`; None where it follows no rule."""
    first, last, number = int(lines[0]), int(lines[-1]), len(lines)
    if number == 1:
        return f"the last {word} ({last})" if last == count - 1 else f"{word} {last}"
    if last - first + 1 == number:
        return _span(first, last, count, word)
    return _period(lines, count, word) or (
        f"{word}s {', '.join(map(str, lines))}" if number <= _LISTED else None
    )


def _span(first: int, last: int, count: int, word: str) -> str:
    if last == count - 1:
        return f"last {last - first + 1} {word}s ({word}s >= {first})"
    if first == 0:
        return f"first {last + 1} {word}s"
    return f"{word}s {first} to {last}"


def _period(lines: Array, count: int, word: str) -> str | None:
    """Name rows or columns that come back with a period: `rows = 12 to 15 mod 16`."""
    step = int(lines[1] - lines[0])
    for period in dict.fromkeys((*_PERIODS, step)):
        residues = np.unique(lines % period)
        contiguous = residues[-1] - residues[0] + 1 == len(residues) < period
        whole = np.flatnonzero(np.isin(np.arange(count) % period, residues))
        if contiguous and 2 * period <= count and np.array_equal(whole, lines):
            ends = dict.fromkeys((int(residues[0]), int(residues[-1])))
            return f"{word}s = {' to '.join(map(str, ends))} mod {period}"
    return None


def _corner(wrong: Array) -> str | None:
    """Name whole rows and whole columns that together hold all that is wrong."""
    rows, cols = _heavy(wrong, _SPANNING), _heavy(wrong.T, _SPANNING)
    both = 0 < len(rows) < wrong.shape[0] and 0 < len(cols) < wrong.shape[1]
    if not both or _outside(_outside(wrong, rows).T, cols).any():
        return None
    named = _lines(rows, wrong.shape[0], "row"), _lines(cols, wrong.shape[1], "column")
    return f"{named[0]} and {named[1]}" if named[0] and named[1] else None


def _tiles(wrong: Array) -> str | None:
    """Name aligned square tiles, the largest first, that hold all that is wrong densely."""
    for tile in _TILES:
        if tile >= max(wrong.shape):
            continue
        share = _tile_shares(wrong, tile)
        hit = np.argwhere(share > 0)
        if len(hit) < share.size and share[share > 0].min() >= _DENSE:
            first = _index(hit[0] * tile)
            if len(hit) == 1:
                return f"the {tile}x{tile} tile at {first}"
            return f"{len(hit)} of {share.size} tiles of {tile}x{tile}, the first at {first}"
    return None


def _tile_shares(wrong: Array, tile: int) -> Array:
    """Return which share of each tile is wrong; edge tiles count the elements they have."""
    sums = wrong.astype(np.float64)
    sizes = np.ones_like(sums)
    for axis in (0, 1):
        edges = np.arange(0, wrong.shape[axis], tile)
        sums, sizes = np.add.reduceat(sums, edges, axis), np.add.reduceat(sizes, edges, axis)
    shares: Array = sums / sizes
    return shares


def _block(wrong: Array) -> str | None:
    """Name the rectangle round all that is wrong, if it is smaller than the matrix and full."""
    box = _box(wrong)
    inside = wrong[box]
    if inside.size == wrong.size or (inside.mean() < _DENSE and 1 not in inside.shape):
        return None
    if inside.mean() < _DENSE:
        return f"{np.count_nonzero(inside)} elements in {_box_text(box, wrong.shape)}"
    return _box_text(box, wrong.shape)


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


def _scattered(wrong: Array) -> str:
    share = wrong.mean()
    head = "almost every element" if share > 0.9 else "scattered"
    text = f"{head} ({np.count_nonzero(wrong)} of {wrong.size})"
    if wrong.ndim > 2 or share > _DENSE:
        return text
    box = _box(wrong)
    small = wrong[box].size <= wrong.size / 2
    return f"{text} within {_box_text(box, wrong.shape)}" if small else text
