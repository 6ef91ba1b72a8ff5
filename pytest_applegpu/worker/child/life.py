"""How does this process end when its parent does?"""

from __future__ import annotations

import os
import select
import signal
import warnings


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
