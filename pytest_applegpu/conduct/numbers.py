"""How a numeric case is conducted: data, proof, product, judgement, and reasons where it failed."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Final

import numpy as np

from pytest_applegpu.cases.case import TWINS, Case
from pytest_applegpu.cases.plan import REPEATS
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.failures.beside import boundaries_beside
from pytest_applegpu.conduct.failures.matched import matched
from pytest_applegpu.conduct.metamorphic import compare
from pytest_applegpu.conduct.refusing import refusing
from pytest_applegpu.conduct.transformed import Transformed
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.repeat import check_repeat
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.ways import TRANSFORMS, Way
from pytest_applegpu.problem import Problem
from pytest_applegpu.report.records import BudgetFacts, ErrorFacts, ErrorMapFacts
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared

BEGAN_WRONG: Final = (
    "not repeatable: the first product of the worker was wrong, the same one right after"
)

_LACKING: Final = re.compile(
    r"has no \w+ implementation|\bNYI\b|not (yet )?implemented|not yet supported"
    r"|currently only supports|no implementation for|\b[1-68]-bit quantization is not supported",
    re.IGNORECASE,
)
"""How MLX says that a backend lacks a feature. Of seven bits there are no weights at all."""

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
    if case.flaw:
        return Numbers(*refusing(case, bench, lacks))
    if bench.began_wrong(case.setting):
        return Numbers("over", ErrorFacts(cause=BEGAN_WRONG))
    arithmetic = bench.arithmetic(case.problem, case.setting)
    try:
        return _judged(case, bench, arithmetic, bench.drawn(case, arithmetic))
    except ENDINGS as end:
        verdict, message = ending(end, bench.limit(case, _calls(case)))
        beside = boundaries_beside(case.problem, case.setting, bench.routes)
        return Numbers(verdict, ErrorFacts(message=message, matched=beside))


def _calls(case: Case) -> int:
    return REPEATS if case.check == "repeat" else 1


def _judged(case: Case, bench: Bench, arithmetic: Arithmetic, operands: Drawn) -> Numbers:
    answer = _multiply(case, bench, operands, _calls(case))
    if isinstance(answer, Refusal):
        return refused(answer)
    if answer.changed:
        spoilt = f"the call changed its operand {' and '.join(answer.changed)} in place"
        return Numbers("over", ErrorFacts(cause=spoilt))
    finding = found_in(case, bench, arithmetic, operands, answer)
    if finding.passed and case.check in TWINS:
        finding = _twins(case, bench, operands, answer)
    elif finding.passed and case.check in TRANSFORMS:
        return _told(_transformed(case, bench, arithmetic, operands, answer))
    elif finding.verdict == "over" and case.check != "repeat":
        fleeting = _fleeting(case, bench, arithmetic, operands)
        cause = fleeting or finding.cause or _outside(case, bench, operands, finding)
        finding = replace(finding, cause=cause)
    return Numbers(finding.verdict, error_facts(finding, _fitting(case, bench, finding)))


def _fitting(case: Case, bench: Bench, finding: Finding) -> tuple[str, ...]:
    """Return what of the route the places of the errors fit, where there are errors."""
    if finding.verdict not in {"over", "misshapen"}:
        return ()
    return matched(finding, case.problem, case.setting, bench.routes)


def _twins(case: Case, bench: Bench, operands: Drawn, answer: Answer) -> Finding:
    """Compare a right result with what the same product gives when it is made another way."""

    def multiply(other: Case, drawn: Drawn) -> Answer | Refusal:
        return _multiply(other, bench, drawn, 1)

    return compare(case, bench, operands, answer.results[0], multiply)


def _transformed(
    case: Case, bench: Bench, arithmetic: Arithmetic, operands: Drawn, answer: Answer
) -> Finding:
    """Compare a right result with what the same call gives through a transform of MLX's."""

    def make(way: Way) -> Answer | Refusal:
        limit = bench.limit(case, len(way.sets) + 1)
        with shared(bench.backend):
            return bench.pool.transform(case.problem, case.setting, way, limit=limit)

    def judged(other: Case, drawn: Drawn, result: np.ndarray) -> Finding:
        return found_in(other, bench, arithmetic, drawn, Answer((result,), ()))

    first = answer.results[0]
    return Transformed(case, bench, operands, first, make, judged, lacks).compare()


