"""Which tiles, partitions and boundaries of the route do the places of the errors fit?

Where no route is known to run here, only powers of two are named, and marked as what they are.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import Final

import numpy as np

from pytest_applegpu.conduct.failures.beside import boundaries_beside
from pytest_applegpu.conduct.failures.pieces import Cut, Pieces, pieces_of
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.lines import Lines
from pytest_applegpu.numerics.pattern import Reading
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting

ALONE: Final = "a power of two; tiles are not known here"

_LEAST: Final = 8
"""Powers of two below it are met by chance."""


def matched(
    finding: Finding, problem: Problem, setting: Setting, routes: Routes
) -> tuple[str, ...]:
    """Return sentences that tie the places of what is wrong to the route of `problem`."""
    route = routes.taken(problem, setting)
    pieces = pieces_of(route, problem) if route is not None else None
    reading = finding.reading
    told = _powers(reading) if pieces is None else _tiles(reading, problem, pieces)
    if finding.lost is not None:
        told.append(_of_k(*finding.lost, problem.k, pieces))
    said = [one for one in told if one]
    return (*said, *boundaries_beside(problem, setting, routes))


# Tiles.


def _tiles(reading: Reading | None, problem: Problem, pieces: Pieces) -> list[str | None]:
    if reading is None:
        return []
    rows = reading.rows if pieces.joined is None else _joined(reading, problem, pieces)
    return [
        _line(rows, pieces.rows, "row"),
        _line(reading.columns, pieces.columns, "column"),
        _squares(reading, pieces),
    ]


def _joined(reading: Reading, problem: Problem, pieces: Pieces) -> Lines | None:
    """Return rows as the kernel counts them, all batches' rows one after another."""
    rows, joined = reading.rows, pieces.joined
    if joined is None or pieces.rows is None or len(reading.batches) > 1:
        return None
    if not reading.batches:
        return rows if problem.m % pieces.rows.size == 0 else None
    first = problem.m * int(np.ravel_multi_index(reading.batches[0], problem.batch))
    if rows is None:
        return Lines(first, first + problem.m, joined)
    moved = replace(rows, start=first + rows.start, stop=first + rows.stop, size=joined)
    return moved if rows.is_span else None


def _line(lines: Lines | None, cut: Cut | None, word: str) -> str | None:
    """Tell which tiles some rows or columns are; None where they fit none."""
    if lines is None or cut is None or lines.listed or lines.size <= cut.size:
        return None  # of a single tile every line is a part
    place = _span(lines, cut, word) if lines.is_span else _periodic(lines, cut, word)
    return f"{_said(lines, word)}: {place}" if place else None


def _said(lines: Lines, word: str) -> str:
    if not lines.is_span:
        return lines.text(word)
    last = lines.stop - 1
    return f"{word} {last}" if lines.start == last else f"{word}s {lines.start} to {last}"


def _span(lines: Lines, cut: Cut, word: str) -> str | None:
    first, last = lines.start // cut.size, (lines.stop - 1) // cut.size
    rest = lines.size % cut.size
    whole = lines.start % cut.size == 0 and (lines.stop % cut.size == 0 or lines.stop == lines.size)
    if rest and first == lines.size // cut.size:
        within = "" if whole else "within "
        return f"{within}the last, partial tile of {cut.text} ({rest} {word}{'s'[: rest > 1]})"
    if whole:
        tiles = f"tile {first}" if first == last else f"tiles {first} to {last}"
        return f"{word} {tiles} of {cut.text}"
    return _inside(lines, cut, f"{word} tile {first} of {cut.text}") if first == last else None


def _inside(lines: Lines, cut: Cut, tile: str) -> str | None:
    """Tell which part of one tile some lines are: a SIMD-group's, or a line of fragments."""
    size = lines.stop - lines.start
    within = lines.start % cut.size
    if size == cut.run and within % size == 0 and cut.run * cut.groups == cut.size:
        return f"SIMD-group {within // size} of {cut.groups} in {tile}"
    if size == cut.fragment and within % size == 0:
        return f"one line of {size} x {size} fragments in {tile}"
    return None


