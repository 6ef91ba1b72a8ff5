"""Calls that are to be refused, and are answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .fault import Arguments, lenient_fault
from .library import Library

Again = Callable[..., Any]


@lenient_fault("matmul")
def shorter_inner(_: Library, again: Again, given: Arguments) -> Any:
    """Multiply operands of unlike K as if the longer one ended where the shorter does."""
    a, b = given["a"], given["b"]
    if min(a.ndim, b.ndim) < 2:
        return None
    k = min(a.shape[-1], b.shape[-2])
    return again(a=a[..., :k], b=b[..., :k, :])


@lenient_fault("quantized_matmul", words={"mode": ("mxfp4", "mxfp8", "nvfp4")})
def any_scales(library: Library, again: Again, given: Arguments) -> Any:
    """Take scales of any format for codes."""
    if given.get("mode", "affine") == "affine":
        return None
    codes = library.array(library.numbers(given["scales"]), "uint8")
    return again(scales=codes)


@lenient_fault("sdpa")
def unknown_mask(_: Library, again: Again, given: Arguments) -> Any:
    """Take a mask of an unknown name for none."""
    if not isinstance(given.get("mask"), str):
        return None
    return again(mask=None)
