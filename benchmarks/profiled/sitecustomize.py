"""Let CUPTI record every kernel of a timing worker, for `gpu_time.py`.

Python imports this module at start when its folder stands in PYTHONPATH. In a worker it starts
torch.profiler before MLX is imported, and writes the kernels down when the worker lets go of its
operands, which it does once a case is timed.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

TARGET = os.environ.get("APPLEGPU_KERNELS", "")


def record(target: Path) -> None:
    """Start the profiler, and stop it at the first `mx.clear_cache`."""
    torch: Any = import_module("torch")
    torch.cuda.init()
    profile = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True
    )
    profile.start()
    mx: Any = import_module("mlx.core")
    clear = mx.clear_cache

    def finish() -> None:
        mx.clear_cache = clear
        torch.cuda.synchronize()
        profile.stop()
        cuda = torch.autograd.DeviceType.CUDA
        events = [event for event in profile.events() if event.device_type == cuda]
        events.sort(key=lambda event: event.time_range.start)
        kernels = [
            [e.name, e.time_range.start * 1e-6, e.device_time * 1e-6]
            for e in events
            if "mem" not in e.name.lower()
        ]
        target.write_text(json.dumps(kernels))
        clear()

    mx.clear_cache = finish


if TARGET and any(word.endswith("serve.py") for word in sys.orig_argv):
    record(Path(TARGET))
