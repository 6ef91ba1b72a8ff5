"""How a throughput case is conducted: prepare, find the count, measure, compare, measure again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from pytest_applegpu.baselines.compare import Comparison, Frame, compare_speed
from pytest_applegpu.baselines.records import Run
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.expected import nax_missed
from pytest_applegpu.device.condition import Condition, unfit
from pytest_applegpu.throughput.plan import next_count, pairs_within, piece_of, rounds
from pytest_applegpu.throughput.roofline import rates, sound
from pytest_applegpu.throughput.slope import METHOD, Timing, Unsound, timing
from pytest_applegpu.worker.requests import Refusal
from pytest_applegpu.worker.turns import alone

TARGET: Final = {"cpu": 0.008, "metal": 0.12, "cuda": 0.12}
"""Seconds that a submission of n operations should take at the least. A GPU's clock moves within
milliseconds of load, so there it has to be long; 2n must stay well below half a second, since
macOS ends longer ones."""

BUDGET: Final = {"cpu": 0.4, "metal": 2.5, "cuda": 2.5}
"""Seconds that all pairs of a case should take together."""

LEAST: Final = {"cpu": 16, "metal": 8, "cuda": 8}
"""Pairs to take whatever they cost: on a CPU other work disturbs runs of eight pairs and more."""

COPIES: Final = 4
"""Sets of operands that take turns, so that none is found in a cache it was just left in."""

MOST: Final = 50_000
"""Operations that a submission of n may hold."""

PIECE: Final = 32
"""Operations handed over at once at the most: enough to keep a device busy meanwhile."""

PIECE_SECONDS: Final = 2e-3
"""Seconds that a piece should take. Between pieces MLX's CUDA backend lets the device wait, for
some 0.02 ms as seen on an H200. Within a piece MLX lets operations overlap, as they do not depend
on one another, which makes large products look up to 5 % faster than their kernels are."""

COOL: Final = {"cpu": 0.0, "metal": 10.0, "cuda": 5.0}
"""Seconds to wait before a suspected slowdown is measured again, for the heat to leave."""

IN_FLIGHT: Final = 12
"""Pieces that MLX lets be under way at once, and some more."""

_HELD: Final = 1 << 30
"""Bytes that operands, and the results in flight, may hold each, where memory is the host's or
its size is not known; on a GPU it is an eighth of the memory."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A measurement that came to nothing: a verdict's word, and what was said."""

    verdict: str
    message: str


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement, what it was compared with, and the condition it was made in.

    `missed` says that NAX was expected and the speed is SIMD-class; empty where it is not so.
    """

    timing: Timing
    comparison: Comparison
    peak_tflops: float | None
    peak_gbs: float | None
    condition: Condition
    missed: str = ""


def conduct(
    case: Case,
    bench: Bench,
    shelf: Shelf,
    run: Run,
    *,
    timed: int = 1,
    sleep: Callable[[float], None] = time.sleep,
) -> Measured | Ended:
    """Time one of `timed` cases and compare it; a suspected slowdown is measured again.

    That is done in a fresh worker, after a pause to cool.
    """
    taken: list[Timing] = []
    comparing = _Comparing(case, bench, shelf, run, timed)
    found = comparing.measured(taken)
    while not isinstance(found, Ended) and _again(found, taken):
        missed = found.missed
        bench.pool.replace(case.setting)
        sleep(COOL[bench.backend])
        found = comparing.measured(taken)
        # Not of one measurement alone: another program may have had the GPU.
        if not isinstance(found, Ended) and not missed:
            found = replace(found, missed="")
    return found


def _again(found: Measured, taken: list[Timing]) -> bool:
    return found.comparison.suspected or bool(found.missed and len(taken) == 1)


@dataclass(frozen=True, slots=True)
class _Comparing:
    case: Case
    bench: Bench
    shelf: Shelf
    run: Run
    timed: int

    def measured(self, taken: list[Timing]) -> Measured | Ended:
        """Measure the case, add that to what was `taken`, and judge all of it together."""
        case, bench = self.case, self.bench
        before = bench.condition()
        timed = measure(case, bench)
        if isinstance(timed, Ended):
            return timed
        taken.append(timed)
        after = bench.condition()
        missed = nax_missed(case, bench, self._tflops(timed)) or ""
        middle = sorted(taken, key=lambda one: one.seconds)[(len(taken) - 1) // 2]
        compared = self._compared(taken, (before, after))
        peak = bench.peak_tflops(case)
        return Measured(middle, compared, peak, bench.bandwidth_gbs, after, missed)

    def _compared(self, taken: list[Timing], conditions: tuple[Condition, ...]) -> Comparison:
        reasons = tuple(dict.fromkeys(one for state in conditions for one in unfit(state)))
        past, frame = self.shelf.speed(str(self.case)), Frame(self.bench.backend, self.timed)
        return compare_speed(taken, METHOD, self.run, past, reasons, frame=frame)

    def _tflops(self, timed: Timing) -> float:
        return rates(self.case.problem.flops, self.case.problem.bytes, timed.seconds).tflops


def measure(case: Case, bench: Bench) -> Timing | Ended:
    """Time one case in its worker, alone on this machine's device."""
    if bench.backend == "emulated":
        return Ended("unsupported", "an emulated device's times mean nothing")
    gap = bench.gap(case.problem) or bench.no_room(case)
    if gap is not None:
        return Ended("unsupported", gap)
    try:
        with alone(bench.backend):
            return _believed(case, bench, _measured(case, bench))
    except ENDINGS as end:
        return Ended(*ending(end, bench.limit(case)))


