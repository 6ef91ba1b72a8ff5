"""What is a gradient held to? To what its definition gives, from a cotangent drawn here."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.numerics.attention import Attention
from pytest_applegpu.numerics.attention_gradient import AttentionGradient
from pytest_applegpu.numerics.draws import nonzero
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.pulled import Pulled, allowance, judge_pulled
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.gradients import pulled, step_of
from pytest_applegpu.operations.ways import handed


class Pull:
    """The gradients of one case."""

    def __init__(self, case: Case, bench: Bench, drawn: Drawn) -> None:
        """Draw the cotangent."""
        self.case, self.drawn = case, drawn
        self.cotangent = _cotangent(case, bench.random(case, "cotangent"))
        self._arithmetic = bench.arithmetic(case.problem, case.setting)
        forms = case.problem.operands
        self._shapes = {one.name: handed(one) for one in forms}

    @cached_property
    def _held(self) -> dict[str, tuple[Pulled, Array]]:
        """What each gradient is, and how far off it may be."""
        if self.drawn.attention is not None:
            return self._of_attention(self.drawn.attention)
        problem, dtype = self.case.problem, self.case.problem.dtype
        exact = FILLS[self.case.fill].check == "exact"
        step = step_of(problem, self.drawn, self.cotangent) if exact else 0.0
        return {
            name: (one, allowance(one, dtype, self._arithmetic, step))
            for name, one in pulled(problem, self.drawn, self.cotangent).items()
        }

    def _of_attention(self, one: Attention) -> dict[str, tuple[Pulled, Array]]:
        gradient = AttentionGradient(one, widen(self.cotangent))
        allowed = gradient.allowed(self.case.problem.dtype, self._arithmetic)
        return {
            name: (Pulled(exact, np.abs(exact), 1), allowed[name])
            for name, exact in gradient.exact.items()
        }

    def judge(self, name: str, got: Array) -> Finding:
        """Hold the gradient of the operand `name` to what it should be."""
        held, allowed = self._held[name]
        return judge_pulled(got, held, allowed, self._shapes[name], self.case.problem.dtype)


def _cotangent(case: Case, rng: np.random.Generator) -> Array:
    """Draw small whole numbers without 0, of the result's own shape."""
    problem = case.problem
    top = 3 if problem.dtype.itemsize > 2 else 1
    drawn = nonzero(rng, problem.shape_c, top)
    if problem.dtype.is_complex:
        drawn = drawn + 1j * nonzero(rng, problem.shape_c, top)
    return drawn.astype(problem.dtype.numpy)