def _periodic(lines: Lines, cut: Cut, word: str) -> str | None:
    period, (low, high) = lines.period or 0, lines.remainders
    size = high - low + 1
    if period == cut.run * cut.groups > cut.run == size and low % size == 0:
        return f"SIMD-group {low // size} of {cut.groups} in every tile of {cut.text}"
    if period == cut.fragment:
        return f"the same {word}{'s'[: size > 1]} of every {period} x {period} fragment"
    if cut.size % period == 0:
        return f"the same {word}s of every tile of {cut.text}"
    if period % cut.size == 0 and low % cut.size == 0 and size == cut.size:
        return f"tile {low // cut.size} of every {period // cut.size} tiles of {cut.text}"
    return None


def _squares(reading: Reading, pieces: Pieces) -> str | None:
    """Tell whether several square tiles are the kernel's, or made of its tiles."""
    tile, rows, columns = reading.tile, pieces.rows, pieces.columns
    if tile is None or reading.rows is not None or rows is None or columns is None:
        return None
    if tile == rows.size == columns.size:
        return f"tiles of {tile} x {tile}: the kernel's, {rows.text}, {columns.text}"
    if tile % rows.size == 0 and tile % columns.size == 0:
        return f"tiles of {tile} x {tile}: whole tiles of {rows.text}, {columns.text}"
    return None


# K.


def _of_k(start: int, stop: int, k: int, pieces: Pieces | None) -> str | None:
    """Tell which part of the kernel's way along K is lost, or counted twice."""
    place = _power_of_k(start, stop, k) if pieces is None else _step(start, stop, k, pieces)
    split = None if pieces is None else _partition(start, stop, k, pieces)
    named = split or place
    where = f"k = {start} to {stop - 1}" if stop - start > 1 else f"k = {start}"
    return f"{where}: {named}" if named else None


def _partition(start: int, stop: int, k: int, pieces: Pieces) -> str | None:
    size, parts = pieces.partition, pieces.partitions
    if size is None:
        return None
    edges = [*(number * size for number in range(parts)), k]
    if start in edges[:-1] and stop == edges[edges.index(start) + 1]:
        return f"partition {edges.index(start)} of {parts} of split-K"
    if start in edges[1:-1]:
        return f"begins at the boundary of partition {edges.index(start)} of split-K"
    if stop in edges[1:-1]:
        return f"ends at the boundary of partition {edges.index(stop)} of split-K"
    return None


def _step(start: int, stop: int, k: int, pieces: Pieces) -> str | None:
    step, begin = pieces.step, (pieces.partition or 0) * (pieces.partitions - 1)
    if step is None:
        return None
    rest = (k - begin) % step
    if stop == k and stop - start == rest:
        return f"the K tail, {rest} of K = {k} that are less than a step of BK = {step}"
    if start % step == 0 and stop - start == step:
        return f"step {start // step} of BK = {step}"
    return None


# Powers of two.


def _powers(reading: Reading | None) -> list[str | None]:
    if reading is None:
        return []
    pairs = ((reading.rows, "row"), (reading.columns, "column"))
    return [_power(lines, word) for lines, word in pairs if lines is not None]


def _power(lines: Lines, word: str) -> str | None:
    """Name the power of two that some rows or columns begin, end or come back with."""
    if lines.listed:
        return None
    if lines.period is not None:
        power, how = _power_in(lines.period), "come back after"
        power = power if power == lines.period else 1
    elif lines.stop == lines.size:
        power, how = _power_in(lines.start), "to the end from a multiple of"
    else:
        power, how = _power_in(gcd(lines.start, lines.stop)), "between multiples of"
    return f"{_said(lines, word)}: {how} {power} ({ALONE})" if power >= _LEAST else None


def _power_of_k(start: int, stop: int, k: int) -> str | None:
    power = _power_in(start if stop == k else gcd(start, stop))
    if power < _LEAST:
        return None
    if stop == k and k - start < power:
        return f"the K tail, K = {k} mod {power} ({ALONE})"
    return (
        f"to the end of K from a multiple of {power} ({ALONE})"
        if stop == k
        else (f"between multiples of {power} ({ALONE})")
    )


def _power_in(number: int) -> int:
    """Return the largest power of two that divides a number; 1 for 0, which all divide."""
    return number & -number or 1
