"""What is a flaw? A change to a right call after which MLX must refuse it, and why it must."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from pytest_applegpu.forms.form import Argument, Invocation, Operand, Sizes
from pytest_applegpu.views import Placement

Array = np.ndarray

SHAPES: Final = ("dimension", "shape", "size", "channel", "rank", "broadcast", "axis", "batch")
"""Words one of which an error about shapes has."""

TYPES: Final = ("type", "integ", "float", "uint", "bool", "complex")
"""Words one of which an error about formats has."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to MLX with its numbers.

    Attributes:
        forms: the operands' names, formats, shapes and places in memory.
        arrays: their numbers, logical arrays in the same order.
        invocation: the function, and which operand stands where.
    """

    forms: tuple[Operand, ...]
    arrays: tuple[Array, ...]
    invocation: Invocation

    @property
    def mode(self) -> str:
        """The quantization mode that is named, or MLX's own choice."""
        return str(self.invocation.named.get("mode", "affine"))

    def array(self, name: str) -> Array:
        """Return the numbers of an operand.

        Raises:
            KeyError: there is no such operand.
        """
        return self.arrays[self._place(name)]

    def _place(self, name: str) -> int:
        for place, form in enumerate(self.forms):
            if form.name == name:
                return place
        raise KeyError(name)

    def given(self, **arrays: Array) -> Call:
        """Return the call with other numbers, handed over in their own format and shape."""
        call = self
        for name, array in arrays.items():
            place = call._place(name)
            form = _form(name, array)
            call = Call(
                (*call.forms[:place], form, *call.forms[place + 1 :]),
                (*call.arrays[:place], array, *call.arrays[place + 1 :]),
                call.invocation,
            )
        return call

    def added(self, name: str, array: Array) -> Call:
        """Return the call with one more operand, as the argument of its name."""
        forms = (*self.forms, _form(name, array))
        call = replace(self, forms=forms, arrays=(*self.arrays, array))
        return call.said(**{name: {"operand": name}})

    def without(self, name: str) -> Call:
        """Return the call without an operand, which None stands for."""
        place = self._place(name)

        def kept(value: Argument) -> Argument:
            return None if value == {"operand": name} else value

        said = self.invocation
        named = {key: kept(value) for key, value in said.named.items()}
        return Call(
            self.forms[:place] + self.forms[place + 1 :],
            self.arrays[:place] + self.arrays[place + 1 :],
            replace(said, arguments=tuple(map(kept, said.arguments)), named=named),
        )

    def said(self, **named: Argument) -> Call:
        """Return the call with other named arguments."""
        said = self.invocation
        return replace(self, invocation=replace(said, named={**said.named, **named}))


def _form(name: str, array: Array) -> Operand:
    return Operand(name, str(array.dtype), array.shape, Placement(array.shape, ()), 0)


Spoil = Callable[[Call], Call]


@dataclass(frozen=True, slots=True)
class Flaw:
    """One way to spoil a right call.

    Attributes:
        name: what it is called in a case's text: words joined by hyphens.
        op: the operation whose call it spoils.
        why: why MLX must refuse what comes of it.
        names: words one of which a fitting error has, in any case of letters.
        asked: texts of the problems that a run spoils.
        spoil: makes the change.
        needs: values one of which a parameter must have, by its name.
        dtypes: formats one of which the problem must have; empty: any.
    """

    name: str
    op: str
    why: str
    names: tuple[str, ...]
    asked: tuple[str, ...]
    spoil: Spoil
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    dtypes: tuple[str, ...] = ()

    def fits(self, said: str) -> bool:
        """Tell whether an error names what is wrong."""
        lower = said.lower()
        return any(word in lower for word in self.names)

    def why_not(self, sizes: Sizes) -> str | None:
        """Return why a problem of the operation cannot be spoilt so, or None."""
        if min(sizes.n, sizes.k) < _LEAST or sizes.m < 1:
            return f"needs M of at least 1, N and K of at least {_LEAST}"
        if len(sizes.batch_a) != len(sizes.batch_b):
            return "needs batches of as many axes"
        for name, values in self.needs.items():
            if sizes.param(name) not in values:
                return f"needs {name}={'|'.join(values)}"
        if self.dtypes and sizes.dtype.name not in self.dtypes:
            return f"needs {' or '.join(self.dtypes)}"
        return None


_LEAST: Final = 2
"""Sizes of 1 broadcast, and would spoil nothing."""


def grown(array: Array, axis: int) -> Array:
    """Return the array with the last slice along `axis` once more: one longer, and fits nothing."""
    last = np.take(array, [-1], axis)
    return np.concatenate([array, last], axis)


def stacked(array: Array, count: int) -> Array:
    """Return a stack of `count` of the array."""
    return np.stack([array] * count)


def longer(name: str, axis: int) -> Spoil:
    """Spoil by one more slice of an operand."""
    return lambda call: call.given(**{name: grown(call.array(name), axis)})


def cast(dtype: Any, *names: str) -> Spoil:
    """Spoil by operands in another format."""
    return lambda call: call.given(**{name: call.array(name).astype(dtype) for name in names})


def saying(**named: Argument) -> Spoil:
    """Spoil by named arguments."""
    return lambda call: call.said(**named)


def lone(name: str) -> Spoil:
    """Spoil by a single number in place of an operand."""
    return lambda call: call.given(**{name: np.ones((), np.float32)})


def unlike(first: str, second: str, *more: str) -> Spoil:
    """Spoil by stacks of 2 and of 3, the latter of all the operands that go with the second."""

    def spoil(call: Call) -> Call:
        others = {name: stacked(call.array(name), 3) for name in (second, *more)}
        return call.given(**{first: stacked(call.array(first), 2)}, **others)

    return spoil
