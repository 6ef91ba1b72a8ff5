"""How does the program go? It says what it found, then answers requests until the pipe closes."""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
from collections.abc import Sequence
from typing import Any

from . import library
from .device import choose, device_info
from .life import guard
from .memory import Arena
from .server import Server

PROTOCOL = 1

Reply = dict[str, Any]


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
        library.bring(named)
        backend = choose(wanted)
        library.mx.eval(library.mx.zeros((1,)))
        info, error = device_info(backend)
    except BaseException as error:  # noqa: BLE001 - told to the parent, which ends the run
        return {**facts, "error": f"{type(error).__name__}: {error}"}
    return {
        **facts,
        "numpy": library.np.__version__,
        "mlx": getattr(library.mx, "__version__", "unknown"),
        "mlx_file": getattr(library.mx, "__file__", None),
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
