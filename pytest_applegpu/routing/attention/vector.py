"""Does short-query attention run in the vector kernels, and in which?

They take up to eight query rows. Keys are gone through in one pass, or in blocks whose partial
results a second pass joins.
"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.attention.rules import AttentionRules
from pytest_applegpu.routing.attention.sizes import Sizes
from pytest_applegpu.routing.calls import Attention
from pytest_applegpu.routing.copies import MOST_THREADS, contiguous_copy
from pytest_applegpu.routing.launch import Launch, Tape
from pytest_applegpu.routing.target import Target

MOST_ROWS: Final = 8
"""Query length up to which vector kernels are meant."""

NAMES: Final = {"float16": "float16_t", "bfloat16": "bfloat16_t", "float32": "float"}
"""Formats as the vector kernels name them."""

_LONG: Final = 1024
_LONG_GROUPED: Final = 4096
_GROUPED_KEYS: Final = 8192
_GROUP_OF_512: Final = 8


def vector_fits(size: Sizes, rules: AttentionRules, tape: Tape) -> bool:
    """Return whether a vector kernel takes a call of at most eight query rows."""
    if size.L > size.S:
        tape.because("vector kernels need L <= S", f"{size.L} > {size.S}")
        return False
    if rules.vector_rows is not None and size.L * size.group > rules.vector_rows:
        tape.because(
            f"vector kernels need L * group <= {rules.vector_rows}", f"{size.L} * {size.group}"
        )
        return False
    fits = size.dims in rules.vector_dims or _fits_512(size, rules)
    values = f"D={size.D}, DV={size.DV}, L={size.L}, S={size.S}"
    tape.because("vector kernel" if fits else "no vector kernel for the head dimensions", values)
    return fits


def _fits_512(size: Sizes, rules: AttentionRules) -> bool:
    return (
        rules.vector_512_keys is not None
        and size.dims == (512, 512)
        and size.L == 1
        and size.group == _GROUP_OF_512
        and not size.array_mask
        and rules.vector_512_keys <= size.S
    )


def vector(call: Attention, size: Sizes, rules: AttentionRules, target: Target, tape: Tape) -> None:
    """Write down the vector kernels of `call`, and the copies before them."""
    q = call.q if _query_fits(call.q) else contiguous_copy(tape, call.q)
    for one in (call.k, call.v):
        if not _keys_fit(one):
            contiguous_copy(tape, one)
    suffix = _suffix(size, q)
    if _two_passes(size, rules, target, tape):
        _add_two_passes(size, rules, target, tape, suffix)
    else:
        kernel = f"sdpa_vector_{NAMES[size.dtype]}_{size.D}_{size.DV}"
        tape.add(_whole(kernel, size, suffix, "sdpa_vec"))


def _query_fits(q: Array) -> bool:
    if q.row_contiguous:
        return True
    batch, heads, _, dim = q.shape
    if 1 not in {batch, heads}:
        return False
    other = 1 if batch == 1 else 0
    strides = q.strides
    return strides[3] == 1 and strides[2] == dim * q.shape[other] and strides[other] == dim


def _keys_fit(one: Array) -> bool:
    if one.strides[3] != 1:
        return False
    return 1 in one.shape[:2] or one.strides[0] == one.strides[1] * one.shape[1]


def _suffix(size: Sizes, q: Array) -> str:
    mask = f"{size.mask}mask" if size.array_mask else "nomask"
    layout = "qnt" if q.row_contiguous else "qt"
    causal = "c" if size.causal and size.L > 1 else "nc"
    return f"_{mask}_{layout}_{causal}_{'sinks' if size.sinks else 'nosinks'}"


def _two_passes(size: Sizes, rules: AttentionRules, target: Target, tape: Tape) -> bool:
    large = target.letter in rules.long_letters and size.S >= _LONG
    grouped = size.group > 1 and size.S >= _LONG_GROUPED
    values = f"letter {target.letter}, group {size.group}, S={size.S}"
    rule = "two passes" if large or grouped else "one pass"
    words = (
        f"letter in {rules.long_letters} and S >= {_LONG}, or group > 1 and S >= {_LONG_GROUPED}"
    )
    tape.because(f"{rule} ({words})", values)
    return large or grouped


def _add_two_passes(
    size: Sizes, rules: AttentionRules, target: Target, tape: Tape, suffix: str
) -> None:
    name = NAMES[size.dtype]
    first = f"sdpa_vector_2pass_1{_grouped(size, rules, tape)}_{name}_{size.D}_{size.DV}"
    label = "sdpa_vec_2pass"
    if rules.tuned_blocks:
        blocks = key_blocks(target.letter, size.S, size.group * size.L)
        tape.because("blocks of keys", f"{blocks} for {size.group * size.L} rows, S={size.S}")
        grid, group = (size.key_heads, size.batch, blocks), (32, size.group, size.L)
        suffix = f"{suffix}_{blocks}"
    else:
        grid, group = (size.batch * size.heads, size.L, 32), (8 * 32, 1, 1)
    tape.add(Launch(first, "attention", grid, group, suffix=suffix, label=label, staged=0))
    tape.add(_whole(f"sdpa_vector_2pass_2_{name}_{size.DV}", size, "", label))


def _whole(kernel: str, size: Sizes, suffix: str, label: str) -> Launch:
    """Return a launch with one threadgroup for each query row of each head."""
    grid = (size.batch * size.heads, size.L, 1)
    group = (MOST_THREADS, 1, 1)
    return Launch(kernel, "attention", grid, group, suffix=suffix, label=label, staged=0)


def _grouped(size: Sizes, rules: AttentionRules, tape: Tape) -> str:
    fits = (
        size.L == 1
        and size.S >= _GROUPED_KEYS
        and size.D == size.DV
        and not size.array_mask
        and not size.sinks
        and size.group in rules.grouped.get(size.D, ())
    )
    if not fits:
        return ""
    tape.because("first pass for the whole head group", f"group {size.group}, D={size.D}")
    return f"_gqa_{size.group}" if rules.grouped_named else "_gqa"


def key_blocks(letter: str, S: int, rows: int) -> int:
    """Return into how many blocks the first of two passes cuts `S` keys.

    `rows` is the number of query rows that share a key head.
    """
    if letter == "s":
        return _blocks_of_s(S) if S > _LONG and rows > 4 else 64
    if letter == "d":
        return _blocks_of_d(S, rows)
    return 64 if rows >= 4 else 32


def _blocks_of_s(S: int) -> int:
    steps = ((8192, 128), (32768, 256), (65536, 512))
    return next((blocks for most, blocks in steps if most >= S), 1024)


def _blocks_of_d(S: int, rows: int) -> int:
    if rows <= 2 and S > 8192:
        return 256
    if rows < 6 or S < 16384:
        return 128
    return 512 if S < 65536 else 1024
