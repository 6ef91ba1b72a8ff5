"""Is a single value one that an option takes: a word, a number, a version, a list of formats?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from packaging.version import InvalidVersion, Version

from pytest_applegpu.dtypes import DTYPES, DType, parse_dtype
from pytest_applegpu.options import BY_NAME

LEAST_ROUNDS: Final = 6
"""The fewest whose extremes are a 95 % interval of the median."""

_MOST_SEED: Final = 2**63


class WrongError(Exception):
    """An option's name, its value and what is allowed."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name, self.text = name, f"{value!r} is not {allowed}"


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return a word that is one of those allowed.

    Raises:
        WrongError: it is not.
    """
    if value not in allowed:
        raise WrongError(name, value, f"one of {', '.join(allowed)}")
    return value


def version(value: str) -> str | None:
    """Return a version as PEP 440 writes it; None where none is said.

    Raises:
        WrongError: it is none.
    """
    if not value:
        return None
    try:
        return str(Version(value))
    except InvalidVersion:
        raise WrongError("mlx", value, "a version such as 0.32.4") from None


def dtypes(value: str) -> tuple[DType, ...] | None:
    """Return the formats of a list; None where it means all.

    Raises:
        WrongError: one of them is no format.
    """
    if value == "all":
        return None
    found: dict[str, DType] = {}
    for word in value.split(","):
        try:
            dtype = parse_dtype(word.strip())
        except ValueError:
            names = ", ".join(f"{dtype.name} ({dtype.short})" for dtype in DTYPES.values())
            raise WrongError("dtypes", word.strip(), f"one of {names}, or all") from None
        found[dtype.name] = dtype
    return tuple(found.values())


def flag(value: object) -> bool:
    """Tell whether a flag was set."""
    return value is True


def seed(value: str) -> int:
    """Return the seed of random numbers.

    Raises:
        WrongError: it is not a whole number that fits.
    """
    if not (value.isascii() and value.isdigit() and int(value) < _MOST_SEED):
        raise WrongError("seed", value, "a whole number from 0 to 2**63 - 1")
    return int(value)


def count(name: str, value: str) -> int:
    """Return a whole number from 0 on.

    Raises:
        WrongError: it is none.
    """
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise WrongError(name, value, "a whole number from 0 on")
    return int(value)


def seconds(value: str) -> float:
    """Return seconds above 0.

    Raises:
        WrongError: it is no such number.
    """
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 < seconds < float("inf"):
        raise WrongError("timeout", value, "a number of seconds above 0")
    return seconds


def lines(value: Sequence[str] | None) -> tuple[str, ...]:
    """Return what was said again and again, without empty words."""
    return tuple(line.strip() for line in value or () if line.strip())


def rounds(value: str) -> int | None:
    """Return a number of rounds; None where as many are taken as are due.

    Raises:
        WrongError: they are too few, or no number.
    """
    if value == "auto":
        return None
    if not (value.isascii() and value.isdigit() and LEAST_ROUNDS <= int(value) < 10**6):
        raise WrongError("rounds", value, f"auto, or a whole number from {LEAST_ROUNDS} on")
    return int(value)


def each(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that say an option once for each value."""
    return tuple(word for value in values for word in (BY_NAME[name].flag, value))


def repeated(text: Callable[[str], str], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that say those options again that are not at their default."""
    words: list[str] = []
    for name in names:
        if text(name) != str(BY_NAME[name].default):
            words += [BY_NAME[name].flag, text(name)]
    return tuple(words)
