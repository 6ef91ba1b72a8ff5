"""A baseline in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.baselines.store import rewrite
from tests.baselines.samples import BASELINE, KEY


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A good file."""
    path = tmp_path / "baselines" / f"{KEY}.json"
    rewrite(path, lambda _: BASELINE)
    return path
