"""Attention: keys that are seen or missed, heads that are mixed up, scores of another size."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes

_GIVEN: Final = {"mask": ("bool", "add")}


def _shared(sizes: Sizes) -> bool:
    """Apply where heads of queries share some of several heads of keys."""
    return filled(sizes) and sizes.batch_a[-1] > sizes.batch_b[-1] > 1


def _causal(call: Asked, later: int) -> Any:
    """Mask so that the last query sees `later` keys more than all."""
    if call.given.get("mask") != "causal":
        return call.right()
    m, n = call.sizes.m, call.sizes.n
    return call.right(mask=call.library.array(np.tri(m, n, n - m + later, dtype=bool), "bool"))


@given_fault("sdpa", lambda s: filled(s) and s.n > s.m, words={"mask": ("causal",)})
def causal_one_short(call: Asked) -> Any:
    """Let no query see its own key, where there are more keys than queries."""
    return _causal(call, -1)


@given_fault("sdpa", lambda s: filled(s) and s.n > s.m, words={"mask": ("causal",)})
def causal_from_the_left(call: Asked) -> Any:
    """Let the first query see the first key alone, where there are more keys than queries."""
    return _causal(call, call.sizes.m - call.sizes.n)


@given_fault("sdpa", words=_GIVEN | {"over": ("heads", "matrix", "row")})
def mask_of_first_head(call: Asked) -> Any:
    """Apply a mask for all heads to the first one alone."""
    if not call.has("mask"):
        return call.right()
    mask, sizes = call.numbers("mask"), call.sizes
    full = np.broadcast_to(mask, (*sizes.batch_a, sizes.m, sizes.n)).copy()
    full[:, 1:] = 1 if mask.dtype == bool else 0
    return call.made(mask=full)


@given_fault("sdpa", words={"mask": ("add",)}, fills=("normal",))
def mask_before_scale(call: Asked) -> Any:
    """Scale the mask that is added, as if it came before the scale."""
    if not call.has("mask") or call.library.format(call.given["mask"]) == "bool":
        return call.right()
    return call.made(mask=call.numbers("mask") * np.float32(call.given["scale"]))


@given_fault("sdpa", _shared, fills=("integer", "normal"))
def heads_in_turn(call: Asked) -> Any:
    """Give the heads of queries those of keys in turn, h % n, and not n by n."""
    heads = np.arange(call.sizes.batch_a[-1]) % call.sizes.batch_b[-1]
    k, v = call.numbers("k"), call.numbers("v")
    return call.made(k=k[:, heads], v=v[:, heads])


@given_fault("sdpa", lambda s: filled(s) and s.n > 1, fills=("normal",))
def scale_ignored(call: Asked) -> Any:
    """Take the scale for 1."""
    return call.right(scale=1.0)


@answer_fault("sdpa", words=_GIVEN | {"hide": ("rows",)})
def dark_query_is_nan(c: Numbers, call: Asked) -> Numbers:
    """Give NaN for a query that sees no key."""
    if not call.has("mask"):
        return c
    mask = call.numbers("mask")
    dark = ~(mask if mask.dtype == bool else ~np.isneginf(mask)).any(axis=-1)
    c[np.broadcast_to(dark, c.shape[:-1])] = np.nan
    return c


@given_fault("sdpa", words={"sinks": ("yes",)})
def sinks_ignored(call: Asked) -> Any:
    """Leave the sinks out."""
    return call.right(sinks=None)


def _cut(call: Asked, keys: int) -> Any:
    """Let no query see more than the first `keys` keys; only where there is no mask."""
    if call.given.get("mask") is not None:
        return call.right()
    return call.made(k=call.numbers("k")[..., :keys, :], v=call.numbers("v")[..., :keys, :])


@given_fault("sdpa", lambda s: filled(s) and s.n > 32 and s.n % 32 != 0, words={"mask": ("none",)})
def keys_off_block(call: Asked) -> Any:
    """Lose the keys past the last whole 32."""
    return _cut(call, call.sizes.n - call.sizes.n % 32)


@given_fault("sdpa", lambda s: filled(s) and s.n > 1024, words={"mask": ("none",)})
def keys_past_1024(call: Asked) -> Any:
    """Lose the keys past the first 1024, which a second pass has to add."""
    return _cut(call, 1024)


@given_fault("sdpa", layouts=("k=pad", "k=heads", "k=step"), fills=("integer", "normal"))
def keys_in_one_piece(call: Asked) -> Any:
    """Read keys that are a view as if they lay in one piece."""
    return call.made(k=call.densely("k"))
