"""What are cases of layers made of: `linear`, `quantized_linear`, `multi_head_attention`?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.choices.choices import BATCHED, FLAT, LAYOUTS, SIZES, UNPLAIN, Choices
from pytest_applegpu.cases.fillings import drawn_fills
from pytest_applegpu.cases.packed import FORMATS, said_of
from pytest_applegpu.cases.pairs import Excluded, Row
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.attention import MASKS
from pytest_applegpu.forms.layers import BIAS
from pytest_applegpu.forms.multihead import INPUTS, PROJECTIONS, SHARED
from pytest_applegpu.problem import TRANSPOSES, Batch, Problem, problem_of

INPUT_BATCHES: Final[dict[str, Batch]] = {"none": (), "b3": (3,), "b2x3": (2, 3), "b1": (1,)}
"""Batches of a layer's input; its parameters have none."""

_NO_BIAS: Final[Excluded] = {"bias": ("no",), "c": FLAT[1:]}

_NO_BATCH: Final[Excluded] = {"a": BATCHED, "batch": ("none",)}


def linear(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `linear`."""
    levels = {
        "dtype": dtypes,
        "transpose": TRANSPOSES,
        "m": SIZES,
        "n": SIZES,
        "k": SIZES,
        "batch": tuple(INPUT_BATCHES),
        "a": LAYOUTS,
        "b": FLAT,
        "c": FLAT,
        "bias": BIAS,
        "fill": drawn_fills("linear"),
    }
    return Choices(levels, (_NO_BIAS, _NO_BATCH), _linear)


def _linear(row: Row) -> Problem:
    sizes = row["m"], row["n"], row["k"]
    return _layer("linear", row, sizes, {name: row[name] for name in ("a", "b", "c", "bias")})


def _layer(op: str, row: Row, sizes: tuple[int, int, int], said: dict[str, str]) -> Problem:
    batches = INPUT_BATCHES[row["batch"]], ()
    return problem_of(op, DTYPES[row["dtype"]], sizes, row["transpose"], batches, said)


_WEIGHTS: Final = ("w", "scales", "biases")


def quantized_linear(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `quantized_linear`, whose K is counted in groups."""
    levels = {
        "dtype": dtypes,
        "transpose": ("nt", "tt"),
        "m": (1, 2, 5, 8, 17, 33),
        "n": (1, 3, 8, 33, 40, 65),
        "groups": (1, 2, 4, 9),
        "format": FORMATS,
        "batch": tuple(INPUT_BATCHES),
        "a": LAYOUTS,
        **dict.fromkeys((*_WEIGHTS, "c"), FLAT),
        "bias": BIAS,
        "fill": drawn_fills("quantized_linear"),
    }
    without_biases = tuple(one for one in FORMATS if one[0] != "affine")
    no_biases: Excluded = {"format": without_biases, "biases": FLAT[1:]}
    free = {"m": 1, "n": 1, "groups": 128}
    return Choices(levels, (_NO_BIAS, _NO_BATCH, no_biases), _quantized_linear, free)


def _quantized_linear(row: Row) -> Problem:
    sizes = row["m"], row["n"], row["groups"] * row["format"][1]
    said = {name: row[name] for name in ("a", *_WEIGHTS, "c", "bias")}
    return _layer("quantized_linear", row, sizes, said | said_of(row["format"]))


_HEADS: Final = {"64/4": (64, 4), "64/1": (64, 1), "96/8": (96, 8), "128/2": (128, 2)}
"""Dimensions, and the heads that share them."""

_MORE: Final = (1, 32, 33, 64)
"""How many keys there are more than queries, so that a causal mask lets each query see some."""

_LETTERS: Final = tuple(PROJECTIONS)


def multi_head_attention(dtypes: tuple[str, ...]) -> Choices:
    """Return the choices of `multi_head_attention`: inputs, weights and biases as views."""
    levels = {
        "dtype": dtypes,
        "m": (1, 2, 7, 9, 33),
        "more": _MORE,
        "heads": tuple(_HEADS),
        "batch": (1, 2, 3),
        "mask": MASKS,
        "over": SHARED,
        "bias": ("no", "yes"),
        **dict.fromkeys(INPUTS, LAYOUTS),
        **{f"w{one}": FLAT for one in _LETTERS},
        **{f"b{one}": FLAT for one in _LETTERS},
        "fill": drawn_fills("multi_head_attention"),
    }
    levels["q"] = tuple(one for one in LAYOUTS if one != "bc")
    excluded: tuple[Excluded, ...] = (
        {"mask": ("none", "causal"), "over": SHARED[1:]},
        *({"bias": ("no",), f"b{one}": tuple(x for x in UNPLAIN if x in FLAT)} for one in _LETTERS),
    )
    return Choices(levels, excluded, _multi_head_attention, {"m": 4})


def _multi_head_attention(row: Row) -> Problem:
    dims, heads = _HEADS[row["heads"]]
    names = ("mask", "over", "bias", *INPUTS, *(f"{x}{one}" for x in "wb" for one in _LETTERS))
    said = {name: row[name] for name in names} | {"heads": str(heads)}
    batch = (row["batch"],)
    sizes = row["m"], row["m"] + row["more"], dims
    dtype = DTYPES[row["dtype"]]
    return problem_of("multi_head_attention", dtype, sizes, "nt", (batch, batch), said)
