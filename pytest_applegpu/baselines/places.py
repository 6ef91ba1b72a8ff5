"""Where do baselines lie, and where may they be written?"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from pytest_applegpu.baselines.records import KEY_PATTERN, BaselineError

SHIPPED = "pytest_applegpu.baselines.shipped"
"""The package that the repository's top-level `baselines/` becomes in a built wheel."""

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = frozenset({"site-packages", "dist-packages"})


def shipped_folder() -> Path | None:
    """Return the folder of the baselines that came with the product; None where there is none.

    In a wheel or an editable install that is where `SHIPPED` was put; in a checkout that is only
    on the path it is the `baselines/` beside `pyproject.toml`.
    """
    spec = find_spec(SHIPPED)
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    folders = [Path(place) for place in places]
    if (_PACKAGE.parent / "pyproject.toml").is_file():
        folders.append(_PACKAGE.parent / "baselines")
    return next((folder for folder in folders if folder.is_dir()), None)


def file_of(key: str, folder: Path) -> Path:
    """Return the file of the hardware `key` in `folder`.

    Raises:
        BaselineError: the key could not be a file's name.
    """
    if not re.fullmatch(KEY_PATTERN, key):
        raise BaselineError(f"{key!r} is not a baseline's key: letters, digits and ._+- only")
    return folder / f"{key}.json"


def check_writable(path: Path) -> None:
    """Refuse to write where a package manager or the product itself keeps its files.

    Raises:
        BaselineError: `path` lies inside the installed product or a site-packages folder.
    """
    whole = path.resolve()
    if _PACKAGE in whole.parents or _INSTALLED.intersection(whole.parts):
        raise BaselineError(
            f"{path}: baselines are not written into installed packages: name another folder "
            "with --applegpu-baselines DIR"
        )
