"""Which kernels compute attention: the vector kernels, a full kernel, or none that is fused?"""

from __future__ import annotations

from pytest_applegpu.routing.arrays import Array, broadcast_to, dense
from pytest_applegpu.routing.attention.blocked import blocked, in_blocks
from pytest_applegpu.routing.attention.full import (
    FullKernel,
    full,
    full_kernel,
)
from pytest_applegpu.routing.attention.padding import pad, unpad
from pytest_applegpu.routing.attention.rules import RULES, AttentionRules
from pytest_applegpu.routing.attention.sizes import Sizes, result_of, sizes_of
from pytest_applegpu.routing.attention.unfused import unfused
from pytest_applegpu.routing.attention.vector import MOST_ROWS, vector, vector_fits
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.copies import contiguous_copy
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.target import Target


def attention(call: Attention, target: Target, tape: Tape) -> None:
    """Write down the launches of `mx.fast.scaled_dot_product_attention`, outside of training.

    Raises:
        Refused: MLX raises for these operands.
    """
    rules = RULES.at(target.version)
    size = sizes_of(call)
    if size.L > MOST_ROWS:
        kernel = full_kernel(size, rules, target, tape)
        if kernel is not None:
            _full(call, size, kernel, rules, tape)
            return
    elif vector_fits(size, rules, tape):
        vector(call, size, rules, target, tape)
        return
    _without_fused(call, size, rules, target, tape)


def _full(
    call: Attention, size: Sizes, kernel: FullKernel, rules: AttentionRules, tape: Tape
) -> None:
    operands = [_rows_dense(one, tape) for one in (call.q, call.k, call.v)]
    if size.array_mask:
        mask = dense((size.L, size.S), size.mask_dtype)
        _rows_dense(broadcast_to(mask, (size.batch, size.heads, size.L, size.S)), tape)
    if kernel.bd == size.D:
        tape.add(full(kernel, size, rules))
        return
    for one in operands:
        pad(tape, one, kernel.bd)
    tape.add(full(kernel, size, rules))
    unpad(tape, dense((size.batch, size.heads, size.L, kernel.bd), size.dtype), result_of(size))


def _rows_dense(array: Array, tape: Tape) -> Array:
    return array if array.strides[-1] == 1 else contiguous_copy(tape, array)


def _without_fused(
    call: Attention, size: Sizes, rules: AttentionRules, target: Target, tape: Tape
) -> None:
    if rules.blocked_512 and in_blocks(size, target):
        tape.because("no fused kernel, but blocks of queries", f"L={size.L}, S={size.S}")
        tape.unfused = "BLOCKED_D512" if rules.marked else None
        blocked(call, size, target, tape)
        return
    tape.because("no fused kernel: matmul, softmax, matmul")
    tape.unfused = "UNFUSED" if rules.marked else None
    unfused(call, size, target, tape)
