"""What do the bits of a result depend on: the order of terms, other rows, the call?

The sums are those of products and of the same products negated, elsewhere along K: they are zero,
so that what comes out is all of the rounding errors, and any other order shows.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.numerics.card.answer import Feature
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.rounding import Array, widen

ROWS: Final = (1, 2, 15, 16, 64)
"""Rows among which the same row is multiplied."""

CALLS: Final = 10

ROWS_NAME: Final = f"rows {' '.join(map(str, ROWS))}"
CALLS_NAME: Final = f"{CALLS} calls"

_ORDERS: Final = 4
_MORE: Final = 12
_FEW: Final = 64
"""Results below which more orders are tried."""


def cancelling(ask: Ask, rows: int) -> tuple[Array, Array]:
    """Return A (rows, K) and B (K, N) of random numbers, whose product is zero."""
    random = np.random.Generator(np.random.Philox(17))
    half = ask.k // 2
    a, b = np.zeros((rows, ask.k)), np.zeros((ask.k, ask.n))
    some = _stored(ask, random.standard_normal((rows, half)))
    others = _stored(ask, random.standard_normal((half, ask.n)))
    order = random.permutation(half)
    a[:, :half], a[:, half : 2 * half] = some, -some[:, order]
    b[:half], b[half : 2 * half] = others, others[order]
    return a, b


def _stored(ask: Ask, values: Array) -> Array:
    return widen(values.astype(ask.dtype.numpy)).real


def order(ask: Ask) -> Feature:
    """Ask whether the terms of a sum may be rearranged."""
    a, b = cancelling(ask, ask.m)
    random = np.random.Generator(np.random.Philox(19))
    first = ask.product(a, b)
    changed = np.zeros(first.shape, bool)
    orders = _MORE if first.size < _FEW else _ORDERS
    for _ in range(orders):
        along = random.permutation(ask.k)
        changed |= ask.product(a[:, along], b[along]) != first
    said = f"{int(changed.sum())} of {first.size} sums change with {orders} orders of their terms"
    return Feature("order of terms", "matters" if changed.any() else "does not matter", said)


def rows(ask: Ask) -> Feature:
    """Ask whether a row has the same product whichever number of rows it is among."""
    a, b = cancelling(ask, max(ROWS))
    groups: dict[bytes, list[int]] = {}
    for count in ROWS:
        groups.setdefault(ask.product(a[:count], b)[0].tobytes(), []).append(count)
    said = " | ".join(" ".join(map(str, group)) for group in groups.values())
    if len(groups) == 1:
        return Feature(ROWS_NAME, "alike", f"a row of {ask.n} is the same among {said} rows")
    return Feature(ROWS_NAME, said, f"a row of {ask.n} has {len(groups)} results; alike are {said}")


def calls(ask: Ask) -> Feature:
    """Ask whether the same call gives the same bits every time."""
    a, b = cancelling(ask, ask.m)
    digests = ask.machine.repeat(ask.stored(a), ask.stored(b), CALLS)
    alike = sum(digest == digests[0] for digest in digests)
    word = "alike" if alike == len(digests) else f"{alike} of {len(digests)} alike"
    return Feature(CALLS_NAME, word, f"{alike} of {len(digests)} have the bits of the first")
