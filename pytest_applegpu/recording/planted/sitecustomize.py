"""Records what the program that runs here multiplies with MLX, once it imports MLX.

Python imports this module by itself when its folder stands in PYTHONPATH, which `applegpu record`
alone sees to. The environment names the folder to write to: without it nothing happens. Only the
standard library is needed, and what cannot be recorded is no fault of the program.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = os.environ.get("APPLEGPU_RECORD", "")
LIBRARY = "mlx.core"

HERE = Path(__file__).resolve().parent
_LOADER = SourceFileLoader("applegpu_late", str(HERE.parents[1] / "late.py"))
late: Any = ModuleType(_LOADER.name)
_LOADER.exec_module(late)


def record(library: ModuleType) -> None:
    """Begin to record."""
    try:
        late.load("applegpu_recording", HERE.parent / "child").begin(library, Path(FOLDER))
    except Exception:  # noqa: BLE001 - the program goes on as it would without this
        traceback.print_exc()


late.run_shadowed(HERE)
if FOLDER:
    # What the program imports is to come from where it would come from without this folder.
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
    late.once_imported(LIBRARY, record)
