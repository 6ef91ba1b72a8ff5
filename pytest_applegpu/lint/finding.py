"""What was found: a rule that fires on a call, and the smallest of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pytest_applegpu.lint.rules import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that a rule sees in the launches of one call.

    `call` is the call as a line of the recordings, without launches; `family` tells the kernels
    apart, `op` the operation, `size` is the number of bytes of operands and result.
    """

    rule: str
    severity: Severity
    family: str
    text: str
    op: str
    arch: str
    nax: bool
    version: str
    kernels: tuple[str, ...]
    size: int
    call: dict[str, Any] = field(hash=False)

    @property
    def kind(self) -> tuple[str, str, bool]:
        """What findings of one kind have in common: the rule, the kernels, accelerators or not."""
        return self.rule, self.family, self.nax

    def as_json(self) -> dict[str, Any]:
        """Return the finding as an object for a JSON line."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "family": self.family,
            "text": self.text,
            "kernels": list(self.kernels),
            "bytes": self.size,
            "case": self.call,
        }


@dataclass(frozen=True, slots=True)
class Kind:
    """All findings of one kind: the smallest, how many there are, and on which letters."""

    smallest: Finding
    count: int
    letters: str


def smallest(findings: Iterable[Finding]) -> list[Kind]:
    """Return the kinds of findings with the smallest of each: wrong results first, then by rule."""
    kinds: dict[tuple[str, str, bool], Kind] = {}
    for one in findings:
        known = kinds.get(one.kind, Kind(one, 0, ""))
        least = min(known.smallest, one, key=lambda finding: finding.size)
        letters = "".join(sorted({*known.letters, one.arch[-1]}))
        kinds[one.kind] = Kind(least, known.count + 1, letters)
    return sorted(kinds.values(), key=_order)


_SEVERITIES = ("wrong", "slow", "wasteful")


def _order(kind: Kind) -> tuple[int, str, str, bool]:
    least = kind.smallest
    return _SEVERITIES.index(least.severity), *least.kind
