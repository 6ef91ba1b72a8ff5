"""The child side: a program that multiplies what it is told to, in its own process.

It is started by its path, so it works in an interpreter where the product is not installed: it
needs the standard library, NumPy and MLX, and nothing else. In MLX's place it takes a module that
is named to it, which offers the same names. It decides nothing: it takes operands from shared
memory, calls MLX by its public names (looked up at each call, so that a patched MLX is
what gets run) and hands back bytes, seconds or the error.

Requests and replies are JSON, one a line, over two pipes. See `process.py` for the parent.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import mmap
import os
import platform
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

PROTOCOL = 1

np: Any = None  # imported by `hello`, so that a failure can be told
mx: Any = None

Request = dict[str, Any]
Reply = dict[str, Any]

# The folder of this file is no place to import from: its modules would shadow others.
sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]


def guard(life: int) -> int:
    """Fork a watcher that ends this process group once the parent's end of `life` closes.

    A kernel that hangs may hold the interpreter's lock, so no thread of ours could do it.
    """
    here, there = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child:
        os.close(here)
        os.close(life)
        return there  # closes when this process ends, whatever the way
    os.close(there)
    ready, _, _ = select.select([life, here], [], [])
    if life in ready:
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


class Arena:
    """The shared memory that the parent and this process both see."""

    def __init__(self, fd: int) -> None:
        """Map nothing yet: the parent has not written anything."""
        self.fd = fd
        self.map: mmap.mmap | None = None

    def _cover(self, size: int) -> mmap.mmap:
        if os.fstat(self.fd).st_size < size:
            reserve = getattr(os, "posix_fallocate", None)
            if reserve:
                reserve(self.fd, 0, size)
            else:
                os.ftruncate(self.fd, size)
        if self.map is None or len(self.map) < size:
            self.map = mmap.mmap(self.fd, os.fstat(self.fd).st_size)
        return self.map

    def array(self, offset: int, dtype: Any, shape: Sequence[int]) -> Any:
        """Return a NumPy view of the bytes at `offset`."""
        size = int(np.prod(shape, dtype=np.int64))
        if not size:
            return np.zeros(shape, dtype)
        memory = self._cover(offset + size * np.dtype(dtype).itemsize)
        return np.frombuffer(memory, dtype, size, offset).reshape(shape)

    def put(self, offset: int, array: Any) -> int:
        """Copy `array` to `offset`; return where the next one may begin."""
        if array.size:
            self.array(offset, array.dtype, array.shape)[...] = array
        end: int = offset + -(-array.nbytes // 64) * 64
        return end


MLX_NAMES = {"bool": "bool_"}


def stored(arena: Arena, spec: Request) -> Any:
    """Return the storage that `spec` describes, as NumPy sees it in shared memory."""
    raw = {"bfloat16": np.uint16, "bool": np.bool_}.get(spec["dtype"], spec["dtype"])
    return arena.array(spec["offset"], raw, spec["storage"])


def hold(arena: Arena, spec: Request) -> Any:
    """Make the MLX array of the storage that `spec` describes."""
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
    now = np.asarray(array.view(mx.uint16) if spec["dtype"] == "bfloat16" else array)
    before = stored(arena, spec)
    word = np.uint64 if before.nbytes % 8 == 0 else np.uint8
    return not np.array_equal(*(x.reshape(-1).view(word) for x in (now, before)))


def take_slice(array: Any, spans: list[list[int]]) -> Any:
    """Slice each axis; a negative step runs down to and including element 0."""
    return array[tuple(slice(a, None if s < 0 else b, s) for a, b, s in spans)]


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "slice": take_slice,
    "transpose": lambda array, axes: mx.transpose(array, axes),
    "broadcast": lambda array, shape: mx.broadcast_to(array, shape),
    "squeeze": lambda array, axis: mx.squeeze(array, axis),
    "expand": lambda array, axis: mx.expand_dims(array, axis),
    "reshape": lambda array, shape: mx.reshape(array, shape),
}


class Missing(Exception):  # noqa: N818 - what is told is that a name is missing
    """This MLX has no function of the name that is asked for."""


def called(call: Request) -> Callable[..., Any]:
    """Return the function of operands that makes `call`: MLX's names are looked up each time."""
    positions, named = call["arguments"], call["named"]

    def make(*operands: Any) -> Any:
        def value(one: Any) -> Any:
            if not isinstance(one, dict):
                return one
            return operands[one["operand"]] if "operand" in one else getattr(mx, one["dtype"])

        given = [value(one) for one in positions]
        if call["name"] == "@":
            return given[0] @ given[1]
        return function(call["name"])(*given, **{key: value(one) for key, one in named.items()})

    return make