def _believed(case: Case, bench: Bench, timed: Timing | Unsound | Ended) -> Timing | Ended:
    """Refuse what cannot be: an operation hidden by noise, or one faster than the hardware."""
    if isinstance(timed, Timing):
        tflops = rates(case.problem.flops, case.problem.bytes, timed.seconds).tflops
        doubt = sound(tflops, bench.peak_tflops(case))
        return timed if doubt is None else Ended("unstable", doubt.reason)
    return Ended("unstable", timed.reason) if isinstance(timed, Unsound) else timed


def _measured(case: Case, bench: Bench) -> Timing | Unsound | Ended:
    operands = bench.operands(case, bench.arithmetic(case.problem, case.setting))
    copies = max(1, min(COPIES, held(bench) // max(sum(operand.nbytes for operand in operands), 1)))
    limit = bench.limit(case, copies)
    ready = bench.pool.prepare(case.problem, case.setting, operands, copies=copies, limit=limit)
    if isinstance(ready, Refusal):
        return Ended("raised", ready.text)
    taken = _submissions(case, bench)
    if isinstance(taken, Refusal):
        return Ended("raised", taken.text)
    bench.pool.ask(case.setting, {"do": "release"}, bench.config.timeout)
    return timing(*taken)


def _submissions(case: Case, bench: Bench) -> tuple[list[int], list[float]] | Refusal:
    """Warm up, grow the count until a submission is long enough, then take pairs of n and 2n."""
    backend = bench.backend
    grown = _grown(case, bench)
    if isinstance(grown, Refusal):
        return grown
    n, seconds = grown
    at_once = piece(case, bench, seconds / n)
    pairs = pairs_within(max(seconds, 1e-6), BUDGET[backend], least=LEAST[backend])
    counts = rounds(n, pairs)
    taken = _time(case, bench, counts, at_once)
    return taken if isinstance(taken, Refusal) else (counts, taken)


def _grown(case: Case, bench: Bench) -> tuple[int, float] | Refusal:
    """Return a count of operations that takes long enough, and the seconds it took."""
    # The first submission of a size also pays for kernels that are loaded, or compiled, at first
    # use, and for memory that has not been asked for before.
    taken = _time(case, bench, [1, 1, 1], 1)
    count: int | None = 1
    n, seconds = 1, 0.0
    while count is not None:
        if isinstance(taken, Refusal):
            return taken
        n, seconds = count, min(taken[-2:])
        count = next_count(n, seconds, TARGET[bench.backend], MOST)
        if count is not None:
            taken = _time(case, bench, [count, count], piece(case, bench, seconds / n))
    return n, seconds


def _time(case: Case, bench: Bench, counts: list[int], piece: int) -> list[float] | Refusal:
    limit = bench.limit(case, sum(counts))
    return bench.pool.time(case.setting, counts, piece=piece, limit=limit)


def piece(case: Case, bench: Bench, seconds: float) -> int:
    """Return how many operations of `seconds` each to hand over at once.

    No more than take `PIECE_SECONDS`, and no more than leave room for the results in flight.
    """
    result = prod(case.problem.shape_c) * case.problem.dtype.itemsize
    room = held(bench) // max(IN_FLIGHT * result, 1)
    return piece_of(seconds, PIECE_SECONDS, max(1, min(PIECE, room)))


def held(bench: Bench) -> int:
    """Return the bytes that operands, and the results in flight, may hold each."""
    memory = bench.device.memory_bytes.value
    return _HELD if memory is None or bench.backend == "cpu" else memory // 8
