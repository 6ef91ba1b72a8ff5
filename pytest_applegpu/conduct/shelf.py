"""What was measured before on the hardware that the workers run on?"""

from __future__ import annotations

import pytest

from pytest_applegpu.baselines.places import shipped_folder
from pytest_applegpu.baselines.records import BaselineError
from pytest_applegpu.baselines.store import Shelf, find
from pytest_applegpu.conduct.bench import Bench


def shelf_of(bench: Bench) -> Shelf:
    """Return the baselines of this hardware: those of the user's folder, then those shipped.

    Raises:
        pytest.UsageError: a baseline file is damaged.
    """
    key = bench.device.key.value
    shipped = shipped_folder()
    folders = [bench.config.baselines, *([shipped] if shipped else [])]
    try:
        return find(key, folders) if key else Shelf("none")
    except BaselineError as error:
        raise pytest.UsageError(str(error)) from None
