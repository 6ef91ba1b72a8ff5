"""What a transform gives is held to the plain call: the worst of all ways is told."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.numbers import lacks
from pytest_applegpu.conduct.transformed import Transformed
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.operations.ways import Way
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.process import Crashed
from pytest_applegpu.worker.requests import Answer, Refusal

Give = Callable[[Way], Answer | Refusal]


def one(text: str) -> Case:
    (case,) = parse_cases(text, [Setting("off")])
    return case


def drawn(case: Case) -> Drawn:
    dtype = case.problem.dtype
    return draw(case.problem, case.fill, dtype.significand, np.random.default_rng(0))


def product(given: Any) -> np.ndarray:
    a, b = given.arrays
    return np.asarray((a.astype(np.float64) @ b.astype(np.float64)).astype(a.dtype))


def right(way: Way) -> Answer:
    """Answer as a sound library does."""
    sets = way.sets
    if way.check == "gradient":
        (a, b), (g,) = (one.arrays for one in sets)
        pulled = {"a": g @ b.T, "b": a.T @ g}
        return answered(a @ b, *(pulled[name] for name in way.operands))
    if way.check == "vmap":
        axes = way.said["axes"]
        apart = [
            np.matmul(*(sets[turn if axis is not None else 0].arrays[place]
                        for place, axis in enumerate(axes)))
            for turn in range(len(sets))
        ]  # fmt: skip
        return answered(np.stack(apart), *apart)
    return answered(*map(product, sets))


def answered(*parts: np.ndarray) -> Answer:
    return Answer((parts[0],), (), (), parts[1:])


def found(case: Case, give: Give) -> tuple[Finding, list[Setting]]:
    """Return what is found of a library that answers as `give` does, and the workers replaced."""
    given = drawn(case)
    replaced: list[Setting] = []
    dtype = case.problem.dtype
    bench: Any = SimpleNamespace(
        arithmetic=lambda *_: promise(dtype),
        random=lambda *_: np.random.default_rng(3),
        routes=SimpleNamespace(taken=lambda *_: None),
        pool=SimpleNamespace(replace=replaced.append),
    )

    def judged(other: Case, own: Drawn, result: np.ndarray) -> Finding:
        rng = np.random.default_rng(0)
        return judge("exact", own.A, own.B, result, dtype, promise(dtype), rng)

    first = np.asarray(given.A @ given.B)
    return Transformed(case, bench, given, first, give, judged, lacks).compare(), replaced


CHECKS = ("gradient", "vmap", "compiled", "shapeless", "exported")


@pytest.mark.parametrize("check", CHECKS)
def test_what_is_right_passes(check: str) -> None:
    finding, replaced = found(one(f"matmul-f32-nn-4x6x5 fill=integer check={check}"), right)
    assert finding.verdict == "exact"
    assert replaced == []


@pytest.mark.parametrize("check", CHECKS)
def test_the_last_array_that_is_wrong_is_seen(check: str) -> None:
    def wrong(way: Way) -> Answer:
        parts = [part.copy() for part in right(way).parts]
        place = 0 if check == "vmap" else -1
        parts[place][..., -1, :] += 1
        return answered(*parts)

    finding, replaced = found(one(f"matmul-f32-nn-4x6x5 fill=integer check={check}"), wrong)
    assert finding.verdict == "over"
    assert finding.detail
    assert len(replaced) == 1  # who knows what else was written


@pytest.mark.parametrize("check", CHECKS)
def test_the_shape_has_to_be_right(check: str) -> None:
    def flat(way: Way) -> Answer:
        parts = right(way).parts
        return answered(parts[0].reshape(-1), *parts[1:])

    finding, _ = found(one(f"matmul-f32-nn-4x6x5 fill=integer check={check}"), flat)
    assert finding.verdict == "misshapen"


def test_a_gradient_has_its_operand_s_format() -> None:
    def wide(way: Way) -> Answer:
        first, *rest = right(way).parts
        return answered(first, *(part.astype(np.float64) for part in rest))

    finding, _ = found(one("matmul-f32-nn-4x6x5 fill=integer check=gradient"), wide)
    assert finding.verdict == "misshapen"


def test_a_wrong_way_comes_before_one_that_raises_and_that_before_one_that_is_lacking() -> None:
    case = one("matmul-f32-nn-4x6x5 fill=integer check=vmap")
    lacking = Refusal("ValueError: [Primitive::vmap] Not implemented for X.", "ValueError", False)
    raised = Refusal("ValueError: no", "ValueError", False)

    def wrong(way: Way) -> Answer:
        return answered(right(way).parts[0] + 1, *right(way).parts[1:])

    def by_operands(**said: Answer | Refusal | Give) -> Give:
        def give(way: Way) -> Answer | Refusal:
            chosen = said.get("_".join(way.operands), right)
            return chosen(way) if callable(chosen) else chosen

        return give

    verdicts = [
        found(case, by_operands(**said))[0].verdict
        for said in ({"a": lacking}, {"a": lacking, "b": raised}, {"b": raised, "a_b": wrong})
    ]
    assert verdicts == ["unsupported", "raised", "over"]


def test_a_crash_says_in_which_way() -> None:
    def crash(way: Way) -> Answer:
        raise Crashed("SIGSEGV", "")

    with pytest.raises(Crashed, match="exported without shapes at M = 2"):
        found(one("matmul-f32-nn-4x6x5 fill=integer check=exported"), crash)
