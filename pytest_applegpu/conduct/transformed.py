"""How is a call compared with the same one, made through a transform of MLX's?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.pulling import Pull
from pytest_applegpu.numerics.compare import compare_exact, misshapen
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, widen
from pytest_applegpu.numerics.twins import compare_twins
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.ways import Way, call_of, gradients_of, maps_of, others, own
from pytest_applegpu.worker.process import Crashed
from pytest_applegpu.worker.requests import Answer, Refusal

Make = Callable[[Way], Answer | Refusal]
"""Makes a call in another way; errors of the worker pass through."""

Judge = Callable[[Case, Drawn, Array], Finding]
"""Judges what a call gave by itself."""

Look = Callable[[Way, tuple[Array, ...]], Finding]
"""Says what the arrays that a way gave show."""

LACKING: Final = "unsupported"
"""The verdict where MLX says that it has no such transform."""


_ORDER: Final = (
    *("exact", "within", "creeping"),
    *("no proof", LACKING, "raised", "misshapen", "over"),
)
"""Verdicts, the worst last."""


@dataclass(frozen=True, slots=True)
class Transformed:
    """A case whose call was right, to be made in other ways.

    Attributes:
        case: what is checked.
        bench: what it runs on.
        drawn: its operands.
        first: what the plain call gave.
        make: makes a call in another way.
        judge: judges a result by itself.
        lacks: tells whether a refusal names what MLX lacks.
    """

    case: Case
    bench: Bench
    drawn: Drawn
    first: Array
    make: Make
    judge: Judge
    lacks: Callable[[Refusal], bool]

    def compare(self) -> Finding:
        """Return what the worst of all ways shows; what each shows stands in the detail.

        A wrong result comes before an error, and that before a way that MLX lacks.
        """
        found = [(way.name, self._one(way, look)) for way, look in self._ways()]
        if not found:
            return Finding("no proof", detail="there is no other way to make this call")
        name, worst = max(found, key=lambda one: _rank(one[1]))
        if worst.passed:
            return replace(worst, detail=_shortened([each for each, _ in found]))
        if worst.verdict == LACKING:
            return worst
        if worst.verdict != "raised":
            # What was written elsewhere than it should be spoils what is there.
            self.bench.pool.replace(self.case.setting)
        return replace(worst, detail=f"{name}: {worst.detail or worst.verdict}")

    def _one(self, way: Way, look: Look) -> Finding:
        try:
            answer = self.make(way)
        except Crashed as end:
            raise Crashed(end.how, f"{way.name}: {end.said}") from end
        if isinstance(answer, Refusal):
            return Finding(LACKING if self.lacks(answer) else "raised", detail=answer.text)
        if answer.changed:
            spoilt = f"the call changed its operand {' and '.join(answer.changed)} in place"
            return Finding("over", cause=spoilt, detail=spoilt)
        return look(way, answer.parts)

    def _ways(self) -> Iterator[tuple[Way, Look]]:
        case, drawn = self.case, self.drawn
        if case.check == "gradient":
            pull = Pull(case, self.bench, drawn)
            for way in gradients_of(case.problem, drawn, pull.cotangent):
                yield way, lambda way, parts: self._pulled(pull, way, parts)
        elif case.check == "vmap":
            yield from ((way, self._mapped) for way in maps_of(case.problem, drawn))
        else:
            yield from self._calls()

    def _pulled(self, pull: Pull, way: Way, parts: tuple[Array, ...]) -> Finding:
        """Look at the result that comes with gradients, and at each of them."""
        forward = self.judge(self.case, self.drawn, parts[0])
        if not forward.passed:
            return replace(forward, detail=_about("the result", forward))
        found = [pull.judge(*pair) for pair in zip(way.operands, parts[1:], strict=True)]
        for name, one in zip(way.operands, found, strict=True):
            if not one.passed:
                return replace(one, detail=_about(f"that of {name}", one))
        return replace(max(found, key=_rank), detail=None)

    def _mapped(self, _: Way, parts: tuple[Array, ...]) -> Finding:
        """Hold the result of all calls in one to that of each by itself."""
        together, *apart = parts
        problem, dtype = self.case.problem, self.case.problem.dtype
        shape = (len(apart), *problem.shape_c)
        fault = misshapen(together, shape, dtype)
        if fault:
            return Finding("misshapen", detail=fault)
        expected = widen(np.stack(apart)).reshape(len(apart), *problem.grid)
        comparison = compare_exact(together.reshape(expected.shape), expected, dtype)
        if comparison.finding.passed:
            return comparison.finding
        finding = comparison.finding.located(comparison.wrong)
        said = f"{finding.wrong} of {finding.total} elements differ from calls one by one"
        return replace(finding, detail=said)

    def _calls(self) -> Iterator[tuple[Way, Look]]:
        """Yield the ways of a call that is compiled or exported, and what is to be seen of them."""
        case = self.case
        sizes = [(case.problem, "")] if case.check == "compiled" else others(case.problem)
        for problem, at in sizes:
            other = replace(case, problem=problem)
            drawn = self._other(other)
            given = own(problem, drawn)
            way = call_of(case.check, case.problem, self.drawn, given, at)
            yield way, self._looking(other, drawn)

    def _other(self, other: Case) -> Drawn:
        """Draw other numbers than the case's own."""
        bits = self.bench.arithmetic(other.problem, other.setting).operand_bits
        return draw(other.problem, other.fill, bits, self.bench.random(other, "other data"))

    def _looking(self, other: Case, drawn: Drawn) -> Look:
        return lambda _, parts: self._again(other, drawn, parts)

    def _again(self, other: Case, drawn: Drawn, parts: tuple[Array, ...]) -> Finding:
        """Look at a result of the case's own size, then at one of `other`."""
        found = self.judge(self.case, self.drawn, parts[0])
        if not found.passed:
            return replace(found, detail=_about("the result", found))
        there = self.judge(other, drawn, parts[1])
        if not there.passed and there.verdict != "no proof":
            return replace(there, detail=_about(f"the result of {other.problem}", there))
        if self.bench.routes.taken(self.case.problem, self.case.setting) is None:
            return found
        # The same kernels run, whoever asked for them.
        nothing = np.zeros(self.case.problem.grid)
        one, two = (x.reshape(self.case.problem.grid) for x in (self.first, parts[0]))
        return compare_twins(one, two, nothing, self.case.problem.dtype)


def _about(what: str, finding: Finding) -> str:
    said = finding.detail or f"{finding.wrong} of {finding.total} elements are wrong"
    return f"{what}: {said}"


def _rank(finding: Finding) -> tuple[int, float]:
    return _ORDER.index(finding.verdict), finding.share or 0.0


def _shortened(said: list[str]) -> str:
    """Return what was said, of many ways alike how many there were."""
    few = 4
    rest = [f"and {len(said) - few} more"] if len(said) > few else []
    return "; ".join([*said[:few], *rest])
