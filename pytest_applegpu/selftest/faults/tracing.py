"""When does a transform of the library trace a function? Its operands have no numbers then.

A fault of an operation works on numbers, so what is traced goes the library's own way: faults of
operations show in plain calls, and those of transforms are faults of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .call import State

TRANSFORMS = {"vjp": 0, "vmap": 0, "compile": 0, "export_function": 1}
"""Functions of the library that trace a function, and which of their arguments that is."""


def watch(core: Any, state: State) -> None:
    """Let `state` know while any transform of the library traces a function."""
    for name, place in TRANSFORMS.items():
        if hasattr(core, name):
            setattr(core, name, _watched(getattr(core, name), place, state))


def _watched(transform: Callable[..., Any], place: int, state: State) -> Callable[..., Any]:
    def begin(*positions: Any, **named: Any) -> Any:
        given = list(positions)
        given[place] = _tracing(given[place], state)
        return transform(*given, **named)

    return begin


def _tracing(function: Callable[..., Any], state: State) -> Callable[..., Any]:
    def traced(*positions: Any, **named: Any) -> Any:
        state.traced += 1
        try:
            return function(*positions, **named)
        finally:
            state.traced -= 1

    return traced
