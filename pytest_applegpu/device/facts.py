"""What is a fact? A value together with how it is known; an unknown one says what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Never, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Fact(Generic[T_co]):
    """A value and its source, such as `sysctl machdep.cpu.brand_string`.

    `value` is None where nothing is known; `note` then says what was seen instead.
    """

    value: T_co | None
    source: str
    note: str = ""

    @property
    def known(self) -> bool:
        return self.value is not None

    def __str__(self) -> str:
        """Return the value as text, or `unknown`."""
        return "unknown" if self.value is None else str(self.value)


def unknown(source: str, note: str) -> Fact[Never]:
    """Return the fact that nothing is known, with what `source` showed instead."""
    return Fact(None, source, note)


def seen(value: T | None, source: str, otherwise: str) -> Fact[T]:
    """Return the fact of `value` from `source`, or an unknown one that notes `otherwise`."""
    return Fact(value, source, "" if value is not None else otherwise)


def first_known(*facts: Fact[T_co]) -> Fact[T_co]:
    """Return the first fact that is known; else an unknown one with every source and note."""
    for fact in facts:
        if fact.known:
            return fact
    sources = dict.fromkeys(fact.source for fact in facts if fact.source)
    notes = dict.fromkeys(fact.note for fact in facts if fact.note)
    return Fact(None, ", ".join(sources), "; ".join(notes))
