"""Which MLX is installed for this interpreter? Asked of its metadata, without importing mlx.

Standard library only, and no newer Python than MLX itself needs (3.10): the text of this file
also runs in other interpreters, as `PATH -c TEXT`, and prints its answer as JSON there.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import platform
import sys
import urllib.parse
from pathlib import Path
from typing import Any

PACKAGE = "mlx"
NAMES = (PACKAGE, "mlx-metal", "mlx-cpu", "mlx-cuda", "mlx-cuda-12", "mlx-cuda-13")


def collect() -> dict[str, Any]:
    """Return interpreter, distributions and package folders as plain JSON values."""
    distributions = _distributions()
    folders = _package_folders(distributions)
    return {
        "python": platform.python_version(),
        "executable": sys.executable or "",
        "platform": sys.platform,
        "machine": platform.machine(),
        "mac_ver": platform.mac_ver()[0],
        "distributions": distributions,
        "library": next(filter(None, map(_library_folder, folders)), None),
        "extension": next(filter(None, map(_extension, folders)), None),
    }


def _distributions() -> list[dict[str, Any]]:
    """Return the first distribution of each name: the one whose folder Python searches first."""
    found: dict[str, dict[str, Any]] = {}
    for one in importlib.metadata.distributions():
        name, version = _name_and_version(one)
        if name in NAMES and name not in found:
            found[name] = {"name": name, "version": version, **_describe(one)}
    return [found[name] for name in sorted(found)]


def _name_and_version(one: importlib.metadata.Distribution) -> tuple[str, str]:
    """Return both, empty where the metadata is broken (a half-removed package)."""
    try:
        name, version = one.metadata["Name"], one.metadata["Version"]
    except (OSError, ValueError, LookupError, TypeError):
        return "", ""
    return str(name or "").lower().replace("_", "-"), str(version or "")


def _describe(one: importlib.metadata.Distribution) -> dict[str, Any]:
    wheel = (one.read_text("WHEEL") or "").splitlines()
    return {
        "tags": [line[4:].strip() for line in wheel if line.startswith("Tag:")],
        "installer": (one.read_text("INSTALLER") or "").strip(),
        "source": _editable_source(one),
    }


def _editable_source(one: importlib.metadata.Distribution) -> str | None:
    """Return the source folder of an editable install (PEP 610), None for any other."""
    try:
        url = json.loads(one.read_text("direct_url.json") or "{}")
        editable = url.get("dir_info", {}).get("editable", False)
    except (ValueError, AttributeError):
        return None
    address = str(url.get("url", ""))
    if not editable or not address.startswith("file://"):
        return None
    return urllib.parse.unquote(address[len("file://") :])


def _package_folders(distributions: list[dict[str, Any]]) -> list[Path]:
    """Return the folders of the mlx package; finding a top-level package imports nothing."""
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError, AttributeError):
        spec = None
    found = list(spec.submodule_search_locations or ()) if spec else []
    sources = [Path(one["source"]) for one in distributions if one["source"]]
    return [*map(Path, found), *(source / "python" / "mlx" for source in sources)]


def _library_folder(package: Path) -> str | None:
    """Return the folder of libmlx: inside the package (wheels), or above it (Homebrew, conda)."""
    candidates = [package / "lib"]
    for above in list(package.resolve().parents)[:3]:
        candidates += [above, above / "lib"]
    return next((str(one) for one in candidates if holds_library(one)), None)


def holds_library(folder: Path) -> bool:
    """Say whether MLX's library, or its Metal kernels, lie in `folder`."""
    names = ("libmlx.dylib", "libmlx.so", "mlx.metallib")
    return any((folder / name).is_file() for name in names)


def _extension(package: Path) -> str | None:
    found = sorted(package.glob("core.*.so"))
    return str(found[0]) if found else None


if __name__ == "__main__":
    if sys.path and sys.path[0] == "":
        del sys.path[0]  # what `-c` adds: the current folder is not where a worker looks
    sys.stdout.write(json.dumps(collect()) + "\n")
