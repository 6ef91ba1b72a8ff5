"""Calls of `scaled_dot_product_attention`."""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.attention import scale_of
from pytest_applegpu.recording.draft import (
    Met,
    NotSaid,
    array,
    matrix,
    notes,
    one_format,
    problem,
)
from pytest_applegpu.recording.picked import laid
from pytest_applegpu.recording.seen import Array, Call

_SCALE: Final = "the scale is {given:g}, and the power of two next to it in a case"
_HIDDEN: Final = "what the mask hides is not seen"


def attention(call: Call) -> Met:
    """Read attention; of a mask the kind and the shape are seen."""
    q, k, v = (array(call, name) for name in "qkv")
    left, keys, values = (
        matrix(name, one, transposes=False) for name, one in zip("qkv", (q, k, v), strict=True)
    )
    words = _mask(call, (*left.batch, left.rows, keys.rows))
    masks = laid(call, ("mask",)) if words["mask"] in {"bool", "add"} else {}
    said = {"q": left.layout, "k": keys.layout, "v": values.layout}
    said |= {name: one.layout for name, one in masks.items()} | words
    met = problem(
        "sdpa",
        one_format(q, k, v),
        (left.rows, keys.rows, left.cols),
        "nt",
        (left.batch, keys.batch),
        said
        | {
            "dv": "0" if values.cols == left.cols else str(values.cols),
            "sinks": "no" if call.get("sinks") is None else "yes",
        },
    )
    given = float(call.get("scale", 1.0))
    told = () if given == scale_of(met) else (_SCALE.format(given=given),)
    hidden = (_HIDDEN,) if masks else ()
    return Met(met, (*told, *hidden, *notes(left, keys, values, *masks.values())))


def _mask(call: Call, scores: tuple[int, ...]) -> dict[str, str]:
    """Return the words for the mask.

    Raises:
        NotSaid: it is of a shape that no problem says.
    """
    mask = call.get("mask")
    if mask is None or mask == "causal":
        return {"mask": mask or "none"}
    if not isinstance(mask, Array) or len(scores) != 4:
        raise NotSaid(f"mask {mask!r}")
    sequences, heads, queries, keys = scores
    shapes = {
        (sequences, heads, queries, keys): "full",
        (sequences, 1, queries, keys): "heads",
        (queries, keys): "matrix",
        (1, 1, queries, keys): "matrix",
        (sequences, 1, 1, keys): "row",
    }
    if mask.shape not in shapes:
        raise NotSaid(f"a mask of shape {list(mask.shape)} over scores of {list(scores)}")
    over = "heads" if mask.shape == (sequences, 1, queries, keys) else shapes[mask.shape]
    return {"mask": "bool" if mask.dtype == "bool" else "add", "over": over}
