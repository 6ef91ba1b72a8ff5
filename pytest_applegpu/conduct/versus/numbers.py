"""How is a numeric case conducted on two builds: both judged, and their bits compared?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct import numbers
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.numerics.bits import Bits, compare_bits
from pytest_applegpu.problem import Problem
from pytest_applegpu.worker.requests import Answer


@dataclass(frozen=True, slots=True)
class Both:
    """What each build's numbers are like, and whether the bits are the same, or why not asked."""

    this: Numbers
    other: Numbers
    bits: Bits | None
    note: str = ""


class _Ear:
    """Keeps the first answer about one problem: the one that was judged."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.answer: Answer | None = None

    def hear(self, problem: Problem, answer: Answer) -> None:
        if self.answer is None and problem == self.problem:
            self.answer = answer


def conduct(case: Case, sides: Sides) -> Both:
    """Run one numeric case on both builds, from the same data."""
    this, mine = _heard(case, sides.this)
    other, theirs = _heard(case, sides.other)
    if mine is None or theirs is None:
        return Both(this, other, None, "no result on either side to compare")
    problem, setting = case.problem, case.setting
    kept = {one.arithmetic(problem, setting).operand_bits for one in (sides.this, sides.other)}
    if len(kept) > 1:
        return Both(this, other, None, "the builds keep other bits of operands: other data")
    return Both(this, other, compare_bits(mine.parts, theirs.parts))


def _heard(case: Case, bench: Bench) -> tuple[Numbers, Answer | None]:
    ear = _Ear(case.problem)
    bench.arithmetic(case.problem, case.setting)  # asked first: it may multiply too
    bench.pool.hear = ear.hear
    try:
        return numbers.conduct(case, bench), ear.answer
    finally:
        bench.pool.hear = None
