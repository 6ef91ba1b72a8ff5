"""Which kernels does a product with quantized weights take, in the order of MLX's decisions?"""

from __future__ import annotations

from math import prod

from pytest_applegpu.routing.arrays import Array, broadcast_to
from pytest_applegpu.routing.calls import QuantizedMatmul
from pytest_applegpu.routing.launch import NO_SUCH_AXIS, Refused, Tape
from pytest_applegpu.routing.quantized.product import Product, dense_rows
from pytest_applegpu.routing.quantized.qmm import qmm
from pytest_applegpu.routing.quantized.qmv import qmv, row_limit
from pytest_applegpu.routing.quantized.qvm import qvm
from pytest_applegpu.routing.quantized.refusals import common_batch, packed
from pytest_applegpu.routing.quantized.rules import RULES, Rules
from pytest_applegpu.routing.target import Target


def quantized_matmul(call: QuantizedMatmul, target: Target, tape: Tape) -> None:
    """Write down what `mx.quantized_matmul` launches.

    Raises:
        Refused: MLX raises.
    """
    rules = RULES.at(target.version)
    weights = packed("quantized_matmul", call.x, call.weights, rules)
    arrays = (call.x, *weights.arrays)
    if call.x.ndim > 2 and len(call.weights.w) > 2:
        arrays = _broadcast(arrays)
    out = (*arrays[0].shape[:-1], weights.N)
    if call.x.ndim < 2 < len(call.weights.w):
        tape.because("rows of a vector are asked for, beside batches of weights", f"{call.x.shape}")
        raise Refused(NO_SUCH_AXIS)
    if prod(out) == 0:
        tape.because("the result is empty: nothing is launched", f"shape {out}")
        return
    x, w, *_ = (dense_rows(tape, array) for array in arrays)
    together = w.ndim == 2 and x.row_contiguous
    M = x.size // x.shape[-1] if together else x.shape[-2]
    if together:
        tape.because("one matrix of weights, x without gaps: all rows count as M", f"M {M}")
    B = prod(out) // (M * weights.N)
    product = Product(call.weights, x.dtype, M, weights.N, weights.K, B, out)
    _multiplied(tape, target, rules, product)


def _broadcast(arrays: tuple[Array, ...]) -> tuple[Array, ...]:
    batch = common_batch(arrays[0].shape[:-2], arrays[1].shape[:-2])
    return tuple(broadcast_to(array, (*batch, *array.shape[-2:])) for array in arrays)


def _multiplied(tape: Tape, target: Target, rules: Rules, p: Product) -> None:
    limit = row_limit(target, rules, transpose=p.transpose, K=p.K, N=p.N)
    if limit <= p.M:
        tape.because("M >= the limit of vector kernels: matrix kernel", f"{p.M} >= {limit}")
        qmm(tape, target, rules, p)
        return
    tape.because("M < the limit of vector kernels: vector kernel", f"{p.M} < {limit}")
    if p.transpose:
        qmv(tape, target, rules, p)
    else:
        qvm(tape, rules, p)
