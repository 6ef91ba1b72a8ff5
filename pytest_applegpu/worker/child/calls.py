"""Which call of MLX's is meant? A function of operands, whose names are looked up each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import library
from .layers import built

Request = dict[str, Any]


def called(call: Request) -> Callable[..., Any]:
    """Return the function of operands that makes `call`: MLX's names are looked up each time.

    Where the call says a layer, that is what is called.
    """
    positions, named = call["arguments"], call["named"]
    layer = built(call) if "layer" in call else None

    def make(*operands: Any) -> Any:
        def value(one: Any) -> Any:
            if not isinstance(one, dict):
                return one
            return (
                operands[one["operand"]] if "operand" in one else getattr(library.mx, one["dtype"])
            )

        given = [value(one) for one in positions]
        if call["name"] == "@":
            return given[0] @ given[1]
        more = {key: value(one) for key, one in named.items()}
        if layer is not None:
            return layer(operands)(*given, **more)
        return library.function(call["name"])(*given, **more)

    return make
