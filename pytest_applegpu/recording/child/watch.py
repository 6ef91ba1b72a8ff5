"""Which calls are watched, and how? Each function of MLX's does what it does, and is taken down."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .log import Log
from .views import CHANGING, FUNCTIONS, METHODS, Views, reversed_axes

WATCHED = (
    "matmul",
    "addmm",
    "einsum",
    "tensordot",
    "inner",
    "gather_mm",
    "block_masked_mm",
    "segmented_mm",
    "quantized_matmul",
    "gather_qmm",
    "qqmm",
    "gather_qqmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_general",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
)
"""Functions of `mlx.core` that multiply matrices."""

ATTENTION = "scaled_dot_product_attention"

TRANSFORMS = {
    "compile": "compile",
    "vmap": "vmap",
    "grad": "gradient",
    "value_and_grad": "gradient",
    "vjp": "gradient",
    "jvp": "gradient",
}
"""Functions that call a function by other rules, and the word for what is met in them."""

Call = Callable[..., Any]


def begin(core: Any, folder: Path) -> None:
    """Watch every function of `core` that multiplies, from now on, and write to `folder`."""
    facts = {"mlx": str(getattr(core, "__version__", "")), "device": str(core.default_device())}
    watcher = Watcher(core, Log(folder, facts))
    watcher.follow_views()
    watcher.watch()
    watcher.mark_transforms()


class Watcher:
    """Puts functions in front of MLX's."""

    def __init__(self, core: Any, log: Log) -> None:
        """Change nothing yet."""
        self.core, self.log = core, log
        self.views = Views()
        self._array = core.array
        self._dtype = type(core.float32)
        self._local = threading.local()

    def follow_views(self) -> None:
        """Follow views, to know how operands lie."""
        array = self._array
        for owner, rules in ((array, METHODS), (self.core, FUNCTIONS)):
            for name, rule in rules.items():
                if hasattr(owner, name):
                    setattr(owner, name, self.views.follow(getattr(owner, name), rule))
        array.T = property(self.views.follow(array.T.__get__, reversed_axes), doc=array.T.__doc__)
        for name in CHANGING:
            if hasattr(array, name):
                setattr(array, name, self.views.changing(getattr(array, name)))

    def watch(self) -> None:
        """Take down each call that multiplies."""
        for name in WATCHED:
            self._watch(self.core, name, name)
        self._watch(self.core.fast, ATTENTION, f"fast.{ATTENTION}")
        self._watch(self._array, "__matmul__", "@")
        if hasattr(self._array, "__imatmul__"):
            in_place = self.views.changing(self._array.__imatmul__)
            self._array.__imatmul__ = self._watched(in_place, "@")

    def _watch(self, owner: Any, name: str, label: str) -> None:
        if hasattr(owner, name):
            setattr(owner, name, self._watched(getattr(owner, name), label))

    def _watched(self, original: Call, label: str) -> Call:
        @functools.wraps(original)
        def call(*args: Any, **named: Any) -> Any:
            said = self._said(label, args, named)  # before it: `a @= b` makes another a of it
            result = original(*args, **named)
            if result is not NotImplemented:
                self._add(said)
            return result

        return call

    def _said(self, label: str, args: Any, named: Any) -> dict[str, Any]:
        try:
            return {
                "name": label,
                "arguments": [self._value(one) for one in args],
                "named": {key: self._value(one) for key, one in named.items() if key != "stream"},
                "within": sorted(set(self._within)),
            }
        except Exception as error:  # noqa: BLE001 - the program is not to notice
            return {"name": label, "unread": repr(error)}

    def _add(self, said: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):  # a full disk is no fault of the program
            self.log.add(said)

    def _value(self, one: Any) -> Any:
        """Return what is kept of an argument: of an array all but its numbers."""
        if isinstance(one, self._array):
            strides = list(self.views.strides(one))
            return {"shape": list(one.shape), "dtype": _name(one.dtype), "strides": strides}
        if isinstance(one, (list, tuple)):
            return [self._value(each) for each in one]
        if one is None or isinstance(one, (bool, int, float, str)):
            return one
        return {"dtype": _name(one)} if isinstance(one, self._dtype) else {"other": str(type(one))}

    # Transforms.

    @property
    def _within(self) -> list[str]:
        found: list[str] = self._local.__dict__.setdefault("within", [])
        return found

    def mark_transforms(self) -> None:
        """Have it known, in functions that a transform calls, that it does."""
        for name, word in TRANSFORMS.items():
            if hasattr(self.core, name):
                setattr(self.core, name, self._transform(getattr(self.core, name), word))

    def _transform(self, original: Call, word: str) -> Call:
        @functools.wraps(original)
        def transform(*args: Any, **named: Any) -> Any:
            if args:
                args = (self._marked(args[0], word), *args[1:])
            elif "fun" in named:
                named["fun"] = self._marked(named["fun"], word)
            return original(*args, **named)

        return transform

    def _marked(self, function: Any, word: str) -> Any:
        if not callable(function):
            return function

        @functools.wraps(function, updated=())
        def marked(*args: Any, **named: Any) -> Any:
            self._within.append(word)
            try:
                return function(*args, **named)
            finally:
                self._within.pop()

        return marked


def _name(dtype: Any) -> str:
    return str(dtype).rpartition(".")[2]
