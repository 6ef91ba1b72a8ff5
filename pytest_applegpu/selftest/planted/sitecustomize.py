"""Plants one fault in a worker's array library, once it is imported.

Python imports this module by itself when its folder stands in PYTHONPATH, which `applegpu
selftest` alone sees to. The environment names the fault, the program whose processes get it, and
the library: without all three nothing happens. Only the standard library, NumPy and the array
library itself are needed, as in the worker.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

FAULT = os.environ.get("APPLEGPU_SELFTEST_FAULT", "")
PROGRAM = os.environ.get("APPLEGPU_SELFTEST_PROGRAM", "")
LIBRARY = os.environ.get("APPLEGPU_SELFTEST_LIBRARY", "")

NOT_PLANTED = 70
"""Exit status where a fault cannot be planted: going on without it would look like a miss."""

HERE = Path(__file__).resolve().parent


def faults() -> Any:
    """Load the faults by their path, so that the product need not be installed here."""
    folder = HERE.parent / "faults"
    spec = importlib.util.spec_from_file_location(
        "applegpu_faults", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} holds no faults")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Planter(importlib.abc.Loader):
    """Loads the library as its own loader does, then puts the fault in front of it."""

    def __init__(self, own: importlib.abc.Loader) -> None:
        """Keep the library's own loader."""
        self.own = own

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """Make the module as its own loader does."""
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, and plant the fault."""
        self.own.exec_module(module)
        try:
            faults().plant(module, FAULT)
        except BaseException:  # noqa: BLE001 - the worker would go on without the fault
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(NOT_PLANTED)


class Finder(importlib.abc.MetaPathFinder):
    """Waits for the library to be imported where a worker imports it: not sooner."""

    def find_spec(  # what else is handed to it is for finders that look themselves
        self, fullname: str, *_: Any, **__: Any
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the library as Python does without this finder."""
        if fullname != LIBRARY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = Planter(spec.loader)
        return spec


def shadowed() -> None:
    """Run the environment's own `sitecustomize`, which this one hides."""
    elsewhere = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


shadowed()
if FAULT and PROGRAM and LIBRARY and any(word.endswith(PROGRAM) for word in sys.orig_argv):
    sys.meta_path.insert(0, Finder())
