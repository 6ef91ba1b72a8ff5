"""How is a problem drawn from all that can be said of an operation?

It begins as a row of the operation's choices, or on one side of a boundary of the dispatch; then
parameters, batches, sizes and layouts are drawn anew, each kept where the whole is still a problem.
So whatever an operation's form and choices come to say is searched without a word here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from pytest_applegpu.cases.choices.choices import Choices
from pytest_applegpu.cases.searching import sizes
from pytest_applegpu.problem import Problem

Random = np.random.Generator

Affordable = Callable[[Problem], bool]

_ROWS: Final = 100
"""Rows of choices that are drawn until one is allowed."""

_TRIES: Final = 6
"""Sizes that are drawn for an axis until one fits and is cheap enough."""

_CHANGED: Final = 0.6
"""Share of parts that are drawn anew; the others stay as the row says."""

_VECTORS: Final = 0.4
"""Share of single rows and columns that are vectors."""


def drawn(
    choices: Choices, sides: Sequence[Problem], random: Random, affordable: Affordable
) -> Problem:
    """Draw a problem that is `affordable`; `sides` lie at boundaries of the dispatch."""
    if sides and random.random() < 0.15:
        side = sides[int(random.integers(len(sides)))]
        if affordable(side):
            return _laid(_parameters(side, random, affordable), random, affordable)
    # Layouts would hold on to the operands that parameters take away; they are drawn last.
    small = _small(choices, random, affordable)
    problem = replace(small, layout_a="plain", layout_b="plain", layouts=())
    for change in (_parameters, _batches, _sizes, _parameters, _laid):
        problem = change(problem, random, affordable)
    return problem


def row(choices: Choices, random: Random) -> dict[str, Any]:
    """Draw a row of choices that excludes nothing of itself.

    Raises:
        ValueError: there is none to be found.
    """
    for _ in range(_ROWS):
        found = {
            name: levels[int(random.integers(len(levels)))]
            for name, levels in choices.levels.items()
        }
        if choices.allows(found):
            return found
    raise ValueError("choices exclude nearly all of their own rows")


def _small(choices: Choices, random: Random, affordable: Affordable) -> Problem:
    """Return the problem of a row: the cheapest of some, where none is affordable."""
    found = [choices.problem(row(choices, random))]
    while not affordable(found[-1]) and len(found) < _TRIES:
        found.append(choices.problem(row(choices, random)))
    return min(found, key=lambda one: (not affordable(one), one.flops))


def _first(
    problem: Problem, changes: Iterable[dict[str, Any]], affordable: Affordable
) -> Problem | None:
    """Return the problem with the first of `changes` that fits it and is affordable."""
    for changed in changes:
        try:
            found = replace(problem, **changed)
        except ValueError:
            continue
        return found if affordable(found) else None
    return None


def _parameters(problem: Problem, random: Random, affordable: Affordable) -> Problem:
    """Draw several parameters together, for some are allowed only beside others, then each."""
    names = list(problem.form.params)
    if not names:
        return problem
    together = [name for name in names if random.random() < _CHANGED]
    for chosen in (together, *([name] for name in names if random.random() < _CHANGED / 2)):
        said = {name: sizes.value(random, problem.form.params[name]) for name in chosen}
        changed = _saying(problem, dict(problem.params) | said)
        alone = changed | {"batch_a": (), "batch_b": ()}
        # A mode has groups of its own: what does not go with the rest may go by itself.
        lone = [_saying(problem, {name: said[name]}) for name in chosen[:1]]
        problem = _first(problem, [changed, alone, *lone], affordable) or problem
    return problem


def _saying(problem: Problem, said: dict[str, str]) -> dict[str, Any]:
    known = problem.form.params
    kept = tuple(
        (name, value) for name, value in sorted(said.items()) if value != known[name].default
    )
    return {"params": kept}


def _batches(problem: Problem, random: Random, affordable: Affordable) -> Problem:
    """Draw batches: some that broadcast, one for both, a stack of their own for each."""
    if random.random() > _CHANGED:
        return problem
    a, b = sizes.batches(random)
    one, other = sizes.stack(random), sizes.stack(random)
    pairs = [(a, b), (one, one), (one, other), (one, ()), ((), ())]
    at = int(random.integers(len(pairs)))
    changes = ({"batch_a": left, "batch_b": right} for left, right in pairs[at:] + pairs[:at])
    return _first(problem, changes, affordable) or problem


def _sizes(problem: Problem, random: Random, affordable: Affordable) -> Problem:
    """Draw each size in a random order, so that any of them may take what the cost allows."""
    for place in random.permutation(3):
        axis = "mnk"[place]
        most = sizes.MOST
        for _ in range(_TRIES if random.random() < _CHANGED else 0):
            least = sizes.size(random, most)
            found = _first(problem, ({axis: one} for one in sizes.upward(least)), affordable)
            if found is not None:
                problem = found
                break
            most = max(most // 3, 1)
    return problem


def _laid(problem: Problem, random: Random, affordable: Affordable) -> Problem:
    """Draw a layout for each operand."""
    for name in dict.fromkeys(one.name for one in problem.operands):
        if name in problem.form.params:
            continue  # the word says which mask there is, and its layout has no word
        vector = _may_be_vector(problem, name) and random.random() < _VECTORS
        try:
            found = problem.laid(name, "vec" if vector else sizes.layout(random))
        except ValueError:
            continue
        problem = found if affordable(found) else problem
    return problem


def _may_be_vector(problem: Problem, name: str) -> bool:
    return problem.form.vectors and {"a": problem.m, "b": problem.n}.get(name) == 1
