"""Which keys may a query of attention see? Masks of every kind, and what is handed over of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from pytest_applegpu.forms.attention import mask_shape
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.drawn import Pencil, one_matrix

_KEPT: Final = 0.75
"""Share of keys that a mask lets through."""

_DARK: Final = 0.25
"""Share of queries that see nothing, where some are to."""


@dataclass(frozen=True, slots=True)
class Masks:
    """Which keys are visible, (B, H, L, S) or broadcast to it; what is handed over, and added."""

    visible: Array
    sent: tuple[Array, ...] = ()
    added: Array | None = None


def draw_masks(pencil: Pencil) -> Masks:
    """Draw the mask: every query sees a key, but where some are to see none."""
    problem, rng = pencil.problem, pencil.rng
    kind = problem.param("mask")
    if kind == "none":
        return Masks(np.ones((problem.m, problem.n), bool))
    if kind == "causal":
        # The last query sees the last key (MLX's documentation: lower-right alignment).
        return Masks(np.tri(problem.m, problem.n, problem.n - problem.m, dtype=bool))
    shape = mask_shape(problem)
    visible = _visible(pencil, shape)
    if kind == "bool":
        return Masks(visible, (visible,))
    level = np.zeros(shape) if pencil.is_exact else rng.standard_normal(shape)
    level = one_matrix(level, problem.layout("mask"))
    added = np.where(visible, level, -np.inf).astype(problem.dtype.numpy)
    return Masks(np.ones((problem.m, problem.n), bool), (added,), widen(added))


def _visible(pencil: Pencil, shape: tuple[int, ...]) -> Array:
    rng = pencil.rng
    visible = rng.random(shape) < _KEPT
    if not visible.size:
        return visible
    rows = visible.reshape(-1, shape[-1])
    rows[np.arange(len(rows)), rng.integers(0, shape[-1], len(rows))] = True
    rows.reshape(shape)[..., -1, -1] = True
    if pencil.problem.param("hide") == "rows":
        dark = rng.random(len(rows)) < _DARK
        dark[0] = True
        rows[dark] = False
    return one_matrix(rows.reshape(shape), pencil.problem.layout("mask"))