def function(name: str) -> Callable[..., Any]:
    """Return the function of MLX called `name`, dots included."""
    found: Any = mx
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            version = getattr(mx, "__version__", "")
            raise Missing(f"MLX {version} has no mx.{name}")
    return found  # type: ignore[no-any-return]


def plain(result: Any) -> tuple[Any, str]:
    """Return the result's bytes as a NumPy array NumPy itself knows, and MLX's dtype name.

    One without elements is read as well: a result that was given no memory ends the process then,
    as it would a user's.
    """
    name = str(result.dtype).rpartition(".")[2]
    if name == "bfloat16":
        result = result.view(mx.uint16)
    return np.array(result, order="C"), name


POISON = 0x7FFF
"""Two of these, or four, are NaN in every format that MLX multiplies, and so is one in halves."""


def poison(sizes: Sequence[int]) -> None:
    """Fill memory of these sizes in bytes with NaN and free it, for the next call to be given.

    What a kernel leaves unwritten then holds NaN, and not a right result of the call before.
    """
    spoilt = [mx.array(np.full(max(size // 2, 1), POISON, np.uint16)) for size in sizes]
    mx.eval(*spoilt)


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
        storages = [hold(self.arena, spec) for spec in specs]
        mx.eval(*storages)
        operands = [load(*pair) for pair in zip(storages, specs, strict=True)]
        mx.eval(*operands)
        offset: int = request["free"]
        digests: list[str] = []
        results: list[Reply] = []
        poison(request["poison"])
        for _ in range(request["repeat"]):
            result = operation(*operands)
            mx.eval(result)
            several = result if isinstance(result, (list, tuple)) else [result]
            parts = [plain(one) for one in several]
            digest = hashlib.sha256(b"".join(one.tobytes() for one, _ in parts)).hexdigest()[:16]
            if not digests or (digest != digests[0] and len(results) == 1):
                told = []
                for array, name in parts:
                    told.append({"dtype": name, "shape": list(array.shape), "offset": offset})
                    offset = self.arena.put(offset, array)
                results.append({**told[0], "more": told[1:]})
            digests.append(digest)
        pairs = zip(storages, specs, strict=True)
        spoilt = [spec["name"] for array, spec in pairs if changed(self.arena, array, spec)]
        return {"results": results, "digests": digests, "changed": spoilt}

    def prepare(self, request: Request) -> Reply:
        """Hold `copies` sets of operands for `time`, each in memory of its own."""
        self.operation = called(request["call"])
        self.rotation = [
            [load(hold(self.arena, spec), spec) for spec in request["operands"]]
            for _ in range(request["copies"])
        ]
        mx.eval(self.rotation)
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
        begin = time.perf_counter()
        for done in range(0, count, piece):
            turns = range(done, min(done + piece, count))
            mx.async_eval([operation(*rotation[turn % len(rotation)]) for turn in turns])
        mx.synchronize()
        return time.perf_counter() - begin

    def release(self, _: Request) -> Reply:
        """Let go of the operands held for timing."""
        self.rotation = []
        if hasattr(mx, "clear_cache"):
            mx.clear_cache()
        return {}

    def answer(self, request: Request) -> Reply:
        """Return the reply to one request; an error is an answer too."""
        try:
            reply: Reply = getattr(self, request["do"])(request)
        except Exception as error:  # noqa: BLE001 - whatever MLX raises is a result
            # Refused arguments leave the device as it was. Anything else may be the first of
            # many: after a device error every later call in this process fails.
            refused = isinstance(error, (ValueError, TypeError, NotImplementedError, Missing))
            refused = refused or "only supports" in str(error)
            return {
                "error": f"{type(error).__name__}: {error}"[:2000],
                "type": type(error).__name__,
                "sticky": not refused,
            }
        return reply


def available(name: str) -> bool:
    """Tell whether MLX has the backend called `name` and a device for it."""
    module = getattr(mx, name, None)
    return bool(module is not None and module.is_available())


def choose(backend: str) -> str:
    """Make the device of `backend` the default one; return the backend's name."""
    if backend == "auto":
        backend = next((name for name in ("metal", "cuda") if available(name)), "cpu")
    if backend != "cpu" and not available(backend):
        raise RuntimeError(f"this MLX has no {backend} device")
    mx.set_default_device(mx.cpu if backend == "cpu" else mx.gpu)
    return backend


def device_info(backend: str) -> tuple[dict[str, Any], str | None]:
    """Return what MLX says about the device, through whichever name this version has."""
    device = mx.cpu if backend == "cpu" else mx.gpu
    # Versions before 0.30 tell of Metal alone, by another name.
    older: Any = getattr(mx, "metal", None) if backend == "metal" else None
    failed = None
    for place, arguments in ((mx, [device]), (older, [])):
        try:
            if hasattr(place, "device_info"):
                return dict(place.device_info(*arguments)), None
        except Exception as error:  # noqa: BLE001 - whatever MLX raises is told
            failed = failed or f"{type(error).__name__}: {error}"
    return {}, failed


def library(named: Sequence[str]) -> Any:
    """Import MLX, or what stands in for it: the name of a module and the folder it is in."""
    if not named:
        return importlib.import_module("mlx.core")
    name, folder = named
    sys.path.append(folder)
    return importlib.import_module(name)


def hello(wanted: str, named: Sequence[str]) -> Reply:
    """Import NumPy and MLX, choose the device and say what was found."""
    facts = {
        "protocol": PROTOCOL,
        "python": platform.python_version(),
        "executable": sys.executable,
        "machine": platform.machine(),
        "mac_ver": platform.mac_ver()[0],
    }
    try:
        globals()["np"] = importlib.import_module("numpy")
        globals()["mx"] = library(named)
        backend = choose(wanted)
        mx.eval(mx.zeros((1,)))
        info, error = device_info(backend)
    except BaseException as error:  # noqa: BLE001 - told to the parent, which ends the run
        return {**facts, "error": f"{type(error).__name__}: {error}"}
    return {
        **facts,
        "numpy": np.__version__,
        "mlx": getattr(mx, "__version__", "unknown"),
        "mlx_file": getattr(mx, "__file__", None),
        "backend": backend,
        "device_info": info,
        "device_info_error": error,
    }


def main(arguments: Sequence[str]) -> None:
    """Serve until the request pipe closes."""
    requests, replies, life, memory = (int(fd) for fd in arguments[:4])
    # Writing a large core file would turn a crash into a time-out.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    watcher = guard(life)
    server = Server(Arena(memory))
    with os.fdopen(requests, "rb") as source, os.fdopen(replies, "wb") as sink:

        def say(reply: Reply) -> None:
            sink.write(json.dumps(reply, default=str).encode() + b"\n")
            sink.flush()

        first = hello(arguments[4], arguments[5:])
        say(first)
        if "error" not in first:
            for line in source:
                say(server.answer(json.loads(line)))
    os.close(watcher)


if __name__ == "__main__":
    main(sys.argv[1:])
