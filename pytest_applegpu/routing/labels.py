"""Which path labels are known of MLX's own dispatch, and which of them in a given version?

The labels are data, `labels.toml`, that says where they are from: no plan of cases decides them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from packaging.version import Version

from pytest_applegpu.routing.versions import RECORDED, basis_of

SOURCE: Final = Path(__file__).with_name("labels.toml")

Label = tuple[str, str]
"""An operation and the path of a route of it."""


def labels_of(version: str) -> frozenset[Label]:
    """Return the labels of the newest recorded release up to `version`, of the oldest before it.

    Raises:
        ValueError: the version has no rules.
    """
    rules = Version(basis_of(version).rules)
    release = max((one for one in RECORDED if Version(one) <= rules), key=Version)
    return frozenset(label for label, releases in every_label().items() if release in releases)


@cache
def every_label() -> dict[Label, frozenset[str]]:
    """Return every known label with the releases in which it was seen."""
    return {
        (op, path): frozenset(releases)
        for op, paths in _data()["paths"].items()
        for path, releases in paths.items()
    }


def labels_apart() -> dict[str, str]:
    """Return the paths that no case is planned for, each with the reason."""
    return dict(_data()["apart"])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))
