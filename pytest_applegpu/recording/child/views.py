"""How does an array lie in memory? MLX does not say without computing it, so views are followed.

The strides of what a transpose, a slice or another view returns follow from those of the array that
it is a view of. What any other function returns is taken to be row-contiguous.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

Strides = tuple[int, ...]
Rule = Callable[..., "Strides | None"]
"""Strides of a view, by strides and shape of its array and the arguments; None: row-contiguous."""


def contiguous(shape: Sequence[int]) -> Strides:
    """Return the strides, in elements, of an array whose rows follow one another."""
    found, step = [], 1
    for size in reversed(shape):
        found.append(step)
        step *= max(size, 1)
    return tuple(reversed(found))


class Views:
    """The strides of the views that are alive."""

    def __init__(self) -> None:
        """Know of none."""
        self._known: dict[int, tuple[weakref.ref[Any], Strides]] = {}

    def strides(self, array: Any) -> Strides:
        """Return the strides of `array`, in elements."""
        known = self._known.get(id(array))
        if known is not None and known[0]() is array:
            return known[1]
        return contiguous(array.shape)

    def keep(self, array: Any, strides: Strides | None) -> None:
        """Take down the strides of a view, unless they are those that any array has."""
        key = id(array)
        if strides is None or strides == contiguous(array.shape):
            self._known.pop(key, None)
            return
        gone = functools.partial(self._forget, key)
        self._known[key] = (weakref.ref(array, gone), strides)

    def _forget(self, key: int, dead: weakref.ref[Any]) -> None:
        if key in self._known and self._known[key][0] is dead:
            del self._known[key]

    def follow(self, original: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
        """Return a function that does what `original` does, and follows what it returns."""

        @functools.wraps(original)
        def made(*args: Any, **named: Any) -> Any:
            result = original(*args, **named)
            try:
                self._note(result, rule, args, named)
            except Exception:  # noqa: BLE001 - the program is not to notice
                self.keep(result, None)
            return result

        return made

    def _note(self, result: Any, rule: Rule, args: Any, named: Any) -> None:
        array = args[0]
        more = {name: value for name, value in named.items() if name != "stream"}
        strides = rule(self.strides(array), tuple(array.shape), *args[1:], **more)
        for one in result if isinstance(result, (list, tuple)) else [result]:
            self.keep(one, strides)

    def changing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does what `original` does, which makes its array a new one."""

        @functools.wraps(original)
        def made(*args: Any, **named: Any) -> Any:
            result = original(*args, **named)
            self.keep(args[0], None)
            return result

        return made


def reversed_axes(strides: Strides, _: Strides) -> Strides:
    """Return the strides of `a.T`."""
    return strides[::-1]


def transposed(strides: Strides, _: Strides, *axes: Any, **named: Any) -> Strides:
    """Return the strides of `transpose`, whose axes are a list, or one argument each."""
    said = named.get("axes", axes)
    order = said[0] if len(said) == 1 and not isinstance(said[0], int) else said
    return tuple(strides[axis] for axis in order) if order else strides[::-1]


def swapped(strides: Strides, _: Strides, axis1: int, axis2: int) -> Strides:
    """Return the strides of `swapaxes`."""
    found = list(strides)
    found[axis1], found[axis2] = found[axis2], found[axis1]
    return tuple(found)


def moved(strides: Strides, _: Strides, source: int, destination: int) -> Strides:
    """Return the strides of `moveaxis`."""
    found = list(strides)
    one = found.pop(source)
    found.insert(destination % len(strides), one)
    return tuple(found)


def expanded(strides: Strides, _: Strides, axis: Any) -> Strides:
    """Return the strides of `expand_dims`: a new axis has any."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    whole = len(strides) + len(axes)
    found = list(strides)
    for one in sorted(axis % whole for axis in axes):
        found.insert(one, 1)
    return tuple(found)


def squeezed(strides: Strides, shape: Strides, axis: Any = None) -> Strides:
    """Return the strides of `squeeze`."""
    if axis is None:
        gone = {number for number, size in enumerate(shape) if size == 1}
    else:
        axes = [axis] if isinstance(axis, int) else axis
        gone = {one % len(shape) for one in axes}
    return tuple(one for number, one in enumerate(strides) if number not in gone)


def broadcast(strides: Strides, shape: Strides, wanted: Sequence[int]) -> Strides:
    """Return the strides of `broadcast_to`: 0 where one serves several."""
    new = len(wanted) - len(shape)
    kept = zip(strides, shape, wanted[new:], strict=True)
    return (0,) * new + tuple(0 if size != now else one for one, size, now in kept)


def split(strides: Strides, _: Strides, *__: Any, **___: Any) -> Strides:
    """Return the strides of each part of a `split`."""
    return strides


def indexed(strides: Strides, shape: Strides, index: Any) -> Strides | None:
    """Return the strides of `a[...]` by numbers, slices, None and `...`; all else is gathered."""
    words = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(one, bool) or not _is_basic(one) for one in words):
        return None
    taken = sum(one is not None and one is not Ellipsis for one in words)
    rest: list[Any] = [slice(None)] * (len(shape) - taken)
    if any(one is Ellipsis for one in words):
        where = next(number for number, one in enumerate(words) if one is Ellipsis)
        words[where : where + 1] = rest
    else:
        words += rest
    return tuple(_taken(strides, words))


def _is_basic(one: Any) -> bool:
    return one is None or one is Ellipsis or isinstance(one, (int, slice))


def _taken(strides: Strides, words: list[Any]) -> list[int]:
    found, axis = [], 0
    for one in words:
        if one is None:
            found.append(1)
            continue
        if isinstance(one, slice):
            found.append(strides[axis] * (1 if one.step is None else one.step))
        axis += 1
    return found


METHODS: dict[str, Rule] = {
    "transpose": transposed,
    "swapaxes": swapped,
    "moveaxis": moved,
    "squeeze": squeezed,
    "split": split,
    "__getitem__": indexed,
}
"""Methods of an array that return views of it."""

FUNCTIONS: dict[str, Rule] = {
    "transpose": transposed,
    "permute_dims": transposed,
    "swapaxes": swapped,
    "moveaxis": moved,
    "expand_dims": expanded,
    "squeeze": squeezed,
    "broadcast_to": broadcast,
    "split": split,
}
"""Functions that return views of their first argument."""

CHANGING = ("__setitem__", *(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "pow")))
"""Methods that make an array a new one, row-contiguous, under the old name."""
