"""Does long-query attention run in one fused kernel, and with which tile?

The full kernels take more than eight query rows: a threadgroup goes through all keys for `bq` rows
of one head.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.arrays import ITEMSIZE
from pytest_applegpu.routing.attention.rules import AttentionRules
from pytest_applegpu.routing.attention.sizes import HALF, Sizes
from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.launch import Launch, Tape, Tile
from pytest_applegpu.routing.target import Target

PADDED_DIM: Final = 96
"""Head dimension that shorter ones are padded to."""

_LONG_QUERIES: Final = 1024
_LONG_PADDED: Final = 512
_LONG_SQUARE: Final = 2048
_BUSY_TILES: Final = 1024


@dataclass(frozen=True, slots=True)
class FullKernel:
    """A full kernel: `bq` query rows and `bk` keys at a time, head dimensions `bd` and `bv`.

    `split` kernels spread the head dimension over SIMD-groups.
    """

    bq: int
    bk: int
    bd: int
    bv: int
    wm: int = 4
    wn: int = 1
    nax: bool = False
    split: bool = False

    @property
    def tile(self) -> Tile:
        """Tile of the scores: query rows by keys, summed over the head dimension."""
        return Tile(self.bq, self.bk, self.bd, self.wm, self.wn)

    def staged(self, dtype: str) -> int | None:
        """Bytes of threadgroup memory for queries, and for keys and values in turn."""
        if self.nax:
            return 0
        if self.wn > 1:
            return None
        pad = 16 // ITEMSIZE[dtype]
        keys = max((self.bk + pad) * self.bd, self.bk * (self.bv + pad))
        return ITEMSIZE[dtype] * (self.bq * (self.bd + pad) + keys)


def full_kernel(
    size: Sizes, rules: AttentionRules, target: Target, tape: Tape
) -> FullKernel | None:
    """Return the full kernel that takes a call of more than eight query rows, if one does."""
    if size.causal and size.L > size.S:
        tape.because("full kernels need L <= S under a causal mask", f"{size.L} > {size.S}")
        return None
    nax = target.use_nax(size.dtype)
    if size.dims in rules.full_dims:
        return _general(size, rules, tape, nax=nax)
    kernel = _split(size, rules, tape) if nax else None
    if kernel is None and rules.simd_256 and not target.nax:
        kernel = _simd_256(size, target.letter, tape)
    if kernel is None:
        tape.because("no full kernel for head dimensions, lengths and mask", _words(size))
    return kernel


def _general(size: Sizes, rules: AttentionRules, tape: Tape, *, nax: bool) -> FullKernel:
    """Return the kernel of head dimensions that need nothing else."""
    if nax and size.dims in rules.nax_dims:
        tape.because("full NAX kernel for the head dimensions", _words(size))
        return FullKernel(64, 32, size.D, size.DV, nax=True)
    if nax and _padded(size, rules):
        tape.because(
            f"half precision, L and S >= {_LONG_PADDED}, no mask, no sinks: head dimension padded "
            f"to {PADDED_DIM} for NAX",
            _words(size),
        )
        return FullKernel(64, 32, PADDED_DIM, PADDED_DIM, nax=True)
    bk = 32 if size.D < 128 else 16
    tape.because("full SIMD kernel, bk 32 below head dimension 128, else 16", _words(size))
    return FullKernel(32, bk, size.D, size.DV)


def _padded(size: Sizes, rules: AttentionRules) -> bool:
    return (
        size.dims in rules.padded_dims
        and size.dtype in HALF
        and min(size.L, size.S) >= _LONG_PADDED
        and not size.mask
        and not size.sinks
    )


def _split(size: Sizes, rules: AttentionRules, tape: Tape) -> FullKernel | None:
    """Return the NAX kernel of large head dimensions, for enough query rows."""
    if size.L < _LONG_QUERIES:
        return None
    if size.dims == (256, 256) and size.mask in rules.split_256_masks:
        masks = " or ".join(rules.split_256_masks)
        tape.because(f"NAX, D = 256, L >= {_LONG_QUERIES}, mask {masks}", _words(size))
        return FullKernel(64, 32, 256, 256, wn=2, nax=True, split=True)
    tiles = ceil_div(size.L, 32) * size.heads * size.batch
    if rules.split_512 and size.dims == (512, 512) and size.causal and tiles >= _BUSY_TILES:
        tape.because(
            f"NAX, D = 512, causal, L >= {_LONG_QUERIES}, ceil(L/32) * heads * batch >= "
            f"{_BUSY_TILES}",
            f"L={size.L}, {tiles}",
        )
        return FullKernel(32, 32, 512, 512, wm=2, wn=4, nax=True, split=True)
    return None


def _simd_256(size: Sizes, letter: str, tape: Tape) -> FullKernel | None:
    square = size.causal and size.L == size.S >= _LONG_SQUARE
    if size.dims != (256, 256) or size.dtype not in HALF or not square:
        return None
    tape.because(
        f"no NAX, half precision, D = 256, causal, L = S >= {_LONG_SQUARE}; bk 32 on letter d",
        f"{_words(size)}, letter {letter}",
    )
    return FullKernel(32, 32 if letter == "d" else 16, 256, 256, wn=2)


def _words(size: Sizes) -> str:
    return f"D={size.D}, DV={size.DV}, L={size.L}, S={size.S}, {size.mask or 'no mask'}"


def full(kernel: FullKernel, size: Sizes, rules: AttentionRules) -> Launch:
    """Return the launch of a full kernel."""
    split = "dsplit_" if kernel.split else ""
    dims = f"bd{kernel.bd}_bv{kernel.bv}" if rules.named_values else f"bd{kernel.bd}"
    return Launch(
        f"steel_attention_{split}{size.dtype}_bq{kernel.bq}_bk{kernel.bk}_{dims}"
        f"_wm{kernel.wm}_wn{kernel.wn}_mask{size.mask_dtype}",
        "attention",
        (ceil_div(size.L, kernel.bq), size.heads, size.batch),
        (32, kernel.wm, kernel.wn),
        suffix=_suffix(kernel, size),
        label="attn_nax" if kernel.nax else "attn",
        tile=kernel.tile,
        staged=kernel.staged(size.dtype),
    )


def _suffix(kernel: FullKernel, size: Sizes) -> str:
    flags = (
        ("align_Q", size.L % kernel.bq == 0),
        ("align_K", size.S % kernel.bk == 0),
        ("has_mask", size.array_mask),
        ("do_causal", size.causal),
        ("has_sinks", size.sinks),
    )
    return "".join(f"_{name}_{'t' if on else 'n'}" for name, on in flags)
