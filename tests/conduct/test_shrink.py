"""What a search runs, how it ends, and which failures are not searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.shrink import MOST, SECONDS, shrunk, with_smallest
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.report.records import ErrorFacts
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

TEXT = "matmul-f32-nt-20x30x40 a=pad:8 fill=integer"
OVER = Numbers("over", ErrorFacts(cause="a cause"))
FLEETING = Numbers("over", ErrorFacts(cause="not repeatable: the same call was right"))

Verdict = Callable[[Case], Numbers]


def case(text: str = TEXT) -> Case:
    return parse_cases(text, [Setting()])[0]


def bench(backend: str = "cpu") -> Bench:
    made: Any = Bench(None, None, SimpleNamespace(backend=backend), {}, None)  # type: ignore[arg-type]
    made.routes = Routes(Gpu("applegpu_g17s"), "0.32.4", here=backend == "emulated")
    found: Bench = made
    return found


@pytest.fixture
def conducted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Verdict], list[Case]]:
    """Have cases end as a function says, and return those that were run."""

    def by(verdict: Verdict) -> list[Case]:
        ran: list[Case] = []

        def conduct(one: Case, _: Bench) -> Numbers:
            ran.append(one)
            return verdict(one)

        monkeypatch.setattr("pytest_applegpu.conduct.numbers.conduct", conduct)
        return ran

    return by


def beyond(m: int, wrong: Numbers = OVER) -> Verdict:
    return lambda one: wrong if one.problem.m > m else Numbers("exact")


def test_the_smallest_case_its_start_and_rule_are_told(
    conducted: Callable[[Verdict], list[Case]],
) -> None:
    ran = conducted(beyond(1))
    least = shrunk(case(), bench("emulated"), OVER)
    assert least is not None
    assert least.case == "matmul-f32-nn-2x1x1 fill=integer tf32=on"
    assert least.starts[0].startswith("fails from M = 2 on, right at M = 1 ")
    assert least.rules[0].startswith("dispatch of applegpu_g17s changes from M = 1 to 2: dot+")
    assert least.tried == len(ran)


def test_another_verdict_is_another_failure(conducted: Callable[[Verdict], list[Case]]) -> None:
    def verdict(one: Case) -> Numbers:
        return OVER if one.problem.m >= 10 else Numbers("crashed")

    conducted(verdict)
    least = shrunk(case(), bench(), OVER)
    assert least is not None
    assert least.case.startswith("matmul-f32-nn-10x1x1 ")


@pytest.mark.parametrize("word", ["no proof", "unsupported"])
def test_what_says_nothing_of_the_fault_is_no_side_of_an_edge(
    conducted: Callable[[Verdict], list[Case]], word: str
) -> None:
    def verdict(one: Case) -> Numbers:
        return OVER if one.problem.m >= 10 else Numbers(word if one.problem.m == 9 else "exact")

    conducted(verdict)
    least = shrunk(case(), bench("emulated"), OVER)
    assert least is not None
    assert least.starts[0].startswith("fails from M = 10 on, right at M = 8 ")
    assert least.rules == ()


@pytest.mark.parametrize("word", ["exact", "within", "creeping", "no proof", "unsupported"])
def test_there_is_nothing_to_shrink_where_nothing_is_wrong(word: str) -> None:
    found = Numbers(word)
    assert shrunk(case(), bench(), found) is None
    assert with_smallest(case(), bench(), found) is found


def test_what_comes_and_goes_is_not_shrunk() -> None:
    least = shrunk(case(), bench(), FLEETING)
    assert least is not None
    assert (least.case, least.tried) == (str(case()), 0)
    assert least.starts == ("it comes and goes",)


def test_a_smaller_case_that_comes_and_goes_is_another_failure(
    conducted: Callable[[Verdict], list[Case]],
) -> None:
    conducted(lambda one: OVER if one.problem.m >= 10 else FLEETING)
    least = shrunk(case(), bench(), OVER)
    assert least is not None
    assert least.case.startswith("matmul-f32-nn-10x1x1 ")


def test_what_does_not_fail_again_says_so(conducted: Callable[[Verdict], list[Case]]) -> None:
    conducted(lambda _: Numbers("exact"))
    least = shrunk(case(), bench(), OVER)
    assert least is not None
    assert least.starts == ("it did not fail again",)


def test_only_so_many_are_shrunk_and_others_say_how(
    conducted: Callable[[Verdict], list[Case]],
) -> None:
    ran = conducted(beyond(1))
    where = bench()
    first = [shrunk(case(), where, OVER) for _ in range(MOST)]
    done = len(ran)
    more = shrunk(case(), where, OVER)
    assert all(one and one.tried for one in first)
    assert more is not None
    assert more.starts == ("10 others were; add --applegpu-shrink to the rerun command",)
    assert len(ran) == done


def test_time_that_is_over_ends_it(conducted: Callable[[Verdict], list[Case]]) -> None:
    conducted(beyond(1))
    ticks: Iterator[int] = count()
    least = shrunk(case(), bench(), OVER, clock=lambda: next(ticks) * SECONDS / 5)
    assert least is not None
    assert least.starts[-1] == "60 s were spent: a smaller case may fail"


def test_dearer_cases_than_the_first_are_not_run(
    conducted: Callable[[Verdict], list[Case]],
) -> None:
    ran = conducted(lambda _: OVER)
    assert shrunk(case("matmul-f32-nn-2000x2000x2000"), bench(), OVER) is not None
    assert max(one.problem.flops for one in ran) == 2 * 2000**3


def test_it_becomes_a_part_of_the_error(conducted: Callable[[Verdict], list[Case]]) -> None:
    conducted(beyond(1))
    error = with_smallest(case(), bench(), OVER).error
    assert error is not None
    assert error.cause == "a cause"
    assert error.shrunk is not None
    assert error.shrunk.case.startswith("matmul-f32-nn-2x1x1")
