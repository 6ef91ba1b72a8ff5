"""What of a product with quantized weights does MLX refuse, and with which words?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.routing.arrays import Array, Shape, broadcast_shape, dense
from pytest_applegpu.routing.calls import Quantized
from pytest_applegpu.routing.checks import REAL, shape_words
from pytest_applegpu.routing.formats import dtype_words, promoted
from pytest_applegpu.routing.launch import Refused
from pytest_applegpu.routing.quantized.rules import Rules

WORD = "uint32"
"""Format of packed weights; weights in it are taken for packed ones."""

WORD_BITS = 32
"""Bits of the integers that weights are packed into."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The arrays that weights come in, and the matrix that they stand for: K x N."""

    arrays: tuple[Array, ...]
    K: int
    N: int


def packed(tag: str, x: Array, weights: Quantized, rules: Rules) -> Packed:
    """Return the packed weights for `x`, once MLX has nothing against them.

    Raises:
        Refused: the mode is unknown, or the shapes do not fit.
    """
    found = packed_arrays(x.dtype, weights)
    if rules.shapes_first:
        _check_shapes(tag, x, weights, found)
    check_mode(tag, weights.mode, rules)
    _check_scales(tag, found)
    fitting = _check_shapes(tag, x, weights, found)
    if result_type(x, weights.mode, rules) not in REAL:
        said = f"x.dtype() == {dtype_words(x.dtype)}"
        raise Refused(f"[{tag}] Only real floating types are supported but {said}.")
    return fitting


def result_type(x: Array, mode: str, rules: Rules) -> str:
    """Return the format of the product of `x`: its own, or what it and bfloat16 promote to."""
    promotes = rules.bfloat16_scales and mode != "affine"
    return promoted(x.dtype, "bfloat16") if promotes else x.dtype


def check_mode(tag: str, mode: str, rules: Rules) -> None:
    """Refuse a mode that this release does not know.

    Raises:
        Refused: it does not.
    """
    if mode not in rules.modes:
        raise Refused(f"[{tag}] Invalid quantization mode '{mode}'.")


def common_batch(x: Shape, w: Shape) -> Shape:
    """Return the batch axes of `x` and `w` together.

    Raises:
        Refused: they do not broadcast.
    """
    try:
        return broadcast_shape(x, w)
    except ValueError:
        raise Refused(
            f"[broadcast_shapes] Shapes {shape_words(x)} and {shape_words(w)} cannot be broadcast."
        ) from None


def packed_arrays(dtype: str, weights: Quantized) -> tuple[Array, ...]:
    """Return packed words and scales, with biases of the scales' kind in the affine mode."""
    if weights.arrays:
        return weights.arrays
    *outer, columns = weights.w
    words = dense((*outer, columns * weights.bits // WORD_BITS), WORD)
    groups = (*outer, columns // weights.group_size)
    if weights.mode == "affine":
        return words, dense(groups, dtype), dense(groups, dtype)
    return words, dense(groups, "uint8")


def _unpacked(words: Array, bits: int) -> int:
    return words.shape[-1] * WORD_BITS // bits


def _check_scales(tag: str, found: tuple[Array, ...]) -> None:
    """Refuse scales with biases that are not real numbers."""
    _, scales, *biases = found
    if biases and scales.dtype not in REAL:
        raise Refused(
            f"[{tag}] Only real floating types are supported but scales.dtype() == "
            f"{dtype_words(scales.dtype)} and biases.dtype() == {dtype_words(biases[0].dtype)}."
        )


def check_groups(tag: str, words: Array, scales: Array, weights: Quantized) -> None:
    """Refuse scales that are not one a group.

    Raises:
        Refused: they are more or fewer.
    """
    group, bits = weights.group_size, weights.bits
    if _unpacked(words, bits) != scales.shape[-1] * group:
        raise Refused(
            f"[{tag}] The shapes of the weight and scales are incompatible based on bits and "
            f"group_size. w.shape() == {shape_words(words.shape)} and scales.shape() == "
            f"{shape_words(scales.shape)} with group_size={group} and bits={bits}"
        )


def _check_shapes(tag: str, x: Array, weights: Quantized, found: tuple[Array, ...]) -> Packed:
    check_groups(tag, found[0], found[1], weights)
    return _fitting(tag, x, weights, found)


def _fitting(tag: str, x: Array, weights: Quantized, found: tuple[Array, ...]) -> Packed:
    words, bits = found[0], weights.bits
    sizes = words.shape[-2], _unpacked(words, bits)
    N, K = sizes if weights.transpose else sizes[::-1]
    how = f"group_size={weights.group_size}, bits={bits}"
    if x.shape[-1] != K:
        raise Refused(
            f"[{tag}] Last dimension of first input with shape (..., {x.shape[-1]}) does not match "
            f"the expanded quantized matrix ({K}, {N}) computed from shape "
            f"{shape_words(words.shape)} with {how} and transpose={str(weights.transpose).lower()}"
        )
    return Packed(found, K, N)
