"""Which kernel multiplies few rows by transposed quantized weights?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.quantized.product import Product
from pytest_applegpu.routing.quantized.rules import Rules
from pytest_applegpu.routing.target import Target

_ULTRA_LIMITS: Final = (32, 18, 12)
_PLAIN_LIMIT: Final = 4
"""Rows from which on weights that are not transposed take a matrix kernel."""

_MOST_ROWS: Final = 5
"""Rows of x that a threadgroup of `qmv_wide` takes at most."""


def row_limit(target: Target, rules: Rules, *, transpose: bool, K: int, N: int) -> int:
    """Return the number of rows of x from which on a matrix kernel runs."""
    if not transpose:
        return _PLAIN_LIMIT
    largest = max(K, N)
    size = 0 if largest <= 2048 else 1 if largest <= 4096 else 2
    if target.letter == "d":
        return _ULTRA_LIMITS[size]
    return next(row[size] for since, row in rules.limits if target.gen >= since)


def qmv(tape: Tape, target: Target, rules: Rules, p: Product) -> None:
    """Write down the vector kernel of transposed weights."""
    if _fits_quad(rules, p):
        tape.because("K is 64 or 128 and bits a power of 2: qmv_quad", f"K {p.K}, bits {p.bits}")
        tape.add(_quad(p))
    elif rules.wide and p.M >= 2 and (p.mode != "affine" or target.gen >= 15):
        values = f"M {p.M}, {p.mode}, generation {target.gen}"
        tape.because("several rows, and not affine or generation >= 15: qmv_wide", values)
        tape.add(_wide(p))
    else:
        tape.add(_plain(tape, target, rules, p))


def gather_qmv(tape: Tape, rules: Rules, p: Product) -> None:
    """Write down the vector kernel of gathered transposed weights."""
    fast = p.N % 8 == 0 and p.K % fast_step(rules, p.bits) == 0
    _say_fast(tape, rules, p, fast=fast)
    family = "gather_qmv_fast" if fast else "gather_qmv"
    tape.add(p.launch(family, (p.M, ceil_div(p.N, 8), p.B), (32, 2, 1)))


def fast_step(rules: Rules, bits: int) -> int:
    """Return what `qmv_fast` needs K to be a multiple of: a step of its SIMD-group along K."""
    if not rules.fast_by_bits:
        return 512
    in_a_pack = {3: 8, 5: 8, 6: 4}.get(bits, 32 // bits)
    return in_a_pack * (1 if bits == 2 else 2) * 32


def _fits_quad(rules: Rules, p: Product) -> bool:
    power_of_2 = p.bits & (p.bits - 1) == 0
    whole = not rules.quad_whole_words or p.K * p.bits >= 4 * 32
    return p.K in {64, 128} and power_of_2 and whole


def _quad(p: Product) -> Launch:
    grid = (p.M, ceil_div(p.N, 64), p.B)
    return p.launch("qmv_quad", grid, (32, 1, 1), f"_d_{p.K}{p.batch}")


def _wide(p: Product) -> Launch:
    rows = ceil_div(p.M, ceil_div(p.M, _MOST_ROWS))
    lanes = 8 if p.mode == "affine" else 16
    grid = (ceil_div(p.M, rows), ceil_div(p.N, 2 * (32 // lanes)), p.B)
    return p.launch("qmv_wide", grid, (32, 2, 1), f"_nv_{rows}_kl_{lanes}{p.batch}")


def _plain(tape: Tape, target: Target, rules: Rules, p: Product) -> Launch:
    fast = p.K % fast_step(rules, p.bits) == 0 and (rules.fast_any_n or p.N % 8 == 0)
    _say_fast(tape, rules, p, fast=fast)
    outputs = 2 if rules.wide and fast and _narrow(target, p) else 4
    grid = (p.M, ceil_div(p.N, 2 * outputs), p.B)
    family = "qmv_fast" if fast else "qmv"
    return p.launch(family, grid, (32, 2, 1), _tail(rules, p, fast=fast, outputs=outputs))


def _narrow(target: Target, p: Product) -> bool:
    """Return whether a SIMD-group computes two outputs only, for less pressure on registers."""
    return p.mode == "nvfp4" and p.N >= 4096 and target.gen == 17 and target.letter == "s"


def _tail(rules: Rules, p: Product, *, fast: bool, outputs: int) -> str:
    if rules.fast_any_n:
        partial = int(fast and p.N % 8 != 0)
        return f"{p.batch}_pr_{partial}_hgs_0_r_{outputs}"
    return f"{'_r_2' if outputs == 2 else ''}{p.batch}"


def _say_fast(tape: Tape, rules: Rules, p: Product, *, fast: bool) -> None:
    rule = (
        "K is whole steps and N fits: fast kernel" if fast else "K or N do not fit the fast kernel"
    )
    tape.because(rule, f"K {p.K}, step {fast_step(rules, p.bits)}, N {p.N}")
