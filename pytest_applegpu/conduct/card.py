"""What is the feature card of this device? Every route asked, through the workers' `matmul`."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_applegpu.cases.case import Case
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.conduct.bench import PROBE_SLACK, Bench
from pytest_applegpu.conduct.card_routes import Asked, asked, known_by
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.conduct.start import refuse_forced
from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.card.ask import Ask, UnansweredError
from pytest_applegpu.numerics.card.cards import Card, Column
from pytest_applegpu.numerics.card.questions import features
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared


@dataclass(frozen=True, slots=True)
class Worker:
    """Multiplies in a worker: the `Machine` of the questions, for one problem of any M."""

    bench: Bench
    problem: Problem
    setting: Setting

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return A B.

        Raises:
            UnansweredError: MLX refused, or the worker ended; the text says which.
        """
        return self._answer(a, b, 1).results[0]

    def repeat(self, a: np.ndarray, b: np.ndarray, times: int) -> Sequence[Hashable]:
        """Return a digest of the result of each of `times` calls.

        Raises:
            UnansweredError: as `multiply`.
        """
        return self._answer(a, b, times).digests

    def _answer(self, a: np.ndarray, b: np.ndarray, times: int) -> Answer:
        problem = replace(self.problem, m=a.shape[-2])
        limit = self.bench.config.timeout + PROBE_SLACK
        try:
            with shared(self.bench.backend):
                answer = self.bench.pool.multiply(
                    problem, self.setting, (a, b), repeat=times, limit=limit
                )
        except ENDINGS as end:
            raise UnansweredError(f"{problem}: {': '.join(ending(end, limit))}") from None
        if isinstance(answer, Refusal):
            raise UnansweredError(f"{problem}: {answer.text}")
        got = answer.results[0]
        if got.shape != problem.shape_c or got.dtype != problem.dtype.numpy:
            said = f"{got.dtype} of shape {got.shape}"
            raise UnansweredError(f"{problem}: the result is {said}")
        return answer


def card(bench: Bench) -> Card:
    """Ask every route of every format, under every setting that the options name.

    Raises:
        pytest.UsageError: a setting forces an architecture that this GPU must not follow.
    """
    device = bench.device
    columns = tuple(_columns(bench))
    return Card(
        backend=bench.backend,
        device=str(device.name.value or device.architecture.value or "unknown device"),
        mlx=str(device.mlx_version.value or "unknown"),
        routes=known_by(bench.routes),
        columns=columns,
    )


def _columns(bench: Bench) -> Iterator[Column]:
    formats = bench.config.dtypes or backend_dtypes(bench.backend)
    chosen = [dtype for dtype in formats if dtype in backend_dtypes(bench.backend)]
    for setting in bench.config.settings:
        for dtype in chosen:
            for one in asked(bench.routes, dtype, setting):
                refuse_forced(bench, [Case(one.problem, "integer", "exact", setting)])
                yield _column(bench, one, dtype, setting)


def _column(bench: Bench, one: Asked, dtype: DType, setting: Setting) -> Column:
    problem = one.problem
    machine = Worker(bench, problem, setting)
    question = Ask(dtype, problem.m, problem.n, problem.k, problem.batch, machine)
    return Column(one.route, dtype.name, str(problem), str(setting), features(question))
