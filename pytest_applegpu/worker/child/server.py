"""What is answered to each request?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from time import perf_counter
from typing import Any

from . import library
from .calls import called
from .library import Missing
from .memory import Arena, poison
from .operands import changed, hold, load, plain
from .transforms import WAYS

Request = dict[str, Any]
Reply = dict[str, Any]

REFUSALS = (ValueError, TypeError, NotImplementedError, Missing)
"""Errors of which MLX says that it refused arguments."""

REFUSING = ("only supports", "NYI", "not implemented", "no gradient", "cannot compute the gradient")
"""What MLX says in errors of other kinds where it refuses."""


class Server:
    """Answers requests until the pipe closes."""

    def __init__(self, arena: Arena) -> None:
        """Start with no operands held."""
        self.arena = arena
        self.rotation: list[list[Any]] = []
        self.operation: Callable[..., Any] | None = None

    def multiply(self, request: Request) -> Reply:
        """Run the operation `repeat` times; return the first result and the first that differs."""
        operation = called(request["call"])
        specs = request["operands"]
        storages, operands = self._operands(specs)
        offset: int = request["free"]
        digests: list[str] = []
        results: list[Reply] = []
        poison(request["poison"])
        for _ in range(request["repeat"]):
            result = operation(*operands)
            library.mx.eval(result)
            several = result if isinstance(result, (list, tuple)) else [result]
            parts = [plain(one) for one in several]
            digest = hashlib.sha256(b"".join(one.tobytes() for one, _ in parts)).hexdigest()[:16]
            if not digests or (digest != digests[0] and len(results) == 1):
                told, offset = self._put(parts, offset)
                results.append(told)
            digests.append(digest)
        return {"results": results, "digests": digests, "changed": self._changed(storages, specs)}

    def transform(self, request: Request) -> Reply:
        """Make a call in another way; return all arrays that come of it as those of one result."""
        operation, specs = called(request["call"]), request["sets"]
        held = [self._operands(one) for one in specs]
        poison(request["poison"])
        found = WAYS[request["way"]](operation, request["said"], [given for _, given in held])
        library.mx.eval(found)
        told, _ = self._put([plain(one) for one in found], request["free"])
        spoilt = [
            name
            for (storages, _), one in zip(held, specs, strict=True)
            for name in self._changed(storages, one)
        ]
        return {"results": [told], "digests": [], "changed": list(dict.fromkeys(spoilt))}

    def _operands(self, specs: list[Request]) -> tuple[list[Any], list[Any]]:
        """Return the storages that `specs` describe, and the operands that lie in them."""
        storages = [hold(self.arena, spec) for spec in specs]
        library.mx.eval(*storages)
        operands = [load(*pair) for pair in zip(storages, specs, strict=True)]
        library.mx.eval(*operands)
        return storages, operands

    def _put(self, parts: list[tuple[Any, str]], offset: int) -> tuple[Reply, int]:
        """Write arrays to `offset`; return what says where they are, and where others may begin."""
        told: list[Reply] = []
        for array, name in parts:
            told.append({"dtype": name, "shape": list(array.shape), "offset": offset})
            offset = self.arena.put(offset, array)
        return {**told[0], "more": told[1:]}, offset

    def _changed(self, storages: list[Any], specs: list[Request]) -> list[str]:
        """Return the names of the operands whose storage is not as it was put."""
        pairs = zip(storages, specs, strict=True)
        return [spec["name"] for array, spec in pairs if changed(self.arena, array, spec)]

    def prepare(self, request: Request) -> Reply:
        """Hold `copies` sets of operands for `time`, each in memory of its own."""
        self.operation = called(request["call"])
        self.rotation = [
            [load(hold(self.arena, spec), spec) for spec in request["operands"]]
            for _ in range(request["copies"])
        ]
        library.mx.eval(self.rotation)
        return {}

    def time(self, request: Request) -> Reply:
        """Submit each count of operations; return the wall seconds that each submission took.

        The clock runs from before the first call to after the last result is there. Operations
        are handed over in pieces, so that Python makes the next one while the device works on
        the last, and results make room for others; the device never waits in between.
        """
        return {"seconds": [self._submit(count, request["piece"]) for count in request["counts"]]}

    def _submit(self, count: int, piece: int) -> float:
        operation, rotation = self.operation, self.rotation
        if operation is None:
            raise RuntimeError("nothing is prepared to be timed")
        begin = perf_counter()
        for done in range(0, count, piece):
            turns = range(done, min(done + piece, count))
            library.mx.async_eval([operation(*rotation[turn % len(rotation)]) for turn in turns])
        library.mx.synchronize()
        return perf_counter() - begin

    def release(self, _: Request) -> Reply:
        """Let go of the operands held for timing."""
        self.rotation = []
        if hasattr(library.mx, "clear_cache"):
            library.mx.clear_cache()
        return {}

    def answer(self, request: Request) -> Reply:
        """Return the reply to one request; an error is an answer too."""
        try:
            reply: Reply = getattr(self, request["do"])(request)
        except Exception as error:  # noqa: BLE001 - whatever MLX raises is a result
            # Refused arguments leave the device as it was. Anything else may be the first of
            # many: after a device error every later call in this process fails.
            refused = isinstance(error, REFUSALS) or any(one in str(error) for one in REFUSING)
            return {
                "error": f"{type(error).__name__}: {error}"[:2000],
                "type": type(error).__name__,
                "sticky": not refused,
                "late": _is_late(error),
            }
        return reply


def _is_late(error: Exception) -> bool:
    """Tell whether MLX raised an error as it evaluated a result: no call's frame is the last."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals["__name__"] == __name__