def _told(finding: Finding) -> Numbers:
    """Return the verdict on a transform: its arrays are not the result that a route makes."""
    return Numbers(finding.verdict, error_facts(finding))


def lacks(refusal: Refusal) -> bool:
    """Tell whether a refusal names what the backend lacks."""
    return refusal.type == "Missing" or _LACKING.search(refusal.text) is not None


def refused(refusal: Refusal) -> Numbers:
    """Tell a gap of the backend, which it names itself, from an error where a result is due."""
    verdict = "unsupported" if lacks(refusal) else "raised"
    return Numbers(verdict, ErrorFacts(message=refusal.text))


def _multiply(
    case: Case, bench: Bench, operands: Drawn, calls: int, guard: float = nan
) -> Answer | Refusal:
    limit = bench.limit(case, calls)
    with shared(bench.backend):
        return bench.pool.multiply(
            case.problem, case.setting, operands.sent, repeat=calls, limit=limit, guard=guard
        )


def found_in(
    case: Case, bench: Bench, arithmetic: Arithmetic, operands: Drawn, answer: Answer
) -> Finding:
    """Judge the first result and, where the calls were repeated, that all agree with it."""
    first = answer.results[0]
    if case.check == "repeat":
        stacks = [_stacked(result, case.problem) for result in answer.results]
        other = stacks[1] if len(stacks) > 1 else None
        agreed = check_repeat(answer.digests, stacks[0], other, case.problem.dtype)
        if not agreed.passed:
            return agreed
    if operands.judge is not None:
        return operands.judge.judge(answer.parts)
    if answer.more:
        count = len(answer.parts)
        return Finding("misshapen", detail=f"{count} arrays came of the call, not one")
    own = case.check in {"repeat", *TWINS, *TRANSFORMS}
    return judge(
        FILLS[case.fill].check if own else case.check,
        operands.A,
        operands.B,
        first,
        case.problem.dtype,
        arithmetic,
        bench.random(case, "projection"),
        shape=case.problem.shape_c,
        **operands.meaning,
    )


def _stacked(result: np.ndarray, problem: Problem) -> np.ndarray:
    """Return a result, if it is of its right shape, as (*batch, M, N): vectors lost an axis."""
    return result.reshape(problem.grid) if result.shape == problem.shape_c else result


def _fleeting(case: Case, bench: Bench, arithmetic: Arithmetic, operands: Drawn) -> str | None:
    """Make the call again: a fault that comes and goes is another one than one that stays."""
    try:
        answer = _multiply(case, bench, operands, AGAIN)
    except ENDINGS:
        return None
    if isinstance(answer, Refusal):
        return None
    first = found_in(case, bench, arithmetic, operands, answer)
    if first.passed:
        return f"not repeatable: the same call was right when it was made again ({AGAIN} calls)"
    if len(set(answer.digests)) > 1:
        return f"not repeatable: {AGAIN} more calls gave {len(set(answer.digests))} results"
    return None


def _outside(case: Case, bench: Bench, operands: Drawn, finding: Finding) -> str | None:
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
    return int(np.ravel_multi_index(index, problem.grid))


def error_facts(finding: Finding, fitting: tuple[str, ...] = ()) -> ErrorFacts:
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
        map=None if finding.map is None else ErrorMapFacts(**asdict(finding.map)),
        matched=fitting,
        cause=finding.cause,
        message=finding.detail,
        budget=_budget_facts(finding),
    )


def _budget_facts(finding: Finding) -> BudgetFacts | None:
    """Return what the bound of the worst element is made of, where there is one."""
    budget = finding.budget
    if budget is None:
        return None
    return BudgetFacts(
        operand=budget.operand,
        accumulate=budget.accumulate,
        output=budget.output,
        rest=budget.rest,
        model=budget.model,
        typical=finding.typical,
    )
