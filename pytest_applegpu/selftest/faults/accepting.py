"""How does a fault answer what the library refuses? It stands behind a function of the library."""

from __future__ import annotations

from typing import Any

from .fault import Fault
from .library import Library
from .reading import FUNCTIONS, Function

_MATMUL = Function("matmul", ("a", "b"))


def accept(fault: Fault, library: Library) -> None:
    """Hand a fault each call of its operation that the library refuses as it is made.

    Raises:
        AttributeError: the library has no such function.
    """
    function = FUNCTIONS.get(fault.op, _MATMUL)
    folder, _, name = function.name.rpartition(".")
    module = getattr(library.core, folder) if folder else library.core
    real = getattr(module, name)

    def answer(*positions: Any, **named: Any) -> Any:
        try:
            return real(*positions, **named)
        except ValueError:
            placed = dict(zip(function.arguments, positions, strict=False))

            def again(**others: Any) -> Any:
                # Some arguments have no name to the library, and keep their places.
                given = placed | named | others
                kept = [given.pop(name) for name in placed]
                return real(*kept, **given)

            accepted = fault.plant((library, again, placed | named))
            if accepted is None:
                raise
            return accepted

    setattr(module, name, answer)
