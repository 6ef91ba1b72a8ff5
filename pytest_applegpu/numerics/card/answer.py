"""What is answered to a question? A word, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

UNKNOWN: Final = "unknown"
"""The word where the evidence fits nothing that was thought of, or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One line of a card: its name, the word that answers it, and what that rests on."""

    name: str
    word: str
    evidence: str

    def as_json(self) -> dict[str, str]:
        """Return the feature as JSON values."""
        return {"name": self.name, "word": self.word, "evidence": self.evidence}


def unknown(name: str, why: str) -> Feature:
    """Return the line of a question without an answer."""
    return Feature(name, UNKNOWN, why)
