"""What the summary and a failed case say of two builds."""

from __future__ import annotations

from msgspec import structs

from pytest_applegpu.conduct.versus.told import means, route, timed, told
from pytest_applegpu.report.failure import failure_text
from pytest_applegpu.report.records import (
    ErrorFacts,
    ProblemFacts,
    Record,
    RouteFacts,
    SettingFacts,
    as_builtins,
    from_builtins,
)
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.versus_records import (
    BitsFacts,
    DuelFacts,
    NumbersFacts,
    RunFacts,
    SideFacts,
    VersusFacts,
)

SIDE = SideFacts(mlx="0.32.4", python="3.12.1", numpy="2.4.6")
RUN = RunFacts(this=SIDE, other=SIDE, product="0.1.0")
SLOW = DuelFacts(
    ratio=1.1,
    low=1.08,
    high=1.12,
    limit=1.03,
    smallest_seen=1.05,
    chance=1e-9,
    seconds=1.1e-3,
    other_seconds=1e-3,
    spread=0.05,
    count=2,
    rounds=200,
    confirmed=True,
    reason="first 1.11x slower, then 1.10x slower, limit 1.030x",
)
ALIKE = structs.replace(SLOW, ratio=1.0, low=0.98, high=1.02, chance=0.5, confirmed=False)


def record(case: str, verdict: str, versus: VersusFacts, kind: str = "throughput") -> Record:
    return Record(
        case=case,
        kind=kind,  # type: ignore[arg-type]  # a word of the test's own
        problem=ProblemFacts(op="matmul", dtype="float32", m=64, n=64, k=64),
        setting=SettingFacts(tf32="on"),
        verdict=verdict,
        backend="cpu",
        versus=versus,
    )


def speed(case: str, verdict: str, facts: DuelFacts) -> Record:
    return record(case, verdict, VersusFacts(run=RUN, speed=facts))


def numbers(case: str, verdict: str, facts: NumbersFacts) -> Record:
    return record(case, verdict, VersusFacts(run=RUN, numbers=facts), "exact")


TIMED = [speed("one", "slower", SLOW), speed("two", "same", ALIKE)]


def test_a_row_a_case_and_one_a_route() -> None:
    lines = told(TIMED).splitlines()
    assert " ".join(lines[0].split()) == "this/other ratio 95 % limit seen from q verdict"
    assert lines[1].split() == ["one", "1.100", "1.080-1.120", "1.030", "1.050", "2e-09", "slower"]
    assert lines[2].split() == ["two", "1.000", "0.980-1.020", "1.030", "1.050", "0.5", "same"]
    # The root of 1.1, and half of the root of both intervals' squares.
    assert lines[5].split() == ["cpu", "matmul", "gemm", "2", "1.049", "1.035-1.063"]


def test_shares_of_false_alarms_are_those_of_the_whole_run() -> None:
    assert [one.share for one in timed(TIMED)] == [2e-9, 0.5]


def test_a_route_that_ran_names_its_mean() -> None:
    here = RouteFacts(arch="applegpu_g17s", mlx="0.32.4", path="splitk", here=True)
    routed = structs.replace(TIMED[0], route=here)
    assert route(routed) == "splitk"
    assert route(structs.replace(routed, route=structs.replace(here, here=False))) == (
        "cpu matmul gemm"
    )
    assert [(one.route, one.cases) for one in means([routed, TIMED[1]])] == [
        ("splitk", 1),
        ("cpu matmul gemm", 1),
    ]


def test_other_bits_are_named_and_what_was_fixed_or_broken() -> None:
    same, other = (
        BitsFacts(identical=True, total=9),
        BitsFacts(identical=False, differing=2, total=9, ulp=3.0),
    )
    text = told(
        [
            numbers("a", "exact", NumbersFacts(verdict="exact", change="alike", bits=same)),
            numbers("b", "within", NumbersFacts(verdict="within", change="alike", bits=other)),
            numbers(
                "c", "exact", NumbersFacts(verdict="crashed", change="fixed", message="SIGABRT")
            ),
            numbers("d", "over", NumbersFacts(verdict="exact", change="broken", bits=other)),
        ]
    )
    first, *lines = text.splitlines()
    counted = "1 bit-identical on both builds, 2 with other bits, 1 without two results"
    assert first == f"numbers of 4 cases: {counted}"
    assert lines == [
        "other bits: b (2 of 9 elements, up to 3 ULP); d (2 of 9 elements, up to 3 ULP)",
        "fixed, wrong on the other build alone (1): c (other build: crashed: SIGABRT)",
        "broken, right on the other build (1): d (other build: exact)",
    ]


def test_another_arithmetic_is_news() -> None:
    card = record("e", "as stored", VersusFacts(run=RUN, changed=("operand A: 24 -> 11",)), "card")
    assert told([card]) == "another arithmetic: e (operand A: 24 -> 11)"


def test_a_run_on_one_build_says_nothing_of_two() -> None:
    assert told([structs.replace(TIMED[0], versus=None)]) == ""


def test_a_slower_case_says_how_much_how_sure_and_what_could_be_seen() -> None:
    lines = failure_text(TIMED[0], Rerun()).splitlines()
    assert lines[1] == (
        "this/other 1.100 (1.080 to 1.120), limit 1.030: 1100 us against 1000 us, "
        "200 rounds of A B B A, spread 5 %"
    )
    assert lines[2] == (
        "reasons: first 1.11x slower, then 1.10x slower, limit 1.030x; chance 1e-09; "
        "the smallest slowdown that could have been seen is 1.050x"
    )


def test_a_wrong_case_says_what_the_other_build_made_of_it() -> None:
    bits = BitsFacts(identical=True, total=9)
    facts = NumbersFacts(verdict="over", change="both fail", bits=bits)
    wrong = structs.replace(numbers("a", "over", facts), error=ErrorFacts(cause="why"))
    assert "other build: over, the same bits" in failure_text(wrong, Rerun()).splitlines()


def test_records_of_two_builds_travel_as_plain_values() -> None:
    for one in TIMED:
        assert from_builtins(as_builtins(one)) == one
