"""How are the kinds of findings shown to a person?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_applegpu.lint.finding import Kind
from pytest_applegpu.lint.rules import BY_NAME

NOTHING_RAN: Final = "predicted from MLX's dispatch rules; nothing was run"


def table(kinds: Sequence[Kind]) -> str:
    """Return one paragraph a rule, and below it its kinds, each with the smallest problem.

    A kind begins with how many calls show it, on which letters of architectures, and whether the
    GPU has accelerators that can be used.
    """
    lines: list[str] = []
    for name in dict.fromkeys(kind.smallest.rule for kind in kinds):
        rule = BY_NAME[name]
        lines += [f"{rule.severity}: {rule.name} - {rule.seeks}", f"    {rule.matters}"]
        lines += [text for kind in kinds if kind.smallest.rule == name for text in _lines(kind)]
        lines.append("")
    return "\n".join([*lines, f"{len(kinds)} kinds of findings; {NOTHING_RAN}"])


def _lines(kind: Kind) -> Iterator[str]:
    least = kind.smallest
    where = "with NAX" if least.nax else "without NAX"
    yield f"  {least.family}, {where}, letters {kind.letters}, {kind.count} calls: {least.text}"
    yield f"      {json.dumps(least.call)}"
