"""Which kernels multiply by quantized weights that indices pick?"""

from __future__ import annotations

from math import prod

from pytest_applegpu.routing.arrays import Array, broadcast_to
from pytest_applegpu.routing.calls import GatherQMM, QuantizedMatmul
from pytest_applegpu.routing.checks import shape_words
from pytest_applegpu.routing.copies import row_contiguous
from pytest_applegpu.routing.formats import converted
from pytest_applegpu.routing.indices import broadcast, gathered
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.quantized.gather_qmm_sorted import experts, gather_qmm_sorted
from pytest_applegpu.routing.quantized.operation import quantized_matmul
from pytest_applegpu.routing.quantized.product import Product, dense_rows
from pytest_applegpu.routing.quantized.qmm import gather_qmm_tiled
from pytest_applegpu.routing.quantized.qmv import gather_qmv, row_limit
from pytest_applegpu.routing.quantized.qvm import gather_qvm
from pytest_applegpu.routing.quantized.refusals import packed, result_type
from pytest_applegpu.routing.quantized.rules import RULES, Rules
from pytest_applegpu.routing.target import Target


def gather_qmm(call: GatherQMM, target: Target, tape: Tape) -> None:
    """Write down what `mx.gather_qmm` launches.

    Raises:
        Refused: MLX raises.
    """
    if call.lhs is None and call.rhs is None:
        tape.because("no indices: quantized_matmul")
        quantized_matmul(QuantizedMatmul(call.x, call.weights), target, tape)
        return
    rules = RULES.at(target.version)
    weights = packed("gather_qmm", call.x, call.weights, rules)
    x = converted(tape, call.x, result_type(call.x, call.weights.mode, rules))
    lhs, rhs = _indices(tape, call, rules)
    x = dense_rows(tape, x)
    M, B = x.shape[-2], lhs.size
    out = (*lhs.shape, M, weights.N)
    if M * weights.N == 0:
        tape.because("each product is empty: nothing is launched", f"shape {out}")
        return
    if B == 0:
        tape.because("no indices: a grid without layers is launched all the same", f"shape {out}")
    product = Product(call.weights, x.dtype, M, weights.N, weights.K, B, out)
    if _walks_in_order(tape, call, product):
        rows = _gone_through(tape, x, rhs)
        gather_qmm_sorted(tape, target, rules, product, rows)
    else:
        _picked(tape, target, rules, product)


def _indices(tape: Tape, call: GatherQMM, rules: Rules) -> tuple[Array, Array]:
    """Return both operands' indices in one shape.

    Raises:
        Refused: their shapes do not broadcast, or x is a vector.
    """
    flat = f"[gather_qmm] {rules.flat_x} {shape_words(call.x.shape)}."
    if call.x.ndim < 2 and rules.flat_x_first:
        raise Refused(flat)
    lhs = gathered(tape, call.x.shape[:-2], call.lhs)
    rhs = gathered(tape, call.weights.w[:-2], call.rhs)
    lhs, rhs = broadcast(lhs, rhs)
    if call.x.ndim < 2:
        raise Refused(flat)
    return lhs, rhs


def _walks_in_order(tape: Tape, call: GatherQMM, p: Product) -> bool:
    """Return whether rows come expert after expert, enough of them to go by tiles of rows."""
    right_sorted = call.sorted and call.lhs is None
    taken = p.M == 1 and p.B >= 16 and right_sorted and p.B // experts(p) >= 4
    if taken:
        rule = "one row a product, sorted, B >= 16, B // E >= 4: rows of an expert go together"
        tape.because(rule, f"B {p.B}, E {experts(p)}")
    return taken


def _picked(tape: Tape, target: Target, rules: Rules, p: Product) -> None:
    limit = row_limit(target, rules, transpose=p.transpose, K=p.K, N=p.N)
    if limit <= p.M:
        tape.because("M >= the limit of vector kernels: matrix kernel", f"{p.M} >= {limit}")
        gather_qmm_tiled(tape, target, rules, p)
        return
    tape.because("M < the limit of vector kernels: vector kernel", f"{p.M} < {limit}")
    if p.transpose:
        gather_qmv(tape, rules, p)
    else:
        gather_qvm(tape, rules, p)


def _gone_through(tape: Tape, x: Array, indices: Array) -> int:
    """Copy what kernels over all rows need without gaps; return how many rows x has itself."""
    row_contiguous(tape, indices)
    in_turn = x
    if prod(x.shape[:-2]) != indices.size:
        in_turn = broadcast_to(x, (*indices.shape, *x.shape[-2:]))
    row_contiguous(tape, in_turn)
    return x.size // x.shape[-1]
