"""Sizes at which an index that is too narrow wraps: 16 bits with sign and without, and 32.

The last tile or partition is always an odd one: in real releases the remainder was cast to 16
bits before it was compared with the tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.cases.planned import Planned
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import Problem

_PAST: Final = (33001, 65573)
"""Past 2**15 and past 2**16, at the tail of every tile."""

_NARROW: Final = 9

_HUGE: Final = (
    (32771, 3, 65567),  # A has more than 2**31 elements
    (3, 65567, 32771),  # B has
    (46349, 46351, 17),  # C has
)


def ranges(op: str, dtype: DType, tier: str) -> Iterator[Planned]:
    """Yield products with one long side each, and in the exhaustive tier more than 2**31 elements.

    These are checked by projection; where the memory does not suffice the case is `unsupported`.
    """
    if op not in {"matmul", "addmm"}:
        return
    for size in _PAST:
        for m, n, k in ((size, _NARROW, 33), (_NARROW, size, 33), (_NARROW, _NARROW, size)):
            yield Problem(op, dtype, m, n, k, "nt"), "integer", "projection"
    if tier == "exhaustive" and op == "matmul" and dtype.name in {"float16", "bfloat16"}:
        for m, n, k in _HUGE:
            yield Problem(op, dtype, m, n, k, "nt"), "integer", "projection"
