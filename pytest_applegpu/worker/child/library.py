"""Which NumPy and which MLX does this process compute with? Both are imported once, late.

Every other module here takes them from here at each use: a failure to import can be told so, and
what stands in MLX's place is known nowhere else.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

np: Any = None
mx: Any = None


def bring(named: Sequence[str]) -> None:
    """Import NumPy, and MLX or what stands in for it: the name of a module and its folder."""
    globals()["np"] = importlib.import_module("numpy")
    globals()["mx"] = _library(named)


def _library(named: Sequence[str]) -> Any:
    if not named:
        return importlib.import_module("mlx.core")
    name, folder = named
    sys.path.append(folder)
    return importlib.import_module(name)


class Missing(Exception):  # noqa: N818 - what is told is that a name is missing
    """This MLX has no function of the name that is asked for."""


def function(name: str) -> Callable[..., Any]:
    """Return the function of MLX called `name`, dots included.

    Raises:
        Missing: there is none.
    """
    found: Any = mx
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            version = getattr(mx, "__version__", "")
            raise Missing(f"MLX {version} has no mx.{name}")
    return found  # type: ignore[no-any-return]


def layer_class(name: str) -> Callable[..., Any]:
    """Return the class `name` of `mlx.nn`; what stands in MLX's place has no layers.

    Raises:
        Missing: there is none.
    """
    own = mx.__name__ == "mlx.core"
    found = getattr(importlib.import_module("mlx.nn"), name, None) if own else None
    if found is None:
        version = getattr(mx, "__version__", "")
        raise Missing(f"MLX {version} has no nn.{name}")
    return found  # type: ignore[no-any-return]
