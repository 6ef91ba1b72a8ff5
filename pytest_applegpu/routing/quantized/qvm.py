"""Which kernel multiplies few rows by quantized weights that are not transposed?"""

from __future__ import annotations

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.rules import Rules
from pytest_applegpu.routing.reduce import Columns, column_reduce

_SPLIT_FROM = 1024
"""K from which on it is split."""


def qvm(tape: Tape, rules: Rules, p: Product) -> None:
    """Write down the vector kernel of weights that are not transposed."""
    if p.K < _SPLIT_FROM:
        tape.because("K is short: not split", f"{p.K} < {_SPLIT_FROM}")
        tape.add(p.launch("qvm", _grid(rules, p), (32, 2, 1), p.batch))
    else:
        _split(tape, rules, p)


def gather_qvm(tape: Tape, rules: Rules, p: Product) -> None:
    """Write down the vector kernel of gathered weights that are not transposed."""
    tape.add(p.launch("gather_qvm", _grid(rules, p), (32, 2, 1)))


def _columns(rules: Rules, p: Product) -> int:
    """Return how many columns a threadgroup covers."""
    return 2 * min(p.group, 32) if rules.qvm_by_group else 64


def _grid(rules: Rules, p: Product) -> tuple[int, int, int]:
    return p.M, ceil_div(p.N, _columns(rules, p)), p.B


def _split(tape: Tape, rules: Rules, p: Product) -> None:
    parts = 32 if p.K > 8192 else 8
    tape.because(f"K >= {_SPLIT_FROM}: split in 8, above 8192 in 32", f"K {p.K}")
    x, y, z = _grid(rules, p)
    if rules.qvm_split_short:
        y = p.N // _columns(rules, p)
    tape.add(p.launch("qvm_split_k", (x, y, z * parts), (32, 2, 1), f"_spk_{parts}"))
    rows = p.out[-2] if len(p.out) > 1 else 1
    column_reduce(tape, Columns("sum", p.dtype, p.out, parts, rows * p.N))
