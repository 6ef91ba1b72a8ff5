"""How does a fault get in front of the library? Its functions are replaced, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from . import slower
from .accepting import accept
from .asked import Asked
from .call import Call, State
from .fault import FAULTS, NONE, Fault
from .library import Library
from .reading import FUNCTIONS
from .tracing import watch

_NOTHING = Fault(NONE, NONE, "nothing", lambda _: True, lambda call: call.give(call.product()))

LAYERS = "nn"
"""The module of layers, which lies beside the library."""

_NO_CALL = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What reading the sizes of a call raises where the library itself is to refuse it."""


def plant(core: Any, name: str) -> None:
    """Put the fault `name` in front of the functions of the library `core` that it is for.

    The fault that is none stands in front of all that the library has. What is only slower is
    named with its share: see `slower`.

    Raises:
        AttributeError: the library has no function that the fault is for.
        KeyError: there is no such fault.
    """
    if slower.plant(core, name):
        return
    library, state = Library(core), State()
    # A bound method would not be handed the array; a function is.
    core.array.__getitem__ = lambda array, index: library.sliced(array, index)  # noqa: PLW0108
    watch(core, state)
    for fault in _nothing(core) if name == NONE else [FAULTS[name]]:
        if fault.recycles:
            core.eval = library.evaluated
        if fault.transform:
            setattr(core, fault.transform, fault.plant(getattr(core, fault.transform)))
        elif fault.lenient:
            accept(fault, library)
        elif fault.op == "matmul":
            core.matmul = _faulty(fault, library, state, "function")
            core.array.__matmul__ = _faulty(fault, library, state, "operator")
        else:
            _replace(fault, library, state)


def _nothing(core: Any) -> list[Fault]:
    """Return the fault that is none, for each operation that the library has."""
    there = [op for op, function in FUNCTIONS.items() if _found(core, function.name)]
    others = [_NOTHING._replace(op=op, plant=lambda call: call.again()) for op in there]
    return [_NOTHING, *others]


def _found(core: Any, name: str) -> Any:
    """Return what the library calls `name`, dots included; None where it has none."""
    found = core
    for part in name.split(".") if name else ():
        found = _layers(core) if part == LAYERS else getattr(found, part, None)
    return found


def _layers(core: Any) -> Any:
    """Return the module of layers beside the library; None where there is none."""
    package, dot, _ = str(getattr(core, "__name__", "")).rpartition(".core")
    try:
        return importlib.import_module(f"{package}.{LAYERS}") if dot else None
    except ModuleNotFoundError:
        return None


def _faulty(fault: Fault, library: Library, state: State, via: str) -> Callable[..., Any]:
    real = library.operator if via == "operator" else library.matmul

    def product(a: Any, b: Any, **more: Any) -> Any:
        if more or state.traced or not _plain(a, b):
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


def _replace(fault: Fault, library: Library, state: State) -> None:
    """Put a fault in front of a function other than `matmul`."""
    folder, _, name = FUNCTIONS[fault.op].name.rpartition(".")
    module = _found(library.core, folder)
    real = getattr(module, name)

    def answer(*positions: Any, **named: Any) -> Any:
        if state.traced:
            return real(*positions, **named)
        try:
            call = Asked(library, state, fault.op, real, positions, named)
            met = fault.applies(call.sizes)
        except _NO_CALL:
            met = False
        if not met:
            return real(*positions, **named)
        state.calls += 1
        return fault.plant(call)

    setattr(module, name, answer)
