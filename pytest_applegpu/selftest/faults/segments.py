"""`segmented_mm`: segments of K that begin or end elsewhere, or are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes


def _several(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.matrices > 1


def _cut(call: Asked) -> Numbers:
    """Return the segments, shape (segments, 2): first of K, one past the last."""
    return call.numbers("segments").astype(np.int64)


@given_fault("segmented_mm", words={"cut": ("overlap",)}, fills=("integer",))
def last_segment_to_the_end(call: Asked) -> Any:
    """Let the last segment take the rest of K."""
    cut = _cut(call)
    cut[-1, 1] = call.sizes.k
    return call.made(segments=cut)


@given_fault("segmented_mm", _several, words={"cut": ("overlap",)}, fills=("integer",))
def overlap_cut_off(call: Asked) -> Any:
    """Begin a segment no sooner than the one before ended."""
    cut = _cut(call)
    cut[1:, 0] = np.minimum(np.maximum(cut[1:, 0], cut[:-1, 1]), cut[1:, 1])
    return call.made(segments=cut)


@given_fault("segmented_mm", _several, fills=("integer",))
def segment_begins_late(call: Asked) -> Any:
    """Lose the first term of every segment but the first."""
    cut = _cut(call)
    cut[1:, 0] = np.minimum(cut[1:, 0] + 1, cut[1:, 1])
    return call.made(segments=cut)


@given_fault("segmented_mm", lambda s: filled(s) and s.k > 16, fills=("integer",))
def segment_tail(call: Asked) -> Any:
    """Lose what lies past the last whole 16 of a segment of 16 and more."""
    cut = _cut(call)
    lengths = cut[:, 1] - cut[:, 0]
    cut[:, 1] -= np.where(lengths >= 16, lengths % 16, 0)
    return call.made(segments=cut)


@answer_fault("segmented_mm", _several, fills=("integer",))
def segments_added_up(c: Numbers, call: Asked) -> Numbers:
    """Keep the sums of the segment before, as if the accumulator had not been cleared."""
    return np.cumsum(c, axis=0, dtype=c.dtype)


@answer_fault("segmented_mm", _several, fills=("integer",))
def last_segments_swapped(c: Numbers, call: Asked) -> Numbers:
    """Swap the results of the last two segments."""
    c[-2:] = c[-2:][::-1].copy()
    return c


@given_fault(
    "segmented_mm",
    layouts=("segments=pad", "segments=step", "segments=neg"),
    fills=("integer", "normal"),
)
def segments_in_one_piece(call: Asked) -> Any:
    """Read segments that are a view as if they lay in one piece, and no end before its start."""
    cut = np.minimum(call.densely("segments").astype(np.int64), call.sizes.k)
    return call.made(segments=np.sort(cut, axis=1))
