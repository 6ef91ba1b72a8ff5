"""How does a problem come about from what a call was given?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import Problem, problem_of
from pytest_applegpu.recording.lying import Lying, lying
from pytest_applegpu.recording.seen import Array, Call


class NotSaid(ValueError):  # noqa: N818 - what is told is that no problem says it
    """No problem says what was called; the message says why."""


@dataclass(frozen=True, slots=True)
class Met:
    """The problem that a call comes to, and in what it differs from the call."""

    problem: Problem
    notes: tuple[str, ...] = ()


Maker = Callable[[Call], Met]
"""Makes a problem of a call; it raises ValueError where there is none."""


def problem(  # noqa: PLR0917 - what every problem is made of
    op: str,
    dtype: str,
    sizes: tuple[int, int, int],
    transpose: str,
    batches: tuple[tuple[int, ...], tuple[int, ...]],
    said: Mapping[str, str],
) -> Problem:
    """Return a problem; `said` holds layouts and parameters, those that are the default too.

    Raises:
        ValueError: the parts do not fit together, or there is no such format.
    """
    if dtype not in DTYPES:
        raise NotSaid(f"{dtype} is not one of {', '.join(DTYPES)}")
    return problem_of(op, DTYPES[dtype], sizes, transpose, batches, said)


def of_pair(op: str, dtype: str, left: Lying, right: Lying, said: Mapping[str, str]) -> Problem:
    """Return the problem of an operation that multiplies A, lying `left`, by B, lying `right`."""
    return problem(
        op,
        dtype,
        (left.rows, right.cols, left.cols),
        letter(left) + letter(right),
        (left.batch, right.batch),
        {"a": left.layout, "b": right.layout, **said},
    )


def array(call: Call, name: str) -> Array:
    """Return the operand `name`.

    Raises:
        NotSaid: it is no array.
    """
    found = call.get(name)
    if not isinstance(found, Array):
        raise NotSaid(f"{name} is no array")
    return found


def one_format(*arrays: Array) -> str:
    """Return the format of all of them.

    Raises:
        NotSaid: there are several.
    """
    names = list(dict.fromkeys(one.dtype for one in arrays))
    if len(names) > 1:
        raise NotSaid(f"operands of several formats: {', '.join(names)}")
    return names[0]


def matrix(name: str, found: Array, *, transposes: bool = True) -> Lying:
    """Return how a matrix, or a stack of them, lies.

    Raises:
        NotSaid: it has too few axes.
    """
    if len(found.shape) < 2:
        raise NotSaid(f"{name} has {len(found.shape)} axes")
    return lying(name, found, transposes=transposes)


def letter(one: Lying) -> str:
    """Return the letter of a transpose, as BLAS has it."""
    return "t" if one.transposed else "n"


def notes(*found: Lying) -> tuple[str, ...]:
    """Return what is to be said of how operands lie."""
    return tuple(one.note for one in found if one.note)
