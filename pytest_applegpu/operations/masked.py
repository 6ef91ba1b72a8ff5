"""`block_masked_mm`: operands and result masked, or scaled, in square blocks."""

from __future__ import annotations

from typing import Final

import numpy as np

from pytest_applegpu.forms.masked import MASKS
from pytest_applegpu.numerics.epilogue import Epilogue
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.dense import SHARE
from pytest_applegpu.operations.drawn import Drawn, Pencil, one_matrix
from pytest_applegpu.problem import Problem

_KEPT: Final = 0.85
"""Share of blocks that all masks together let through, where K has one."""

_SHOWN: Final = 0.75
"""Share of the result that has to be left, where half of it has to tell of a fault."""

_TRIES: Final = 100

_FACTORS: Final = (1.0, -1.0, 2.0, 0.5)
"""Numbers of a mask that is no truth value: products with them are exact."""


def block_masked_mm(pencil: Pencil) -> Drawn:
    """Draw both operands and their masks."""
    problem = pencil.problem
    A, B = pencil.pair(SHARE)
    block = int(problem.param("block"))
    masks = _masks(pencil)
    A, B = (
        X if MASKS[letter] not in masks else _sure(X, masks[MASKS[letter]], block)
        for letter, X in (("l", A), ("r", B))
    )

    def over(name: str, X: Array) -> Array:
        return X if name not in masks else _apply(X, masks[name], block)

    scale = None
    if MASKS["o"] in masks:
        full = (*problem.batch, problem.m, problem.n)
        scale = np.broadcast_to(spread(masks[MASKS["o"]], block, full[-2:]), full)
    left, right = over(MASKS["l"], A), over(MASKS["r"], B)
    return Drawn((A, B, *masks.values()), left, right, Epilogue(scale=scale))


def _masks(pencil: Pencil) -> dict[str, Array]:
    """Draw the masks, again while they hide so much that what is left proves little."""
    named = {one.name: one.shape for one in pencil.problem.operands if one.name in MASKS.values()}
    for _ in range(_TRIES):
        masks = {name: _mask(pencil, name, shape) for name, shape in named.items()}
        if _share_shown(pencil.problem, masks) >= _SHOWN:
            break
    return masks


def _share_shown(problem: Problem, masks: dict[str, Array]) -> float:
    """Return the share of the result that sums of anything reach, 1 where there is none."""
    block = int(problem.param("block"))
    kept = {letter: masks[name] != 0 for letter, name in MASKS.items() if name in masks}
    blocks = -(-problem.k // block)
    left = kept.get("l", np.ones((1, blocks), bool)).astype(np.int64)
    right = kept.get("r", np.ones((blocks, 1), bool)).astype(np.int64)
    shown = (left @ right > 0) & kept.get("o", np.ones((1, 1), bool))
    each = spread(np.broadcast_to(shown, _blocks(problem)), block, (problem.m, problem.n))
    return float(each.mean()) if each.size else 1.0


def _blocks(problem: Problem) -> tuple[int, ...]:
    block = int(problem.param("block"))
    return (*problem.batch, -(-problem.m // block), -(-problem.n // block))


def _mask(pencil: Pencil, name: str, shape: tuple[int, ...]) -> Array:
    rng, dtype = pencil.rng, pencil.problem.dtype
    kept = rng.random(shape) < _KEPT ** (1 / len(pencil.problem.param("masks")))
    # One block of the result gets the whole last block of K, so that losing it shows.
    row, col = {MASKS["l"]: (0, -1), MASKS["r"]: (-1, 0), MASKS["o"]: (0, 0)}[name]
    if kept.size:
        kept[..., row, col] = True
    kept = one_matrix(kept, pencil.problem.layout(name))
    if pencil.problem.param("kind") == "bool":
        return kept
    factors = one_matrix(rng.choice(_FACTORS, shape), pencil.problem.layout(name))
    return np.where(kept, factors, 0.0).astype(dtype.numpy)


def spread(mask: Array, block: int, shape: tuple[int, ...]) -> Array:
    """Return a mask, (*batch, blocks, blocks), with an element for each of (*batch, R, C)."""
    wide = widen(mask) if mask.dtype != bool else mask.astype(np.float64)
    rows, cols = np.arange(shape[-2]) // block, np.arange(shape[-1]) // block
    spread: Array = wide[..., rows[:, None], cols[None, :]]
    return spread


def _sure(X: Array, mask: Array, block: int) -> Array:
    """Return X without what is not finite where a number hides it.

    A backend that multiplies by 0 makes NaN of it, one that leaves the block out makes 0, and
    both are right.
    """
    if mask.dtype == bool:
        return X
    hidden = spread(mask, block, X.shape[-2:]) == 0
    return np.where(hidden & ~np.isfinite(widen(X)), 0, X).astype(X.dtype)


def _apply(X: Array, mask: Array, block: int) -> Array:
    """Return X times its mask, in X's format; what is masked out is 0, whatever it was."""
    factors = spread(mask, block, X.shape[-2:])
    with np.errstate(invalid="ignore"):
        return np.where(factors == 0, 0, widen(X) * factors).astype(X.dtype)
