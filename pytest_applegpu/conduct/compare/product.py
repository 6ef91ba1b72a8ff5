"""What did one product come to on both sides? Its numbers, its bits, its times, its routes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.shaped import AFFORDABLE
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.numbers import found_in
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.conduct.versus import clock
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.numerics.bits import Bits, compare_bits
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.throughput.paired import Paired
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared

NO_TIMES: Final = Ended("unsupported", "an emulated device's times mean nothing")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Both results of the same operands; None where one side gave none, or no reference was due.

    `errors` are the largest errors of both sides against float64, relative to the largest element
    of the product; `verdicts` are those that a conformance case would end with.
    """

    bits: Bits | None = None
    errors: tuple[float | None, float | None] = (None, None)
    verdicts: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Compared:
    """One product on both sides; `time` is the paired ratio (first side over second), or why not.

    `routes` are as predicted, empty where MLX's dispatch is not known here. `doubt` says why the
    time is unstable, where it is.
    """

    case: Case
    routes: tuple[str, str]
    numbers: Numbers
    time: Paired | Ended
    doubt: str = ""

    @property
    def paired(self) -> Paired | None:
        """The times, where there are any."""
        return self.time if isinstance(self.time, Paired) else None


def compare(case: Case, sides: Sides, names: tuple[str, str]) -> Compared:
    """Run one product on both sides: once for its numbers, in rounds of A B B A for its times."""
    bench = sides.this
    settings = (case.setting, sides.theirs(case).setting)
    taken = [bench.routes.taken(case.problem, one) for one in settings]
    first, second = (one.path if one else "" for one in taken)
    if gap := bench.gap(case.problem) or bench.no_room(case):
        return Compared(case, (first, second), Numbers(), Ended("unsupported", gap))
    found = _numbers(case, sides, names)
    if isinstance(found, Ended):
        return Compared(case, (first, second), Numbers(), found)
    timed = NO_TIMES if bench.backend == "emulated" else clock.once(case, sides)
    if isinstance(timed, Ended):
        return Compared(case, (first, second), found, _named(timed, names[0]))
    doubt = timed.reason if timed.word == "unstable" else ""
    return Compared(case, (first, second), found, timed.found, doubt)


def _named(ended: Ended, name: str) -> Ended:
    """Say which side it was that ended, where it was the first one."""
    if ended.verdict in {"unsupported", "unstable", "not comparable"}:
        return ended
    return replace(ended, message=f"{name}: {ended.message}")


def _numbers(case: Case, sides: Sides, names: tuple[str, str]) -> Numbers | Ended:
    """Multiply the same operands on both sides, and hold both results to a reference."""
    bench = sides.this
    judged = replace(case, check=FILLS[case.fill].check)
    affordable = cost(case.problem, bench.backend) <= AFFORDABLE
    # Drawn for all bits of the format, whatever a route keeps of them: both get the same numbers.
    drawn = bench.drawn(judged if affordable else case, promise(case.problem.dtype))
    answers, findings = [], []
    for one, name in zip((judged, sides.theirs(judged)), names, strict=True):
        answer = _answer(one, bench, drawn, name)
        if isinstance(answer, Ended):
            return answer
        answers.append(answer)
        findings.append(_finding(one, bench, drawn, answer) if affordable else None)
    first, second = findings
    bits = compare_bits(answers[0].parts, answers[1].parts)
    return Numbers(bits, (_error(first), _error(second)), (_verdict(first), _verdict(second)))


def _answer(case: Case, bench: Bench, drawn: Drawn, name: str) -> Answer | Ended:
    limit = bench.limit(case)
    try:
        with shared(bench.backend):
            answer = bench.pool.multiply(case.problem, case.setting, drawn.sent, limit=limit)
    except ENDINGS as end:
        word, said = ending(end, limit)
        return Ended(word, f"{name}: {said}")
    return Ended("raised", f"{name}: {answer.text}") if isinstance(answer, Refusal) else answer


def _finding(case: Case, bench: Bench, drawn: Drawn, answer: Answer) -> Finding:
    return found_in(case, bench, bench.arithmetic(case.problem, case.setting), drawn, answer)


def _error(found: Finding | None) -> float | None:
    return found.relative if found else None


def _verdict(found: Finding | None) -> str:
    return found.verdict if found else ""
