"""What does an issue's rule look at? One case, and the place in which it ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Final

from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting


@dataclass(frozen=True, slots=True)
class Place:
    """Backend, version of MLX, and architecture and name of the device; None where not known."""

    backend: str
    mlx: str | None
    arch: str | None
    device: str | None


@dataclass(frozen=True, slots=True)
class Subject:
    """A case taken apart: `fill` is empty where its check brings numbers of its own.

    `flaw` is empty where the call is a right one.
    """

    problem: Problem
    fill: str
    check: str
    setting: Setting
    flaw: str = ""


SIZES: Final[dict[str, Callable[[Problem], int]]] = {
    "m": lambda problem: problem.m,
    "n": lambda problem: problem.n,
    "k": lambda problem: problem.k,
    "batch": lambda problem: prod(problem.batch),
    "batch_a": lambda problem: prod(problem.batch_a),
    "batch_b": lambda problem: prod(problem.batch_b),
    "axes_a": lambda problem: len(problem.batch_a),
    "axes_b": lambda problem: len(problem.batch_b),
}
"""Sizes by name: M, N, K; how many matrices the result, A and B have; axes of their batches."""


def size_of(name: str, problem: Problem) -> int:
    """Return a size, or the product of sizes whose names are joined by `*`.

    Raises:
        KeyError: there is no size of that name.
    """
    return prod(SIZES[one](problem) for one in names_in(name))


def names_in(name: str) -> list[str]:
    """Return the names of the sizes that `n*k` is the product of."""
    return [one.strip() for one in name.split("*")]
