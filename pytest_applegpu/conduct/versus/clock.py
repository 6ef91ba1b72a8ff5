"""How is a case timed on two sides? Both workers held ready, and asked in turn: A B B A."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.speed import COOL, COPIES, MOST, Ended, held, piece
from pytest_applegpu.conduct.versus.sides import Sides
from pytest_applegpu.operations.drawn import Operands
from pytest_applegpu.throughput.abba import Round, beginners, read_round, rounds_within, turns
from pytest_applegpu.throughput.duel import Duel, confirm, judge
from pytest_applegpu.throughput.paired import Paired, paired
from pytest_applegpu.throughput.plan import next_count
from pytest_applegpu.throughput.roofline import rates, sound
from pytest_applegpu.throughput.slope import Unsound
from pytest_applegpu.worker.requests import Refusal
from pytest_applegpu.worker.turns import alone

TARGET: Final = {"cpu": 0.001, "metal": 0.02, "cuda": 0.02}
"""Seconds that a submission should take at the least: many times what submitting it takes, and on
a GPU long enough for its clock to stay up."""

BUDGET: Final = {"cpu": 20.0, "metal": 8.0, "cuda": 8.0}
"""Seconds that all rounds of a case may take, unless their number is asked for."""

ROUNDS: Final = 200
"""Rounds of a case where they fit into the budget."""

LEAST: Final = 40
"""Rounds to take whatever they cost."""

TIMES: Final = 3
"""How many times as many rounds are taken at the most, where fewer leave a case `unstable`."""

WARM: Final = 6
"""Rounds that come first and are not counted."""

T = TypeVar("T")


class _Stopped(Exception):  # noqa: N818 - it is no error of ours
    """One side gave no time."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended = ended


@dataclass
class _Worker:
    """One side of a case: what it does not answer ends the measurement, in that side's name.

    `name` is the other side's; this one has none.
    """

    case: Case
    bench: Bench
    name: str = ""

    def ask(self, question: Callable[[], T | Refusal]) -> T:
        """Return the answer.

        Raises:
            _Stopped: there is none.
        """
        try:
            answer = question()
        except ENDINGS as end:
            raise _Stopped(self._ended(*ending(end, self.bench.limit(self.case)))) from None
        if isinstance(answer, Refusal):
            raise _Stopped(self._ended("raised", answer.text))
        return answer

    def _ended(self, word: str, said: str) -> Ended:
        """This side's failure is the case's; the other's leaves nothing to compare with."""
        return (
            Ended("not comparable", f"{self.name}: {word}: {said}")
            if self.name
            else Ended(word, said)
        )

    def time(self, counts: list[int], at_once: int) -> list[float]:
        """Return the seconds of a submission of each count of operations."""
        setting, pool = self.case.setting, self.bench.pool
        limit = self.bench.limit(self.case, sum(counts))
        return self.ask(lambda: pool.time(setting, counts, piece=at_once, limit=limit))


def conduct(case: Case, sides: Sides, sleep: Callable[[float], None] = time.sleep) -> Duel | Ended:
    """Time a case on both builds; a suspected change is measured again by fresh workers."""
    first = once(case, sides)
    if isinstance(first, Ended) or not first.suspected:
        return first
    sides.this.pool.replace(case.setting)
    sides.other.pool.replace(sides.theirs(case).setting)
    sleep(COOL[sides.this.backend])
    second = once(case, sides, 1)
    return second if isinstance(second, Ended) else confirm(first, second)


def once(case: Case, sides: Sides, attempt: int = 0) -> Duel | Ended:
    """Time a case on both sides, with the workers that are there."""
    gap = sides.this.gap(case.problem) or sides.this.no_room(case)
    if gap is not None:
        return Ended("unsupported", gap)
    try:
        with alone(sides.this.backend):
            return _believed(case, sides, _measured(case, sides, attempt))
    except _Stopped as stopped:
        return stopped.ended


def _believed(case: Case, sides: Sides, found: Duel | Unsound) -> Duel | Ended:
    """Refuse what cannot be: a clock that went wrong, or a time that the hardware cannot reach."""
    if isinstance(found, Unsound):
        return Ended("unstable", found.reason)
    both = (case, found.found.seconds), (sides.theirs(case), found.found.other_seconds)
    for one, seconds in both:
        tflops = rates(case.problem.flops, case.problem.bytes, seconds).tflops
        doubt = sound(tflops, sides.this.peak_tflops(one))
        if doubt is not None:
            return Ended("unstable", doubt.reason)
    return found


def _measured(case: Case, sides: Sides, attempt: int) -> Duel | Unsound:
    """Take rounds of A B B A of one case, and more where they leave it undecided.

    Raises:
        _Stopped: one side gave no time.
    """
    this = _Worker(case, sides.this)
    other = _Worker(sides.theirs(case), sides.other, sides.name)
    _hold(case, sides, (this, other))
    count, seconds = _count(this)
    at_once = piece(case, sides.this, seconds / count)
    other.time([1, 1, count, count], at_once)
    random = sides.this.random(case, f"rounds {attempt}")
    wanted = _rounds(sides.this, seconds)
    taken: list[Round] = []
    warm, found = WARM, None
    for _ in range(TIMES):
        begun = beginners(warm + wanted, random)
        taken += [_round(begins, this, other, count, at_once) for begins in begun][warm:]
        warm, found = 0, _said(paired(count, taken), sides)
        if isinstance(found, Unsound) or found.word != "unstable":
            break
    for one in (this, other):
        _release(one)
    assert found is not None
    return found


def _release(one: _Worker) -> None:
    setting, pool = one.case.setting, one.bench.pool
    one.ask(lambda: pool.ask(setting, {"do": "release"}, 60.0))


def _said(found: Paired | Unsound, sides: Sides) -> Duel | Unsound:
    return found if isinstance(found, Unsound) else judge(found, max(1, sides.run.timed))


def _hold(case: Case, sides: Sides, workers: tuple[_Worker, _Worker]) -> None:
    """Give both sides the same operands, in as many copies."""
    bench = sides.this
    operands = bench.operands(case, bench.arithmetic(case.problem, case.setting))
    size = max(sum(one.nbytes for one in operands), 1)
    copies = max(1, min(COPIES, held(bench) // (len(workers) * size)))
    limit = bench.limit(case, copies)
    for one in workers:
        _prepare(one, operands, copies, limit)


def _prepare(one: _Worker, operands: Operands, copies: int, limit: float) -> None:
    case, pool = one.case, one.bench.pool
    one.ask(lambda: pool.prepare(case.problem, case.setting, operands, copies=copies, limit=limit))


def _count(this: _Worker) -> tuple[int, float]:
    """Return a count of operations whose submission takes long enough, and its seconds."""
    count, seconds = 1, min(this.time([1, 1, 1], 1)[-2:])
    target = TARGET[this.bench.backend]
    while (more := next_count(count, seconds, target, MOST)) is not None:
        at_once = piece(this.case, this.bench, seconds / count)
        count, seconds = more, min(this.time([more, more], at_once))
    return count, max(seconds, 1e-6)


def _rounds(bench: Bench, seconds: float) -> int:
    asked = bench.config.rounds
    if asked is not None:
        return asked
    return rounds_within(seconds, BUDGET[bench.backend], least=LEAST, most=ROUNDS)


def _round(begins: bool, this: _Worker, other: _Worker, count: int, at_once: int) -> Round:
    taken: list[float] = []
    for side, submissions in turns(begins):
        taken += (this if side else other).time([count] * submissions, at_once)
    one, two, three, four = taken
    return read_round(begins, (one, two, three, four))
