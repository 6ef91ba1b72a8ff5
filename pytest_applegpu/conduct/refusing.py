"""Does MLX refuse a call that it must refuse, and does its error say what is wrong?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.flaws.flaw import Call, Flaw
from pytest_applegpu.forms.flaws.table import FLAWS
from pytest_applegpu.report.records import ErrorFacts
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared

LATE: Final = "refused when the result was evaluated, not by the call"

_ELSEWHERE: Final = re.compile(r"only supported on|modes are supported", re.IGNORECASE)
"""How MLX says that the right call would be refused as well."""

_UNKNOWN: Final = "incompatible function arguments"
"""What is said of an argument that this MLX does not have: the call itself is not looked at."""


def spoilt(case: Case, bench: Bench) -> Call:
    """Return the call of a case of `check=refusal`."""
    problem = case.problem
    drawn = bench.drawn(case, bench.arithmetic(problem, case.setting))
    return flaw_of(case).spoil(Call(problem.operands, drawn.sent, problem.invocation))


def flaw_of(case: Case) -> Flaw:
    """Return what spoils the call of a case of `check=refusal`."""
    return FLAWS[case.problem.op, case.flaw]


def refusing(case: Case, bench: Bench, lacks: Callable[[Refusal], bool]) -> tuple[str, ErrorFacts]:
    """Make a call that MLX must refuse; return the verdict and what is said of it.

    An error is `refused` where it names what is wrong, whenever it came. Another error is
    `unsupported` where it names what the backend lacks (`lacks` tells), else `raised`.
    """
    limit = bench.limit(case)
    try:
        with shared(bench.backend):
            answer = bench.pool.attempt(spoilt(case, bench), case.setting, limit=limit)
    except ENDINGS as end:
        verdict, message = ending(end, limit)
        return verdict, ErrorFacts(message=f"{message} ({_due(case)})")
    if isinstance(answer, Answer):
        return "accepted", ErrorFacts(got=_told(answer), expected="an error", message=_due(case))
    return _judged(case, answer, lacks)


def _judged(
    case: Case, refusal: Refusal, lacks: Callable[[Refusal], bool]
) -> tuple[str, ErrorFacts]:
    if _UNKNOWN in refusal.text:
        return "unsupported", ErrorFacts(message=refusal.text)
    _, _, said = refusal.text.partition(": ")  # a TypeError is not for that one about a type
    if flaw_of(case).fits(said):
        late = f"{LATE}: " if refusal.late else ""
        return "refused", ErrorFacts(message=f"{late}{refusal.text}")
    if lacks(refusal) or _ELSEWHERE.search(refusal.text):
        return "unsupported", ErrorFacts(message=refusal.text)
    missing = f"nothing is said of {' or '.join(flaw_of(case).names)}"
    return "raised", ErrorFacts(message=f"{refusal.text} ({missing})")


def _due(case: Case) -> str:
    return f"an error is due: {flaw_of(case).why}"


def _told(answer: Answer) -> str:
    """Say what came of a call: shapes and formats."""
    formats = {one.numpy: one.name for one in DTYPES.values()}
    parts = (
        f"shape {tuple(part.shape)} in {formats.get(part.dtype, part.dtype.name)}"
        for part in answer.parts
    )
    return f"a result of {', '.join(parts)}"
