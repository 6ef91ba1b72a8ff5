"""Has every known path label enough planned cases? Nothing is run: routes are predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tabulate import tabulate

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.routing.labels import Label, labels_apart, labels_of
from pytest_applegpu.routing.problem_calls import CALLS
from pytest_applegpu.routing.problems import predict, why_unknown
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

LEAST: Final = 3
"""Cases that a label has at the least."""

REPRESENTATIVES: Final = (
    "applegpu_g13g",
    "applegpu_g15d",
    "applegpu_g16s",
    "applegpu_g17s",
    "applegpu_g18g",
)
"""An architecture of each kind that dispatch tells apart: base, Ultra and Max, old and new, NAX."""

_SETTINGS: Final = (Setting("on"), Setting("off"))
_ALIGNED: Final = ("left", "left", "right", "left", "left")


@dataclass(slots=True)
class Covered:
    """What of a plan takes one label: its cases, once each, and the architectures they do it on.

    `known` tells whether the label is one of MLX's recorded dispatch, not only predicted.
    """

    op: str
    path: str
    known: bool
    cases: set[str] = field(default_factory=set)
    archs: dict[str, None] = field(default_factory=dict)
    example: str = ""

    @property
    def short(self) -> bool:
        """Whether a known label has too few cases."""
        return self.known and self.path not in labels_apart() and len(self.cases) < LEAST

    def add(self, case: Case, arch: str) -> None:
        """Count a case that takes the label on `arch`."""
        text = str(case)
        self.example = min(self.example or text, text, key=lambda one: (len(one), one))
        self.cases.add(text)
        self.archs[arch] = None

    def as_json(self) -> dict[str, Any]:
        """Return the row as one object of the JSON lines."""
        return {
            "op": self.op,
            "path": self.path,
            "known": self.known,
            "cases": len(self.cases),
            "archs": list(self.archs),
            "example": self.example,
            "short": self.short,
        }


def covered(archs: Sequence[str], version: str, tier: str) -> list[Covered]:
    """Return every label known of `version`, and every other that cases take, with its cases.

    The cases are those that the suites plan for a Mac of each of `archs`, under both TF32 settings.

    Raises:
        ValueError: the version has no rules, or an architecture is none.
    """
    found = {label: Covered(*label, known=True) for label in labels_of(version)}
    for arch in archs:
        for label, case in _taken(Gpu(arch), version, tier):
            found.setdefault(label, Covered(*label, known=False)).add(case, arch)
    return [found[label] for label in sorted(found)]


def _taken(gpu: Gpu, version: str, tier: str) -> Iterator[tuple[Label, Case]]:
    targets = [gpu.target(tf32=one.tf32 == "on", version=version) for one in _SETTINGS]
    for op in CALLS:
        for case in numeric_cases(
            op,
            "metal",
            backend_dtypes("metal"),
            tier=tier,
            seed=0,
            settings=_SETTINGS,
            targets=targets,
        ):
            if not why_unknown(case.problem):
                path = predict(case.problem, gpu, case.setting, version).path
                yield (op, path), case


def coverage_table(rows: Sequence[Covered]) -> str:
    """Return the known labels, those with too few cases marked, and how many others there are."""
    known = [one for one in rows if one.known]
    cells = [_cells(one) for one in known]
    heads = ("operation", "path", "cases", "on", "for example")
    table = tabulate(
        cells, headers=heads, tablefmt="simple", disable_numparse=True, colalign=_ALIGNED
    )
    short = [f"{one.op} {one.path}" for one in known if one.short]
    judged = sum(one.path not in labels_apart() for one in known)
    said = f"{judged - len(short)} of {judged} labels have {LEAST} cases or more"
    others = len(rows) - len(known)
    lines = [table, "", f"{said}; {others} further paths are predicted, but in no recording"]
    lines += [f"fewer than {LEAST} cases: {', '.join(short)}"] if short else []
    return "\n".join(lines)


def _cells(one: Covered) -> list[str]:
    if one.path in labels_apart() and not one.cases:
        return [one.op, one.path, "-", "", f"none: {labels_apart()[one.path]}"]
    count = f"{'! ' if one.short else ''}{len(one.cases)}"
    archs = " ".join(arch.removeprefix("applegpu_") for arch in one.archs)
    return [one.op, one.path, count, archs, one.example]
