"""In which other ways can a call be made? Through each transform of MLX's.

A way takes the function that makes the call, what is said of the way, and one or more sets of
operands, the case's own first. It returns arrays, of which the parent knows the meaning.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

from . import library
from .library import function

Make = Callable[..., Any]
Sets = list[list[Any]]


def gradient(make: Make, said: dict[str, Any], sets: Sets) -> list[Any]:
    """Return the result, then the gradient of each primal; the second set is the cotangent."""
    own, cotangents = sets
    places = said["primals"]

    def of_primals(*primals: Any) -> Any:
        given = list(own)
        for place, primal in zip(places, primals, strict=True):
            given[place] = primal
        return make(*given)

    outputs, found = function("vjp")(of_primals, [own[place] for place in places], cotangents)
    return [outputs[0], *found]


def vmapped(make: Make, said: dict[str, Any], sets: Sets) -> list[Any]:
    """Return the result over stacks of the sets, then of each set by itself.

    `axes` says where each operand's stack has its new axis; None: the first set's is shared.
    """
    axes = said["axes"]
    mapped = list(zip(zip(*sets, strict=True), axes, strict=True))
    stacked = [
        column[0] if axis is None else function("stack")(list(column), axis)
        for column, axis in mapped
    ]
    together = function("vmap")(make, in_axes=tuple(axes), out_axes=0)(*stacked)
    apart = [
        make(*[column[0] if axis is None else column[turn] for column, axis in mapped])
        for turn in range(len(sets))
    ]
    return [together, *apart]


def compiled(make: Make, _: dict[str, Any], sets: Sets) -> list[Any]:
    """Return the results of the compiled call: that of the second set finds it compiled."""
    fast = function("compile")(make)
    return [fast(*given) for given in sets]


def shapeless(make: Make, _: dict[str, Any], sets: Sets) -> list[Any]:
    """Return the result of what was compiled for any size, and called at the other size first."""
    fast = function("compile")(make, shapeless=True)
    first = fast(*sets[1])
    library.mx.eval(first)
    return [fast(*sets[0]), first]


def exported(make: Make, _: dict[str, Any], sets: Sets) -> list[Any]:
    """Return the result of what was exported at the other size, and imported again."""
    with tempfile.TemporaryDirectory(prefix="applegpu-export-") as folder:
        path = os.path.join(folder, "call.mlxfn")
        function("export_function")(path, make, *sets[1], shapeless=True)
        imported = function("import_function")(path)
        found = [imported(*given)[0] for given in sets]
        library.mx.eval(found)
    return found


WAYS: dict[str, Callable[[Make, dict[str, Any], Sets], list[Any]]] = {
    "gradient": gradient,
    "vmap": vmapped,
    "compiled": compiled,
    "shapeless": shapeless,
    "exported": exported,
}
