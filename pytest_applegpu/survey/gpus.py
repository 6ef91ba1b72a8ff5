"""Which GPU does a word name, an architecture or a chip, and how many cores can it have?"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_applegpu.device.chips import APPLE, chip_name

_ARCHITECTURE: Final = re.compile(r"[A-Za-z0-9_]*(?:g\d\d[a-z]|v\d\d)", re.ASCII)


class Named(NamedTuple):
    """An architecture, and the counts of GPU cores that it comes with, ascending."""

    arch: str
    cores: tuple[int, ...]


def named_gpu(text: str) -> Named:
    """Return the GPU that `text` names: `applegpu_g17s`, or a chip such as `M5 Max`.

    Raises:
        ValueError: it names none; the message says what does.
    """
    said = chip_name(text).casefold()
    rows = [chip for chip in APPLE if chip.name.casefold() == said]
    if rows:
        return Named(rows[0].architecture, tuple(sorted({chip.gpu_cores for chip in rows})))
    if _ARCHITECTURE.fullmatch(text):
        return Named(text, cores_of(text))
    chips = ", ".join(dict.fromkeys(chip.name for chip in APPLE))
    raise ValueError(
        f"{text!r} is neither an architecture such as applegpu_g17s nor one of the chips {chips}"
    )


def cores_of(arch: str) -> tuple[int, ...]:
    """Return the counts of GPU cores that `arch` comes with; none for one that is not known."""
    return tuple(sorted({chip.gpu_cores for chip in APPLE if chip.architecture == arch}))
