"""Flaws of attention."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.forms.flaws.flaw import (
    SHAPES,
    TYPES,
    Call,
    Flaw,
    Spoil,
    cast,
    grown,
    longer,
    saying,
)

_OP: Final = "sdpa"
PLAIN: Final = ("sdpa-f32-nt-3x5x8-b1x4:1x2",)
MASKED: Final = ("sdpa-f32-nt-3x5x8-b1x4:1x2 mask=add",)
HALF: Final = ("sdpa-f16-nt-3x5x8-b1x4:1x2 mask=add",)
SINKS: Final = ("sdpa-f32-nt-3x5x8-b1x4:1x2 sinks=yes",)

_GIVEN: Final[dict[str, tuple[str, ...]]] = {"mask": ("bool", "add")}
_HEADS: Final = ("head", *SHAPES)


def _sequence(call: Call) -> Call:
    """Hand over the first sequence alone, which has three axes."""
    return call.given(**{name: call.array(name)[0] for name in ("q", "k", "v")})


def _more_heads(call: Call) -> Call:
    """Hand over a head of queries too many: groups of heads are no longer alike."""
    return call.given(q=grown(call.array("q"), 1))


def _flaw(
    name: str, why: str, names: tuple[str, ...], spoil: Spoil, asked: tuple[str, ...] = PLAIN
) -> Flaw:
    return Flaw(name, _OP, why, names, asked, spoil, _NEEDS.get(name, {}), _DTYPES.get(name, ()))


_NEEDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "mask-shape": _GIVEN,
    "mask-dtype": {"mask": ("add",)},
    "sinks-shape": {"sinks": ("yes",)},
    "mask-word": {"mask": ("none", "causal")},
}

_DTYPES: Final = {"mask-dtype": ("float16",)}

FLAWS: Final = (
    _flaw("head-size", "queries and keys have one size of head", _HEADS, longer("k", -1)),
    _flaw("heads", "heads of keys divide those of queries", _HEADS, _more_heads),
    _flaw("value-heads", "keys and values have as many heads", _HEADS, longer("v", 1)),
    _flaw("values", "there is a value for each key", SHAPES, longer("v", 2)),
    _flaw("sequences", "there are as many sequences of each", SHAPES, longer("q", 0)),
    _flaw("rank", "operands have four axes", ("rank", *SHAPES), _sequence),
    _flaw("integers", "only floating-point formats are taken", TYPES, cast(np.int32, *"qkv")),
    _flaw("mask-word", "causal is the only mask with a name", ("mask",), saying(mask="windowed")),
    _flaw("mask-shape", "a mask must broadcast to the scores", SHAPES, longer("mask", -1), MASKED),
    _flaw(
        "mask-dtype",
        "a mask must promote to the result's format",
        TYPES,
        cast(np.float32, "mask"),
        HALF,
    ),
    _flaw("sinks-shape", "there is a sink for each head", SHAPES, longer("sinks", 0), SINKS),
)
