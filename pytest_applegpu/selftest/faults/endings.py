"""Calls that do not come back: the process ends, or waits for ever."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

from .call import Call
from .fault import call_fault
from .sizes import Sizes


def _odd(sizes: Sizes) -> bool:
    return sizes.filled and sizes.k % 2 == 1 and sizes.k > 1


@call_fault(_odd)
def abort(call: Call) -> Any:
    """Abort, where K is odd."""
    os.abort()


@call_fault(_odd)
def segfault(call: Call) -> Any:
    """Read what is not the process's own, where K is odd."""
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


@call_fault(_odd)
def exits(call: Call) -> Any:
    """End the process without a word, where K is odd."""
    os._exit(3)


@call_fault(_odd)
def exits_politely(call: Call) -> Any:
    """Raise what ends a Python program, where K is odd."""
    sys.exit(0)


@call_fault(_odd, patience=3.0)
def hang(call: Call) -> Any:
    """Never come back, deaf to every signal that can be blocked, where K is odd."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        time.sleep(3600)


@call_fault(_odd)
def device_lost(call: Call) -> Any:
    """Fail with a device error, where K is odd."""
    raise RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")
