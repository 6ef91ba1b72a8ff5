"""The program that a worker is: it loads the child side by its path, and runs it.

It is started by its path in any interpreter that has NumPy and MLX; the product need not be
installed there.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))


def child() -> Any:
    """Load the package beside this file, under a name that no other package has."""
    folder = os.path.join(HERE, "child")
    spec = importlib.util.spec_from_file_location(
        "applegpu_child",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    # The folder of this file is no place to import from: its modules would shadow others.
    sys.path[:] = [entry for entry in sys.path if entry != HERE]
    child().main(sys.argv[1:])
