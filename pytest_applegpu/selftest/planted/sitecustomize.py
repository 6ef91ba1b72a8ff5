"""Plants one fault in a worker's array library, once it is imported.

Python imports this module by itself when its folder stands in PYTHONPATH, which `applegpu
selftest` alone sees to. The environment names the fault, the program whose processes get it, and
the library: without all three nothing happens. Only the standard library, NumPy and the array
library itself are needed, as in the worker.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

FAULT = os.environ.get("APPLEGPU_SELFTEST_FAULT", "")
SIDE = os.environ.get("APPLEGPU_SELFTEST_SIDE", "")
PROGRAM = os.environ.get("APPLEGPU_SELFTEST_PROGRAM", "")
LIBRARY = os.environ.get("APPLEGPU_SELFTEST_LIBRARY", "")

NOT_PLANTED = 70
"""Exit status where a fault cannot be planted: going on without it would look like a miss."""

HERE = Path(__file__).resolve().parent
_LOADER = SourceFileLoader("applegpu_late", str(HERE.parents[1] / "late.py"))
late: Any = ModuleType(_LOADER.name)
_LOADER.exec_module(late)


def plant(library: ModuleType) -> None:
    """Plant the fault."""
    try:
        late.load("applegpu_faults", HERE.parent / "faults").plant(library, FAULT)
    except BaseException:  # noqa: BLE001 - the worker would go on without the fault
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(NOT_PLANTED)


late.run_shadowed(HERE)
# Where two builds are held against each other, a fault may be for the workers of one of them.
if SIDE not in {"", os.environ.get("APPLEGPU_SIDE", "")}:
    FAULT = ""
if FAULT and PROGRAM and LIBRARY and any(word.endswith(PROGRAM) for word in sys.orig_argv):
    late.once_imported(LIBRARY, plant)
