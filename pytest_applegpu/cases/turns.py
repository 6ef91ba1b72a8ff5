"""In which order do settings take turns, so that few workers have to be alive at once?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.setting import Setting

TOGETHER: Final = 2
"""Settings under which a problem is run before the next one is: TF32 on and off, as a rule."""


def in_turns(settings: tuple[Setting, ...]) -> Iterator[tuple[Setting, ...]]:
    """Yield the settings a few at a time: all problems are run under these, then under others."""
    for first in range(0, len(settings), TOGETHER):
        yield settings[first : first + TOGETHER]
