"""Which switch is compared, and which two settings of one build does it make?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import pytest

from pytest_applegpu.config import Config
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.setting import Setting

SWITCHES: Final = {"nax": "on,off", "tf32": "on,off", "arch": "own,applegpu_g16s"}
"""Each switch, and how two values of it are written."""

FIXED: Final = {"nax": "on", "tf32": "on", "arch": ""}
"""What a switch that is not compared stands at, unless it is said: as MLX has it."""


@dataclass(frozen=True, slots=True)
class Toggle:
    """The switch, its two values as they were written, and the settings that these make."""

    switch: str
    values: tuple[str, str]
    settings: tuple[Setting, Setting]

    @property
    def names(self) -> tuple[str, str]:
        """How both sides are named: `nax=on`."""
        first, second = self.values
        return f"{self.switch}={first}", f"{self.switch}={second}"


def read_toggle(
    said: Mapping[str, str | None], read: Callable[[Mapping[str, str]], Config]
) -> tuple[Toggle, Config]:
    """Return what is compared, and the configuration that has both settings.

    `said` holds what was said for each switch, and `read` makes a configuration of one value each.

    Raises:
        pytest.UsageError: not one switch has two values, or a value is not allowed.
    """
    words = {name: (said.get(name) or "").strip() or FIXED[name] for name in SWITCHES}
    switch = _switch(words)
    first, second = _values(switch, words[switch])
    configs = [read(words | {switch: value}) for value in (first, second)]
    for config, value in zip(configs, (first, second), strict=True):
        if len(config.settings) != 1:
            raise pytest.UsageError(f"--{switch}: {value!r} is several: {_example(switch)}")
    one, two = (config.settings[0] for config in configs)
    if one == two:
        raise pytest.UsageError(
            f"--{switch}: {words[switch]!r} is one setting twice: {_example(switch)}"
        )
    started = tuple(sorted((one, two), key=_forced))
    return Toggle(switch, (first, second), (one, two)), replace(configs[0], settings=started)


def _forced(setting: Setting) -> tuple[bool, bool]:
    """Sort what leaves the GPU as it is first: by the first setting's worker the GPU is known."""
    arch = parse_architecture(setting.arch)
    return arch is not None, arch is not None and not arch.has_nax


def _switch(words: Mapping[str, str]) -> str:
    """Return the switch that has two values.

    Raises:
        pytest.UsageError: none has, or several have.
    """
    for name in ("nax", "tf32"):
        if words[name] == "both":
            raise pytest.UsageError(f"--{name}: 'both' has no order: write {_example(name)}")
    several = [name for name, value in words.items() if "," in value]
    if not several:
        options = ", ".join(f"--{name} {value}" for name, value in SWITCHES.items())
        raise pytest.UsageError(f"nothing is compared: give one switch two values: {options}")
    if len(several) > 1:
        names = " and ".join(f"--{name}" for name in several)
        raise pytest.UsageError(f"{names}: one switch is compared at a time, the others have one")
    return several[0]


def _values(switch: str, text: str) -> tuple[str, str]:
    values = [value.strip() for value in text.split(",")]
    if len(values) != 2 or not all(values):
        raise pytest.UsageError(f"--{switch}: {text!r} is not {_example(switch)}")
    return values[0], values[1]


def _example(switch: str) -> str:
    allowed = "" if switch == "arch" else " or off,on"
    return f"two values, as in {SWITCHES[switch]}{allowed}"
