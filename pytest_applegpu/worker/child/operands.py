"""How does an operand become an array of MLX's, and a result become bytes?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import library
from .memory import Arena

Request = dict[str, Any]

MLX_NAMES = {"bool": "bool_"}


def stored(arena: Arena, spec: Request) -> Any:
    """Return the storage that `spec` describes, as NumPy sees it in shared memory."""
    np = library.np
    raw = {"bfloat16": np.uint16, "bool": np.bool_}.get(spec["dtype"], spec["dtype"])
    return arena.array(spec["offset"], raw, spec["storage"])


def hold(arena: Arena, spec: Request) -> Any:
    """Make the MLX array of the storage that `spec` describes."""
    mx = library.mx
    if spec["dtype"] == "bfloat16":
        return mx.array(stored(arena, spec)).view(mx.bfloat16)
    name: str = spec["dtype"]
    return mx.array(stored(arena, spec), getattr(mx, MLX_NAMES.get(name, name)))


def load(array: Any, spec: Request) -> Any:
    """Take the steps that lead from a storage to its operand."""
    for name, argument in spec["steps"]:
        array = STEPS[name](array, argument)
    return array


def changed(arena: Arena, array: Any, spec: Request) -> bool:
    """Tell whether a storage differs by a bit from what was put into shared memory."""
    np, mx = library.np, library.mx
    now = np.asarray(array.view(mx.uint16) if spec["dtype"] == "bfloat16" else array)
    before = stored(arena, spec)
    word = np.uint64 if before.nbytes % 8 == 0 else np.uint8
    return not np.array_equal(*(x.reshape(-1).view(word) for x in (now, before)))


def take_slice(array: Any, spans: list[list[int]]) -> Any:
    """Slice each axis; a negative step runs down to and including element 0."""
    return array[tuple(slice(a, None if s < 0 else b, s) for a, b, s in spans)]


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": take_slice,
    "transpose": lambda array, axes: library.mx.transpose(array, axes),
    "broadcast": lambda array, shape: library.mx.broadcast_to(array, shape),
    "squeeze": lambda array, axis: library.mx.squeeze(array, axis),
    "expand": lambda array, axis: library.mx.expand_dims(array, axis),
    "reshape": lambda array, shape: library.mx.reshape(array, shape),
}


def plain(result: Any) -> tuple[Any, str]:
    """Return the result's bytes as a NumPy array NumPy itself knows, and MLX's dtype name.

    One without elements is read as well: a result that was given no memory ends the process then,
    as it would a user's.
    """
    name = str(result.dtype).rpartition(".")[2]
    if name == "bfloat16":
        result = result.view(library.mx.uint16)
    return library.np.array(result, order="C"), name
