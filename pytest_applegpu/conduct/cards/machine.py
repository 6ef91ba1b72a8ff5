"""How does a worker multiply for a card's questions, and what came of it if it did not?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from pytest_applegpu.conduct.bench import PROBE_SLACK, Bench
from pytest_applegpu.conduct.endings import ENDINGS, ending
from pytest_applegpu.numerics.card.ask import UnansweredError
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.requests import Answer, Refusal
from pytest_applegpu.worker.turns import shared


@dataclass(slots=True)
class WorkerMachine:
    """The `Machine` of the questions, for one problem of any M.

    Attributes:
        failed: verdict and message of the first product that did not come.
        ended: the worker did not outlive a product; it is not asked again.
    """

    bench: Bench
    problem: Problem
    setting: Setting
    failed: tuple[str, str] | None = None
    ended: bool = False

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
        if self.ended and self.failed is not None:
            raise UnansweredError(f"not asked: {': '.join(self.failed)}")
        problem = replace(self.problem, m=a.shape[-2])
        limit = self.bench.config.timeout + PROBE_SLACK
        operands = _matrices(a, problem.shape_a), _matrices(b, problem.shape_b)
        try:
            with shared(self.bench.backend):
                answer = self.bench.pool.multiply(
                    problem, self.setting, operands, repeat=times, limit=limit
                )
        except ENDINGS as end:
            self.ended = True
            self._fail(problem, *ending(end, limit))
        if isinstance(answer, Refusal):
            self._fail(problem, "raised", answer.text)
        got = answer.results[0]
        if got.shape != problem.shape_c or got.dtype != problem.dtype.numpy:
            said = f"the result is {got.dtype} of shape {got.shape}"
            self._fail(problem, "misshapen", said)
        return answer

    def _fail(self, problem: Problem, verdict: str, message: str) -> NoReturn:
        said = f"{problem}: {message}"
        self.failed = self.failed or (verdict, said)
        raise UnansweredError(f"{verdict}: {said}") from None


def _matrices(equal: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return an operand of `shape` out of matrices that are all the same."""
    one = equal.reshape(-1, *equal.shape[-2:])[0]
    return np.broadcast_to(one, shape)
