"""`conv1d` and `conv2d`: rows of A are the windows of the input, columns of B the kernels."""

from __future__ import annotations

from math import prod

import numpy as np

from pytest_applegpu.numerics.draws import Order
from pytest_applegpu.numerics.fills import sketch
from pytest_applegpu.numerics.rounding import Array
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix


def convolution(pencil: Pencil) -> Drawn:
    """Draw an input and kernels; their sums of all taps together stay exact where they are to."""
    problem = pencil.problem
    images, kernels = (one.shape for one in problem.operands)
    taps, channels = kernels[1:-1], kernels[-1]
    # Each tap is a product of its own, of which the others leave it a share of what sums may be.
    order = Order(
        problem.dtype,
        (images[0], prod(images[1:-1]), channels),
        (channels, prod(taps) * problem.n),
        pencil.bits,
        pencil.rng,
        prod(taps),
    )
    fill = "integer" if pencil.is_exact and pencil.fill != "special" else pencil.fill
    left, right = sketch(fill, order)
    given = one_matrix(left.reshape(images), problem.layout("input"))
    weight = np.moveaxis(right.reshape(channels, *taps, problem.n), (0, -1), (-1, 0))
    weight = one_matrix(weight, problem.layout("weight"))
    A = windows(given, taps, int(problem.param("pad")))
    B = weight.reshape(problem.n, prod(taps) * channels).T
    return Drawn((given, weight), A, B)


def windows(given: Array, taps: tuple[int, ...], pad: int) -> Array:
    """Return what each place of the output is made from, shape (images, places, taps * channels).

    Args:
        given: input, shape (images, *places, channels).
        taps: taps of the kernel along each axis of space.
        pad: zeros before and after each axis.
    """
    axes = tuple(range(1, given.ndim - 1))
    edges = [(pad, pad) if axis in axes else (0, 0) for axis in range(given.ndim)]
    padded = np.pad(given, edges)
    seen = np.lib.stride_tricks.sliding_window_view(padded, taps, axis=axes)
    # (images, *places, channels, *taps), of which the channels change the fastest.
    seen = np.moveaxis(seen, 1 + len(taps), -1)
    places, channels = seen.shape[1 : 1 + len(taps)], given.shape[-1]
    return seen.reshape(len(given), prod(places), prod(taps) * channels)
