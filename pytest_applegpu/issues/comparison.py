"""What may a size be? A comparison such as `>= 2 and % 8 != 0`, read strictly, never evaluated."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FORM: Final = "comparisons joined by `and`, as in `== 0`, `>= 2`, `% 8 != 0`, `> 1 and <= 64`"

_OPERATORS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}

_ONE: Final = re.compile(r"(?:% *(\d{1,18}) *)?(==|!=|<=|>=|<|>) *(\d{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A whole number, or its remainder by `modulus` where that is not 0, against `number`."""

    modulus: int
    sign: str
    number: int

    def holds(self, size: int) -> bool:
        """Tell whether `size` is as the comparison says."""
        value = size % self.modulus if self.modulus else size
        return _OPERATORS[self.sign](value, self.number)


def parse_comparisons(text: str) -> tuple[Comparison, ...]:
    """Read comparisons that must all hold.

    Raises:
        ValueError: the text is none; the message says what is.
    """
    return tuple(_parse(part.strip(), text) for part in text.split(" and "))


def looks_like_one(text: str) -> bool:
    """Tell whether a text starts as a comparison does, and is no plain word or number."""
    return text.lstrip()[:1] in set("=!<>%")


def _parse(part: str, whole: str) -> Comparison:
    match = _ONE.fullmatch(part)
    if match is None:
        raise ValueError(f"{whole!r} is not {FORM}")
    modulus, sign, number = match.groups()
    if modulus is not None and int(modulus) == 0:
        raise ValueError(f"{whole!r} divides by 0")
    return Comparison(int(modulus or 0), sign, int(number))
