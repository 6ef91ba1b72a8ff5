"""How a numeric case is conducted: data, proof, product, judgement, and reasons where it failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Final

import numpy as np

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.plan import REPEATS
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.repeat import check_repeat
from pytest_applegpu.problem import Problem
from pytest_applegpu.report.records import ErrorFacts
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared

Pair = tuple[np.ndarray, np.ndarray]

BEGAN_WRONG: Final = (
    "not repeatable: the first product of the worker was wrong, the same one right after"
)

AGAIN: Final = 5
"""Further calls that tell a fault that is always there from one that comes and goes."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A verdict about numbers, and what is known of the error."""

    verdict: str
    error: ErrorFacts | None = None


def conduct(case: Case, bench: Bench) -> Numbers:
    """Run one numeric case to its verdict."""
    gap = bench.gap(case.problem) or bench.no_room(case)
    if gap is not None:
        return Numbers("unsupported", ErrorFacts(message=gap))
    if bench.began_wrong(case.setting):
        return Numbers("over", ErrorFacts(cause=BEGAN_WRONG))
    arithmetic = bench.arithmetic(case.problem, case.setting)
    try:
        return _judged(case, bench, arithmetic, bench.operands(case, arithmetic))
    except ENDINGS as end:
        verdict, message = ending(end, bench.limit(case, _calls(case)))
        return Numbers(verdict, ErrorFacts(message=message))


def _calls(case: Case) -> int:
    return REPEATS if case.check == "repeat" else 1


def _judged(case: Case, bench: Bench, arithmetic: Arithmetic, operands: Pair) -> Numbers:
    answer = _multiply(case, bench, operands, _calls(case))
    if isinstance(answer, Refusal):
        return Numbers("raised", ErrorFacts(message=answer.text))
    if answer.changed:
        spoilt = f"the call changed its operand {' and '.join(answer.changed)} in place"
        return Numbers("over", ErrorFacts(cause=spoilt))
    finding = _finding(case, bench, arithmetic, operands, answer)
    if finding.verdict == "over" and case.check != "repeat":
        fleeting = _fleeting(case, bench, arithmetic, operands)
        cause = fleeting or finding.cause or _outside(case, bench, operands, finding)
        finding = replace(finding, cause=cause)
    return Numbers(finding.verdict, error_facts(finding))


def _multiply(
    case: Case, bench: Bench, operands: Pair, calls: int, guard: float = nan
) -> Answer | Refusal:
    limit = bench.limit(case, calls)
    with shared(bench.backend):
        return bench.pool.multiply(
            case.problem, case.setting, operands, repeat=calls, limit=limit, guard=guard
        )


def _finding(
    case: Case, bench: Bench, arithmetic: Arithmetic, operands: Pair, answer: Answer
) -> Finding:
    """Judge the first result and, where the calls were repeated, that all agree with it."""
    first = answer.results[0]
    if case.check == "repeat":
        other = answer.results[1] if len(answer.results) > 1 else None
        agreed = check_repeat(answer.digests, first, other, case.problem.dtype)
        if not agreed.passed:
            return agreed
    return judge(
        FILLS[case.fill].check if case.check == "repeat" else case.check,
        *operands,
        first,
        case.problem.dtype,
        arithmetic,
        bench.random(case, "projection"),
        shape=case.problem.shape_c,
    )


def _fleeting(case: Case, bench: Bench, arithmetic: Arithmetic, operands: Pair) -> str | None:
    """Make the call again: a fault that comes and goes is another one than one that stays."""
    try:
        answer = _multiply(case, bench, operands, AGAIN)
    except ENDINGS:
        return None
    if isinstance(answer, Refusal):
        return None
    first = _finding(case, bench, arithmetic, operands, answer)
    if first.passed:
        return f"not repeatable: the same call was right when it was made again ({AGAIN} calls)"
    if len(set(answer.digests)) > 1:
        return f"not repeatable: {AGAIN} more calls gave {len(set(answer.digests))} results"
    return None


def _outside(case: Case, bench: Bench, operands: Pair, finding: Finding) -> str | None:
    """Tell whether a NaN comes from the guards round a view: it goes where they are finite."""
    if finding.worst is None or not _is_nan(finding.got_value):
        return None
    try:
        answer = _multiply(case, bench, operands, 1, guard=1.0)
    except ENDINGS:
        return None
    if isinstance(answer, Refusal) or answer.results[0].size != finding.total:
        return None
    again = answer.results[0].reshape(-1)[ravel(finding.worst, case.problem)]
    return None if np.isnan(again) else "memory outside an operand was read"


def _is_nan(value: object) -> bool:
    return isinstance(value, (float, complex)) and bool(np.isnan(value))


def ravel(index: tuple[int, ...], problem: Problem) -> int:
    """Return the place of an element of C, (*batch, M, N), in C laid out in a row."""
    return int(np.ravel_multi_index(index, (*problem.batch, problem.m, problem.n)))


def error_facts(finding: Finding) -> ErrorFacts:
    """Turn a finding into the part of a record that reports are made from."""

    def text(value: object) -> str | None:
        return None if value is None else str(value)

    return ErrorFacts(
        share=finding.share,
        ulp=finding.ulp,
        relative=finding.relative,
        frobenius=finding.frobenius,
        bias=finding.bias,
        wrong=finding.wrong,
        total=finding.total,
        worst=tuple(finding.worst or ()),
        got=text(finding.got_value),
        expected=text(finding.expected_value),
        pattern=finding.pattern,
        cause=finding.cause,
        message=finding.detail,
    )
