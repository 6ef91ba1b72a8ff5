"""A refusal is right where its error names what is wrong, and a result never is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.numbers import conduct
from pytest_applegpu.conduct.refusing import LATE, refusing, spoilt
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.process import Crashed, TimedOut
from pytest_applegpu.worker.requests import Answer, Refusal

TEXT = "matmul-f32-nn-4x5x6 flaw=inner check=refusal tf32=on"


class Stand:
    """What conducting a refusal needs, without a worker: `given` is what comes of the call."""

    backend = "stand-in"

    def __init__(self, given: Any) -> None:
        self.given = given
        self.pool = self
        self.calls: list[Any] = []

    def gap(self, _: Any) -> None:
        return None

    def no_room(self, _: Case) -> None:
        return None

    def limit(self, _: Case) -> float:
        return 3.0

    def arithmetic(self, problem: Any, _: Setting) -> Any:
        return promise(problem.dtype)

    def drawn(self, case: Case, arithmetic: Any) -> Any:
        rng = np.random.default_rng(0)
        return draw(case.problem, "integer", arithmetic.operand_bits, rng)

    def attempt(self, call: Any, _: Setting, *, limit: float) -> Any:
        assert limit > 0
        self.calls.append(call)
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


def one(text: str = TEXT) -> Case:
    (case,) = parse_cases(text, [Setting("on")])
    return case


def judged(given: Any, *, lacking: bool = False) -> tuple[str, str]:
    """Return the verdict on what came of a call, and its message."""
    verdict, error = refusing(one(), Stand(given), lambda _: lacking)  # type: ignore[arg-type]
    return verdict, error.message or ""


def refusal(text: str, *, late: bool = False) -> Refusal:
    return Refusal(text, text.partition(":")[0], sticky=False, late=late)


@pytest.mark.parametrize(
    ("given", "lacking", "verdict"),
    [
        ("ValueError: [matmul] Last dimension must match", False, "refused"),
        ("ValueError: [matmul] Last dimension must match", True, "refused"),
        ("RuntimeError: bad SHAPE", False, "refused"),
        ("RuntimeError: no kernel matmul_x", False, "raised"),
        ("ValueError: ", False, "raised"),
        ("RuntimeError: not yet implemented", True, "unsupported"),
        ("ValueError: [qqmm] Only supported on GPU", False, "unsupported"),
        ("TypeError: f(): incompatible function arguments. shape", False, "unsupported"),
    ],
)
def test_an_error_is_judged_by_what_it_names(given: str, lacking: bool, verdict: str) -> None:
    found, message = judged(refusal(given), lacking=lacking)
    assert found == verdict
    assert given in message


def test_the_name_of_an_errors_kind_says_nothing_of_formats() -> None:
    case = one("matmul-f32-nn-4x5x6 flaw=integers check=refusal")
    stand: Any = Stand(refusal("TypeError: that is wrong"))
    assert refusing(case, stand, lambda _: False)[0] == "raised"


def test_an_error_that_came_late_is_one_and_is_said_to_be_late() -> None:
    verdict, message = judged(refusal("RuntimeError: bad shape", late=True))
    assert verdict == "refused"
    assert message == f"{LATE}: RuntimeError: bad shape"


def test_a_result_is_accepted_and_told_by_shape_and_format() -> None:
    stand: Any = Stand(Answer((np.zeros((4, 5), np.float32),), ("same",)))
    verdict, error = refusing(one(), stand, lambda _: False)
    assert verdict == "accepted"
    assert error.got == "a result of shape (4, 5) in float32"
    assert "K of the second" in (error.message or "")


@pytest.mark.parametrize(
    ("end", "verdict"), [(Crashed("SIGFPE", ""), "crashed"), (TimedOut(), "timed out")]
)
def test_an_ending_is_none(end: BaseException, verdict: str) -> None:
    found, message = judged(end)
    assert found == verdict
    assert "an error is due" in message


def test_a_numeric_cases_conduct_knows_refusals() -> None:
    stand: Any = Stand(refusal("ValueError: bad shape"))
    assert conduct(one(), stand).verdict == "refused"
    assert [call.array("b").shape for call in stand.calls] == [(7, 5)]


def test_the_call_is_the_problems_own_but_for_the_flaw() -> None:
    stand: Any = Stand(SimpleNamespace())
    call = spoilt(one(), stand)
    assert call.invocation == one().problem.invocation
    assert call.array("b")[:6].shape == one().problem.shape_b
