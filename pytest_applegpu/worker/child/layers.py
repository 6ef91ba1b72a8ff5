"""Which layer of `mlx.nn` is meant, with which operands for parameters?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .library import layer_class

Request = dict[str, Any]


def built(call: Request) -> Callable[[tuple[Any, ...]], Any]:
    """Build the layer that `call` says; return what gives it operands for parameters.

    It is built once: each call of it finds the parameters that were given last.

    Raises:
        Missing: this MLX has no such layer.
    """
    said = call["layer"]
    layer = layer_class(call["name"])(*said["arguments"], **said["named"])

    def with_parameters(operands: tuple[Any, ...]) -> Any:
        return layer.update(_filled(said["parameters"], operands))

    return with_parameters


def _filled(parameters: dict[str, Any], operands: tuple[Any, ...]) -> dict[str, Any]:
    """Return parameters, nested as a module's are, with operands in the place of their numbers."""
    return {
        name: operands[one["operand"]] if "operand" in one else _filled(one, operands)
        for name, one in parameters.items()
    }
