"""Which kernels does a product of two operands take that are both rounded to a quantized format?"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from pytest_applegpu.routing.arrays import Array, dense, expanded
from pytest_applegpu.routing.calls import QQMM
from pytest_applegpu.routing.checks import REAL, shape_words
from pytest_applegpu.routing.copies import row_contiguous
from pytest_applegpu.routing.formats import dtype_words
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.qmv import qmv
from pytest_applegpu.routing.quantized.quantize import quantize, quantize_dequantize
from pytest_applegpu.routing.quantized.refusals import (
    WORD,
    check_groups,
    check_mode,
    packed,
    packed_arrays,
)
from pytest_applegpu.routing.quantized.rules import RULES, Rules
from pytest_applegpu.routing.reshape import flattened
from pytest_applegpu.routing.target import Target


def qqmm(call: QQMM, target: Target, tape: Tape) -> None:
    """Write down what `mx.qqmm` launches: quantization, then a vector kernel whatever M is.

    Weights are always N x K: the operation has no say in that, and the call's `transpose` none.

    Raises:
        Refused: MLX raises.
    """
    rules = RULES.at(target.version)
    call = replace(call, weights=replace(call.weights, transpose=True))
    _check_mode(call.weights.mode, rules)
    x = _as_matrix(tape, call)
    N, K = _sizes(call, x, rules)
    if not rules.qqmm_general and not (call.quantized and x.shape[-2] == 1):
        tape.because("only one row by packed weights runs", f"x {shape_words(x.shape)}")
        raise Refused("[QQMatmul] NYI for the general case")
    if x.size == 0 or N == 0:
        tape.because("the result is empty: nothing is launched", f"x {shape_words(x.shape)}, N {N}")
        return
    if not call.quantized:
        tape.because("weights are not packed yet: quantized first")
        tape.add(quantize(rules, dense(call.weights.w, x.dtype), call.weights))
    tape.add(quantize_dequantize(rules, row_contiguous(tape, x), call.weights))
    M = prod(x.shape[:-1])
    tape.because("qqmm takes vector kernels for any number of rows", f"M {M}")
    qmv(tape, target, rules, Product(call.weights, x.dtype, M, N, K, 1, (M, N)))


def _check_mode(mode: str, rules: Rules) -> None:
    if not rules.qqmm_modes:
        raise Refused("module 'mlx.core' has no attribute 'qqmm'")
    check_mode("qqmm", mode, rules)
    if mode not in rules.qqmm_modes and not rules.qqmm_general:
        raise Refused(
            "[qqmm] Only 'nvfp4' and 'mxfp8' quantization modes are supported but "
            f"'{mode}' was provided."
        )


def _as_matrix(tape: Tape, call: QQMM) -> Array:
    """Return x with two axes: a vector is one row, axes before the last one are rows too."""
    x = call.x
    if x.ndim == 1:
        return expanded(x, 0)
    return flattened(tape, x) if x.ndim > 2 and len(call.weights.w) == 2 else x


def _sizes(call: QQMM, x: Array, rules: Rules) -> tuple[int, int]:
    """Return N and K, once MLX has nothing against the operands."""
    w = call.weights.w
    if x.ndim > 2 or len(w) > 2:
        sizes = f"x.ndim() == {x.ndim} and w.ndim() == {len(w)}"
        raise Refused(f"[qqmm] Only 2D inputs are supported but {sizes}.")
    if call.quantized:
        words, scales, *_ = packed_arrays(x.dtype, call.weights)
        check_groups("qqmm", words, scales, call.weights)
        _check_real(x, "first argument")
        weights = packed("qqmm", x, call.weights, rules)
        return weights.N, weights.K
    if x.dtype == WORD:
        raise Refused("[qqmm] Scales must be provided if second argument is quantized.")
    _check_real(x, "second argument")
    _check_real(x, "first argument")
    if x.shape[-1] != w[-1]:
        raise Refused(
            f"[qqmm] Last dimension of first input with shape {shape_words(x.shape)} must match "
            f"last dimension of second input with shape {shape_words(w)}."
        )
    return w[0], w[1]


def _check_real(x: Array, which: str) -> None:
    if x.dtype not in REAL:
        said = f"{which} dtype == {dtype_words(x.dtype)}"
        raise Refused(f"[qqmm] Only real floating types except float64 are supported but {said}.")
