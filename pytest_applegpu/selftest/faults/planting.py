"""How does a fault get in front of the library? Its functions are replaced, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .call import Call, State
from .fault import FAULTS, NONE, Fault
from .library import Library

_NOTHING = Fault(NONE, NONE, "nothing", lambda _: True, lambda call: call.give(call.product()))


def plant(core: Any, name: str) -> None:
    """Put the fault `name` in front of `matmul` and the operator `@` of the library `core`.

    Raises:
        KeyError: there is no such fault.
    """
    fault = _NOTHING if name == NONE else FAULTS[name]
    library, state = Library(core), State()
    # A bound method would not be handed the array; a function is.
    core.array.__getitem__ = lambda array, index: library.sliced(array, index)  # noqa: PLW0108
    core.matmul = _faulty(fault, library, state, "function")
    core.array.__matmul__ = _faulty(fault, library, state, "operator")


def _faulty(fault: Fault, library: Library, state: State, via: str) -> Callable[..., Any]:
    real = library.operator if via == "operator" else library.matmul

    def product(a: Any, b: Any, **more: Any) -> Any:
        if more or not _plain(a, b):
            return real(a, b, **more)
        call = Call(library, state, a, b, via)
        state.calls += 1
        return fault.plant(call) if fault.applies(call.sizes) else real(a, b)

    return product


def _plain(a: Any, b: Any) -> bool:
    """Tell whether these are two matrices, or stacks of them, that go together."""
    if not (hasattr(a, "dtype") and hasattr(b, "dtype") and a.dtype == b.dtype):
        return False
    if not (a.ndim and b.ndim):
        return False
    return bool(a.shape[-1] == b.shape[0 if b.ndim == 1 else -2])
