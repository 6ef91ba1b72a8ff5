"""Which verdict is it when a worker gives no answer?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.worker.process import Crashed, TimedOut, WorkerError

ENDINGS: Final = (Crashed, TimedOut, WorkerError, OSError, MemoryError)
"""All that can keep a case from an answer."""


def ending(end: BaseException, limit: float) -> tuple[str, str]:
    """Return the verdict's word and what was said; `limit` is the time limit in seconds.

    Raises:
        BaseException: `end` itself, if it is none of `ENDINGS`.
    """
    if isinstance(end, TimedOut):
        return "timed out", f"no answer within {limit:.3g} s"
    if isinstance(end, Crashed):
        said = f": {end.said}" if end.said else ""
        return "crashed", f"the worker ended with {end.how}{said}"
    if isinstance(end, WorkerError):
        return "crashed", str(end)
    if isinstance(end, (OSError, MemoryError)):
        # Nothing that MLX did: this machine has no room for the operands.
        return "unsupported", f"the operands do not fit into this machine's memory ({end})"
    raise end
