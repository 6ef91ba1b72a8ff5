"""How is something done in a Python program of others, once it has imported a library?

By a `sitecustomize` in a folder that stands in its PYTHONPATH. Such a module loads this one by its
path: the product need not be installed there, and the standard library is enough.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Then = Callable[[ModuleType], None]
"""What is done with the library. It deals with its own errors: here they would be the program's."""


def load(name: str, path: Path) -> Any:
    """Load a module by its path, or a package by its folder, under a name of its own.

    Raises:
        ImportError: there is none.
    """
    folder = path if path.is_dir() else None
    spec = importlib.util.spec_from_file_location(
        name,
        path / "__init__.py" if folder else path,
        submodule_search_locations=[str(folder)] if folder else None,
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class _Loader(importlib.abc.Loader):
    """Loads the library as its own loader does, then has done with it what is to be done."""

    def __init__(self, own: importlib.abc.Loader, then: Then) -> None:
        self.own, self.then = own, then

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self.own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.own.exec_module(module)
        # From here on the module is as it would be without this one.
        module.__loader__ = self.own
        if module.__spec__ is not None:
            module.__spec__.loader = self.own
        self.then(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for the library to be imported where the program imports it: not sooner."""

    def __init__(self, library: str, then: Then) -> None:
        self.library, self.then = library, then

    def find_spec(  # what else is handed to it is for finders that look themselves
        self, fullname: str, *_: Any, **__: Any
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.library:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.then)
        return spec


def once_imported(library: str, then: Then) -> None:
    """Have `then` called with the module `library`, once the program imports it."""
    sys.meta_path.insert(0, _Finder(library, then))


def run_shadowed(here: Path) -> None:
    """Run the environment's own `sitecustomize`, which the one in the folder `here` hides."""
    elsewhere = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
