"""Which worker runs a case: one a setting, kept alive, replaced when it is no longer trusted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Final, Self

import numpy as np

from pytest_applegpu.forms.flaws.flaw import Call
from pytest_applegpu.operations.ways import Way
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.process import Message, Process
from pytest_applegpu.worker.requests import (
    Answer,
    Refusal,
    place_call,
    place_operands,
    place_way,
    read_answer,
)

START_LIMIT: Final = 120.0
"""Seconds a worker may take to import MLX and find its device."""

ALIVE: Final = 3
"""Workers kept: the active one and at most two beside it."""


class Pool:
    """Workers of one interpreter and backend, by setting.

    Use it as a context manager, or call `close`: nothing stays alive after that.
    """

    def __init__(self, python: str, backend: str, environment: Mapping[str, str]) -> None:
        """Start nothing yet."""
        self.python, self.backend = python, backend
        self.own: str | None = None
        """The GPU's own architecture, once it is known."""
        self.hear: Callable[[Problem, Answer], None] | None = None
        """Is told of each product that comes, where somebody wants to know."""
        self._environment = environment
        self._workers: OrderedDict[Setting, Process] = OrderedDict()

    def worker(self, setting: Setting) -> Process:
        """Return the worker of `setting`, started if need be.

        Raises:
            WorkerError: it cannot be started.
        """
        found = self._workers.get(setting)
        if found is None:
            while len(self._workers) >= ALIVE:
                self._workers.popitem(last=False)[1].end()
            environment = setting.environment(self._environment, self.own)
            found = Process(self.python, self.backend, environment, START_LIMIT)
            self._workers[setting] = found
        self._workers.move_to_end(setting)
        return found

    def hello(self, setting: Setting) -> Message:
        """Return what the worker of `setting` found when it started."""
        return self.worker(setting).hello

    def multiply(
        self,
        problem: Problem,
        setting: Setting,
        operands: Sequence[np.ndarray],
        *,
        repeat: int = 1,
        limit: float,
        guard: float = np.nan,
    ) -> Answer | Refusal:
        """Run `problem` on its logical operands, `repeat` times, within `limit` seconds.

        `guard` lies round every view of an operand.

        Raises:
            Crashed, TimedOut: how the worker ended; the next call gets a fresh one.
            OSError: the operands do not fit into shared memory.
        """
        worker = self.worker(setting)
        request = place_operands(problem, operands, worker.arena, guard)
        request |= {"do": "multiply", "repeat": repeat}
        return self._told(problem, self.ask(setting, request, limit), worker)

    def transform(
        self, problem: Problem, setting: Setting, way: Way, *, limit: float
    ) -> Answer | Refusal:
        """Call `problem` in another way: its answer's `parts` are what the way says.

        Raises:
            Crashed, TimedOut: how the worker ended; the next call gets a fresh one.
            OSError: the operands do not fit into shared memory.
        """
        worker = self.worker(setting)
        request = place_way(problem, way, worker.arena) | {"do": "transform"}
        return self._told(problem, self.ask(setting, request, limit), worker)

    def _told(
        self, problem: Problem, answer: Message | Refusal, worker: Process
    ) -> Answer | Refusal:
        if isinstance(answer, Refusal):
            return answer
        found = read_answer(answer, worker.arena)
        if self.hear is not None:
            self.hear(problem, found)
        return found

    def attempt(self, call: Call, setting: Setting, *, limit: float) -> Answer | Refusal:
        """Make any call, which MLX may be due to refuse, within `limit` seconds.

        Raises:
            Crashed, TimedOut: how the worker ended; the next call gets a fresh one.
            OSError: the operands do not fit into shared memory.
        """
        worker = self.worker(setting)
        request = place_call(call, worker.arena) | {"do": "multiply", "repeat": 1}
        answer = self.ask(setting, request, limit)
        return answer if isinstance(answer, Refusal) else read_answer(answer, worker.arena)

    def prepare(
        self,
        problem: Problem,
        setting: Setting,
        operands: Sequence[np.ndarray],
        *,
        copies: int,
        limit: float,
    ) -> Message | Refusal:
        """Make the worker hold `copies` sets of operands, to be timed in turn."""
        request = place_operands(problem, operands, self.worker(setting).arena)
        return self.ask(setting, request | {"do": "prepare", "copies": copies}, limit)

    def time(
        self, setting: Setting, counts: list[int], *, piece: int, limit: float
    ) -> list[float] | Refusal:
        """Return the wall seconds that a submission of each count of operations took.

        Operations are handed to MLX in pieces of `piece`.
        """
        answer = self.ask(setting, {"do": "time", "counts": counts, "piece": piece}, limit)
        return answer if isinstance(answer, Refusal) else [float(s) for s in answer["seconds"]]

    def ask(self, setting: Setting, request: Message, limit: float) -> Message | Refusal:
        """Send one request; whatever spoils the worker takes it out of the pool.

        Raises:
            Crashed, TimedOut: how the worker ended.
        """
        worker = self.worker(setting)
        try:
            answer = worker.ask(request, limit)
        except BaseException:
            self.replace(setting)
            raise
        if "error" not in answer:
            return answer
        if answer["sticky"]:
            self.replace(setting)
        return Refusal(answer["error"], answer["type"], answer["sticky"], answer["late"])

    def replace(self, setting: Setting) -> None:
        """End the worker of `setting`; the next call that needs one starts it afresh."""
        if setting in self._workers:
            self._workers.pop(setting).end()

    def close(self) -> None:
        """End every worker."""
        while self._workers:
            self._workers.popitem()[1].end()

    def __enter__(self) -> Self:
        """Return the pool itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every worker."""
        self.close()
