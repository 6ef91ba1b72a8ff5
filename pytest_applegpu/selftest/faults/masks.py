"""`block_masked_mm`: masks that are misread, ignored, or do not reach the last block."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .asked import Asked
from .fault import Numbers, answer_fault, filled, given_fault
from .sizes import Sizes

_MASKS: Final = ("mask_out", "mask_lhs", "mask_rhs")

_OUT: Final = {"masks": ("olr", "o", "ol", "or")}
_LEFT: Final = {"masks": ("olr", "l", "ol", "lr")}
_RIGHT: Final = {"masks": ("olr", "r", "or", "lr")}


def _several(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.matrices > 1


def _block(call: Asked) -> int:
    return int(call.given.get("block_size", 64))


def _masks(call: Asked) -> dict[str, Numbers]:
    """Return the masks that there are, as numbers."""
    return {name: call.numbers(name) for name in _MASKS if call.has(name)}


@given_fault("block_masked_mm", lambda s: filled(s) and s.m > 64 and s.k > 64, words=_LEFT)
def mask_column_by_column(call: Asked) -> Any:
    """Read the mask of A column by column."""
    if not call.has("mask_lhs"):
        return call.right()
    mask = call.numbers("mask_lhs")
    return call.made(mask_lhs=mask.swapaxes(-1, -2).reshape(mask.shape))


@given_fault("block_masked_mm", words=_OUT, fills=("integer",))
def out_mask_ignored(call: Asked) -> Any:
    """Take the result's mask for one that hides nothing."""
    if not call.has("mask_out"):
        return call.right()
    return call.made(mask_out=np.ones_like(call.numbers("mask_out")))


@given_fault("block_masked_mm", lambda s: filled(s) and s.k % 64 != 0, words=_RIGHT)
def last_block_unmasked(call: Asked) -> Any:
    """Take the mask of B for one that hides nothing past the last whole block of K."""
    if not call.has("mask_rhs") or call.sizes.k % _block(call) == 0:
        return call.right()
    mask = call.numbers("mask_rhs")
    mask[..., -1, :] = 1
    return call.made(mask_rhs=mask)


@given_fault("block_masked_mm", _several, words={"over": ("each",)}, fills=("integer",))
def mask_of_first_batch(call: Asked) -> Any:
    """Mask every matrix of a batch as the first one."""
    first = {
        name: np.broadcast_to(mask[(0,) * (mask.ndim - 2)], mask.shape)
        for name, mask in _masks(call).items()
    }
    return call.made(**first)


@answer_fault("block_masked_mm", _several, words={"over": ("all",)})
def shared_mask_counted(c: Numbers, call: Asked) -> Numbers:
    """Read a mask for all of a batch as if there were one for each, zeros past the first."""
    if any(mask.ndim == 2 for mask in _masks(call).values()):
        c.reshape(-1, *c.shape[-2:])[1:] = 0
    return c


@given_fault("block_masked_mm", words={"kind": ("float",)}, fills=("integer",))
def factors_as_truth(call: Asked) -> Any:
    """Take every factor of a mask that is not 0 for 1."""
    return call.made(**{name: (mask != 0) * 1 for name, mask in _masks(call).items()})


@given_fault(
    "block_masked_mm",
    layouts=tuple(f"{name}={layout}" for name in _MASKS for layout in ("pad", "step")),
    fills=("integer", "normal"),
)
def masks_in_one_piece(call: Asked) -> Any:
    """Read masks that are views as if they lay in one piece."""
    return call.made(**{name: call.densely(name) for name in _MASKS if call.has(name)})


@answer_fault("block_masked_mm", words={"kind": ("bool",)}, fills=("special",))
def hidden_times_zero(c: Numbers, call: Asked) -> Numbers:
    """Multiply what is hidden by 0, so that NaN and Inf in it show."""
    open_masks = {name: np.ones_like(mask) for name, mask in _masks(call).items()}
    c += 0 * call.shaped(call.made(**open_masks))
    return c
