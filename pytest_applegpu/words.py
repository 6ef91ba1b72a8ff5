"""The words for verdicts, and what each one means to pytest.

One table, read by everything that turns a verdict into a test outcome. A word is lower case and
is what people read in reports, logs and failure texts.
"""

from __future__ import annotations

from typing import Final, Literal

Outcome = Literal["passed", "failed", "warned", "skipped"]

NUMBERS: Final[dict[str, Outcome]] = {
    "exact": "passed",
    "within": "passed",
    "creeping": "warned",
    "over": "failed",
    "misshapen": "failed",
    "raised": "failed",
    "accepted": "failed",
    "refused": "passed",
    "crashed": "failed",
    "timed out": "failed",
    "no proof": "failed",
    "unsupported": "skipped",
}
"""Is the result right? (`raised`: an error where a result is due; `accepted`: the reverse.)"""

SPEED: Final[dict[str, Outcome]] = {
    "same": "passed",
    "faster": "passed",
    "slower": "failed",
    "NAX expected, SIMD-class speed": "failed",
    "unstable": "warned",
    "not comparable": "passed",
    "no baseline": "passed",
    "raised": "failed",
    "crashed": "failed",
    "timed out": "failed",
    "unsupported": "skipped",
}
"""Is it as fast as it was? Only a slowdown that was measured twice is called `slower`."""


CARD: Final[dict[str, Outcome]] = {
    "as stored": "passed",
    "no stored card": "passed",
    "card changed": "warned",
    "card unsteady": "warned",
    "misshapen": "failed",
    "raised": "failed",
    "crashed": "failed",
    "timed out": "failed",
    "unsupported": "skipped",
}
"""Is the arithmetic of a route what it was? Only a card that was asked twice has `changed`."""


ROUTE: Final[dict[str, Outcome]] = {
    "as predicted": "passed",
    "rerouted": "warned",
    "misrouted": "failed",
}
"""Did the kernels run that were predicted, and are they those of the baseline?"""


def outcome(word: str) -> Outcome:
    """Return what `word` means to pytest.

    Raises:
        KeyError: `word` is not one of the verdicts.
    """
    return {**ROUTE, **CARD, **SPEED, **NUMBERS}[word]
