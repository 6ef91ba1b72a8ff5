"""How are the kinds of findings shown to a person?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from pytest_applegpu.lint.finding import Kind
from pytest_applegpu.lint.rules import BY_NAME

NOTHING_RAN: Final = "predicted from MLX's dispatch rules; nothing was run"


Say = Callable[[dict[str, Any]], str]
"""Writes a call, a line of the recordings without launches, for a person."""


def table(kinds: Sequence[Kind], say: Say = json.dumps) -> str:
    """Return one paragraph a rule, and below it its kinds, each with the smallest problem.

    A kind begins with how many calls show it, on which letters of architectures, and whether the
    GPU has accelerators that can be used.
    """
    lines: list[str] = []
    for name in dict.fromkeys(kind.smallest.rule for kind in kinds):
        rule = BY_NAME[name]
        lines += [f"{rule.severity}: {rule.name} - {rule.seeks}", f"    {rule.matters}"]
        lines += [
            text for kind in kinds if kind.smallest.rule == name for text in _lines(kind, say)
        ]
        lines.append("")
    counts = Counter(kind.smallest.severity for kind in kinds)
    said = ", ".join(f"{count} {severity}" for severity, count in counts.items())
    many = "1 kind" if len(kinds) == 1 else f"{len(kinds)} kinds"
    total = f"{many} of findings" + (f" ({said})" if said else "")
    return "\n".join([*lines, f"{total}; {NOTHING_RAN}"])


def _lines(kind: Kind, say: Say) -> Iterator[str]:
    least = kind.smallest
    where = "with NAX" if least.nax else "without NAX"
    calls = "1 call" if kind.count == 1 else f"{kind.count} calls"
    yield f"  {least.family}, {where}, letters {kind.letters}, {calls}: {least.text}"
    yield f"      {say(least.call)}"
