"""Which kernels multiply by quantized weights that indices pick?"""

from __future__ import annotations

from math import prod

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense
from pytest_applegpu.routing.calls import GatherQMM, QuantizedMatmul
from pytest_applegpu.routing.checks import shape_words
from pytest_applegpu.routing.copies import general_copy, row_contiguous, vector_copy
from pytest_applegpu.routing.indices import broadcast, gathered
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.quantized.gather_qmm_sorted import experts, gather_qmm_sorted
from pytest_applegpu.routing.quantized.operation import quantized_matmul
from pytest_applegpu.routing.quantized.product import Product, dense_rows
from pytest_applegpu.routing.quantized.qmm import gather_qmm_tiled
from pytest_applegpu.routing.quantized.qmv import gather_qmv, row_limit
from pytest_applegpu.routing.quantized.qvm import gather_qvm
from pytest_applegpu.routing.quantized.refusals import packed
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
    if call.x.ndim < 2:
        raise Refused(f"[gather_qmm] {rules.flat_x} {shape_words(call.x.shape)}.")
    x = _cast(tape, call.x, _type_of(call, rules))
    lhs = gathered(tape, x.shape[:-2], call.lhs)
    rhs = gathered(tape, call.weights.w[:-2], call.rhs)
    lhs, rhs = broadcast(lhs, rhs)
    x = dense_rows(tape, x)
    M, B = x.shape[-2], lhs.size
    out = (*lhs.shape, M, weights.N)
    if prod(out) == 0:
        tape.because("the result is empty: nothing is launched", f"shape {out}")
        return
    product = Product(call.weights, x.dtype, M, weights.N, weights.K, B, out)
    if _walks_in_order(tape, call, product):
        rows = _gone_through(tape, x, rhs)
        gather_qmm_sorted(tape, target, rules, product, rows)
    else:
        _picked(tape, target, rules, product)


def _type_of(call: GatherQMM, rules: Rules) -> str:
    """Return the format that x is brought into."""
    promoted = rules.bfloat16_scales and call.weights.mode != "affine"
    return "float32" if promoted and call.x.dtype != "bfloat16" else call.x.dtype


def _cast(tape: Tape, x: Array, dtype: str) -> Array:
    if x.dtype == dtype:
        return x
    if not x.contiguous:
        out = dense(x.shape, dtype)
        tape.add(general_copy(x, out))
        return out
    tape.add(vector_copy(x.dtype, dtype, x.data_size))
    return Array(x.shape, x.strides, dtype, data_size=x.data_size)


def _walks_in_order(tape: Tape, call: GatherQMM, p: Product) -> bool:
    """Return whether rows come expert after expert, enough of them to go by tiles of rows."""
    right_sorted = call.sorted and call.lhs is None
    per_expert = p.B // experts(p)
    taken = p.M == 1 and p.B >= 16 and right_sorted and per_expert >= 4
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
