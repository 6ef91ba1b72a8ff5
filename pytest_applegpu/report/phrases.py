"""How are numbers, times and foreign texts written, so that they read alike everywhere?"""

from __future__ import annotations

from math import inf, isfinite
from typing import Final

MEANINGS: Final[dict[str, str]] = {
    "exact": "every element is the exact number (zeros of either sign alike)",
    "within": "every element is within its error bound",
    "creeping": "within the bound, but nearer to it than sound arithmetic comes",
    "over": "an element is further off than its error bound allows",
    "misshapen": "the result has the wrong shape or dtype",
    "raised": "an error where a result, or another error, is due",
    "accepted": "a result where an error is due",
    "refused": "an error, as is due",
    "crashed": "the worker process died",
    "timed out": "the worker gave no answer within its time limit",
    "no proof": "the data could not have shown a fault",
    "unsupported": "a named gap of this backend",
    "same": "as fast as before",
    "faster": "faster than before",
    "slower": "slower than before, measured twice",
    "NAX expected, SIMD-class speed": "as slow as without the neural accelerators, measured twice",
    "unstable": "too noisy to decide",
    "not comparable": "measured under other conditions than the stored time",
    "no baseline": "no stored time to compare with",
    "as stored": "the route's arithmetic is what it was",
    "no stored card": "no stored card of the route to compare with",
    "card changed": "the route's arithmetic is not what it was, asked twice",
    "card unsteady": "asked twice, the route's arithmetic was not the same",
}
"""Each verdict in a few words."""

_SCALES: Final = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def number(value: float) -> str:
    """Write a number in three significant digits: 0.25, 118, 2.88e-07, inf."""
    if isfinite(value) and 1000 <= abs(value) < 1e6:
        return f"{value:.0f}"
    return f"{value:.3g}"


def share(part: int, whole: int) -> str:
    """Write a part of a whole in percent, never rounding something down to nothing."""
    percent = 100 * part / whole if whole else 0.0
    return "less than 0.01 %" if 0 < percent < 0.01 else f"{percent:.3g} %"


def duration(seconds: float) -> str:
    """Write a duration with the unit that keeps it readable: 1.25 ms."""
    for scale, unit in _SCALES:
        if abs(seconds) >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def change(ratio: float) -> str:
    """Write a ratio of times (now over before) as the change of throughput: -2 % is slower."""
    percent = round(100 * (1 / ratio - 1), 1) if ratio > 0 else inf
    return f"{percent:+.0f} %" if abs(percent) >= 10 else f"{percent + 0.0:+.1f} %"


def interval(low: float | None, high: float | None) -> str:
    """Write the ends of an interval in brackets, or nothing where one is unknown."""
    return "" if low is None or high is None else f" ({number(low)} to {number(high)})"


def index(position: tuple[int, ...]) -> str:
    """Write an element's index as NumPy takes it: [3, 17]."""
    return f"[{', '.join(map(str, position))}]"


def escaped(text: str, limit: int = 240) -> str:
    """Write a foreign text on one line, harmless to a terminal, at most `limit` characters long.

    Line ends become ` / `; every other unprintable character (control, direction, lone
    surrogate) is written as its escape.
    """
    flat = " / ".join(part.strip() for part in text.splitlines() if part.strip())
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in flat)
    return safe if len(safe) <= limit else safe[: limit - 3] + "..."
