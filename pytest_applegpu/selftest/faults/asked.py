"""What does a fault see of a call of another operation than `matmul`? Its arguments by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np

from .call import State
from .library import Library, Numbers, dense
from .reading import FUNCTIONS, sizes_of_call
from .sizes import Sizes

_OWN: Final = frozenset(
    {"sdpa", "conv1d", "conv2d", "quantize", "dequantize", "multi_head_attention"}
)
"""Operations whose result is no stack of M by N."""


class Asked:
    """One call that was asked for: an operation, and what the library's function was given."""

    def __init__(  # noqa: PLR0917 - what a call is made of
        self,
        library: Library,
        state: State,
        op: str,
        real: Callable[..., Any],
        positions: tuple[Any, ...],
        named: Mapping[str, Any],
    ) -> None:
        """Compute nothing yet."""
        self.library, self.state, self.op, self._real = library, state, op, real
        self._placed = FUNCTIONS[op].arguments[: len(positions)]
        self.given = dict(zip(self._placed, positions, strict=True)) | dict(named)

    @cached_property
    def sizes(self) -> Sizes:
        """Return the sizes; see `reading.sizes_of_call` for what is raised."""
        return sizes_of_call(self.library, self.op, self.given)

    def right(self, **others: Any) -> Any:
        """Return what the library makes of this call, with `others` in place of some arguments."""
        said = self.given | others
        placed = (said.pop(name) for name in self._placed)
        return self._real(*list(placed), **said)

    def has(self, name: str) -> bool:
        """Tell whether there is an array of this name."""
        return hasattr(self.given.get(name), "shape")

    def numbers(self, name: str) -> Numbers:
        """Return a copy of the numbers of an argument."""
        return self.library.numbers(self.given[name])

    def made(self, **numbers: Numbers) -> Any:
        """Return what the library makes of other numbers in place of some arguments."""
        formats = {name: self.library.format(self.given[name]) for name in numbers}
        return self.right(
            **{name: self.library.array(one, formats[name]) for name, one in numbers.items()}
        )

    def densely(self, name: str) -> Numbers:
        """Return what is read of an argument if it is taken to lie in one piece from its start."""
        memory = self.library.memory(self.given[name])
        words = memory._replace(strides=dense(memory.shape)).read()
        return self.library.read(words, self.library.format(self.given[name]))

    def product(self) -> Numbers:
        """Return the right result as numbers, a copy: (*batch, M, N), or in a shape of its own."""
        return self.shaped(self.right())

    def shaped(self, result: Any) -> Numbers:
        """Return a result as numbers, a copy, in the shape of `product`."""
        numbers = self.library.numbers(result)
        return numbers if self.op in _OWN else numbers.reshape(self.sizes.full)

    def recycled(self) -> Numbers:
        """Return what lies in the memory that the result is given, shape (*batch, M, N)."""
        return self.library.recycled(self.sizes.full, self.sizes.dtype)

    def give(self, numbers: Numbers) -> Any:
        """Make the answer of `numbers`, in the shape and format that are due."""
        due = self.right()
        return self.library.array(np.reshape(numbers, due.shape), self.library.format(due))

    def again(self) -> Any:
        """Return the right answer after it went through NumPy: one array, or several."""
        right = self.right()
        several = isinstance(right, (list, tuple))
        copies = [
            self.library.array(self.library.numbers(one), self.library.format(one))
            for one in (right if several else [right])
        ]
        return tuple(copies) if several else copies[0]
