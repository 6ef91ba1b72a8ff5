"""After a run: counts, what to know, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_applegpu.report.notices import counts, likely_causes, next_steps, warnings
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import SHIPPED, Rerun

RERUN = Rerun()


def compared(verdict: str, **baseline: Any) -> dict[str, Any]:
    return {
        "kind": "throughput",
        "verdict": verdict,
        "time": {"seconds": 1.0, "spread": 0.3},
        "baseline": {"verdict": verdict} | baseline,
    }


def test_counts_put_what_fails_first(make_record: Callable[..., Record]) -> None:
    words = ["exact", "within", "unsupported", "creeping", "over", "exact", "crashed"]
    assert counts([make_record(verdict=word) for word in words]) == (
        "7 cases: 1 over, 1 crashed, 1 creeping, 2 exact, 1 within, 1 unsupported"
    )


def test_one_case_is_not_plural(make_record: Callable[..., Record]) -> None:
    assert counts([make_record()]) == "1 case: 1 within"


def test_warned_verdicts_are_named(make_record: Callable[..., Record]) -> None:
    records = [
        make_record(case="c1", verdict="creeping", error={"share": 0.81}),
        make_record(case="c2", **compared("unstable")),
        make_record(case="c3", **compared("not comparable", reasons=["on battery"])),
        make_record(case="c4", **compared("not comparable", reasons=["on battery"])),
        make_record(case="c5", verdict="unsupported", error={"cause": "float64 on metal"}),
    ]
    assert list(warnings(records)) == [
        "creeping: c1 (0.81 of its bound)",
        "unstable: c2 (spread 30 %)",
        "not comparable: on battery (2)",
        "unsupported: float64 on metal (1)",
    ]


def test_what_creeps_above_a_stored_error_says_so_and_how_to_store_it(
    make_record: Callable[..., Record],
) -> None:
    budget = {"operand": 0.0, "accumulate": 1.0, "output": 0.0}
    errors = [{"share": 0.4, "budget": budget | past} for past in ({}, {"before": 0.05})]
    records = [make_record(case=f"c{at}", verdict="creeping", error=errors[at]) for at in (0, 1)]
    assert list(warnings(records)) == [
        "creeping: c0 (0.4 of its bound), c1 (0.4 of its bound, before 0.05)"
    ]
    assert list(next_steps(records, RERUN)) == [
        (
            "1 creeping above the stored error; to store the new ones: "
            "pytest suites --applegpu-update-baselines"
        )
    ]
    assert list(next_steps(records, RERUN, storing=True)) == []


def test_long_lists_are_cut_and_counted(make_record: Callable[..., Record]) -> None:
    records = [make_record(case=f"c{at}", verdict="creeping") for at in range(5)]
    assert list(warnings(records)) == ["creeping: c0, c1, c2, and 2 more"]


def test_likely_causes_are_said_once(make_record: Callable[..., Record]) -> None:
    causes = ["MLX 0.31.0 is now 0.32.4", "NAX yes is now no"]
    records = [make_record(**compared("slower", likely_causes=causes)) for _ in range(3)]
    assert list(likely_causes(records)) == [
        "changed since the baseline: MLX 0.31.0 is now 0.32.4; NAX yes is now no"
    ]
    assert list(likely_causes([make_record()])) == []


def test_next_steps_rerun_what_failed(make_record: Callable[..., Record]) -> None:
    one = [make_record(case="c 1", verdict="over")]
    assert list(next_steps(one, RERUN)) == [
        "to rerun the case that failed: pytest suites --applegpu-case 'c 1'"
    ]
    many = [make_record(case=f"c{at}", verdict="over") for at in range(5)]
    assert list(next_steps(many, Rerun(SHIPPED))) == [
        (
            "to rerun 5 failed cases, the first 3: pytest --pyargs pytest_applegpu.suites "
            "--applegpu-case c0 --applegpu-case c1 --applegpu-case c2"
        )
    ]


def test_next_steps_name_the_flag_that_stores_a_baseline(
    make_record: Callable[..., Record],
) -> None:
    records = [make_record(**compared("no baseline"))] * 2
    assert list(next_steps(records, RERUN)) == [
        "2 timed without a baseline; to store one: pytest suites --applegpu-update-baselines"
    ]


def test_next_steps_offer_to_store_faster_times_after_a_green_run(
    make_record: Callable[..., Record],
) -> None:
    faster = make_record(**compared("faster"))
    assert list(next_steps([faster], RERUN)) == [
        (
            "1 faster than the baseline; to store the new times: "
            "pytest suites --applegpu-update-baselines"
        )
    ]
    steps = list(next_steps([faster, make_record(verdict="over")], RERUN))
    assert [text for text in steps if "update" in text] == []


def test_a_green_run_with_a_baseline_needs_no_next_step(
    make_record: Callable[..., Record],
) -> None:
    assert list(next_steps([make_record(**compared("same"))], RERUN)) == []


def test_loads_that_differ_are_one_reason(make_record: Callable[..., Record]) -> None:
    found = [
        make_record(case=f"c{load}", **compared("not comparable", reasons=[reason]))
        for load, reason in enumerate(
            [
                "load of 1.2 for each core; battery power",
                "load of 10.5 for each core",
                "load of 1.3 for each core",
                "load of 2.0 for each core",
            ]
        )
    ]
    (said,) = warnings(found)
    assert said == (
        "not comparable: load of 1.3 to 10.5 for each core (3); "
        "load of 1.2 for each core; battery power (1)"
    )


def test_a_run_that_stores_is_not_told_how_to(make_record: Callable[..., Record]) -> None:
    new = make_record(**compared("no baseline"))
    assert list(next_steps([new], RERUN, storing=True)) == []


def test_rerouted_cases_are_named_with_both_paths(make_record: Callable[..., Record]) -> None:
    route = {"arch": "applegpu_g17s", "mlx": "0.32.4", "path": "thin_nax", "here": True}
    changed = {**route, "verdict": "rerouted", "before": ["gemm_nax", "k"]}
    (line,) = warnings([make_record(route=changed), make_record(route=route)])
    assert line.startswith("rerouted since the baseline: matmul-f16-nt-64x64x4096")
    assert line.endswith("(gemm_nax -> thin_nax)")


def carded(verdict: str, *changed: str) -> dict[str, Any]:
    card = {"features": {"operand A": "11 bits"}, "times": 2, "changed": list(changed)}
    return {"kind": "card", "verdict": verdict, "card": card}


def test_changed_cards_are_named_once_for_each_way_in_which_they_changed(
    make_record: Callable[..., Record],
) -> None:
    cut = ("operand A: 24 bits -> 11 bits, truncated", "products: rounded to 24 bits -> exact")
    records = [
        *(make_record(case=f"c{at}", **carded("card changed", *cut)) for at in range(5)),
        make_record(case="c5", **carded("card changed", "extra bits: 1 -> 2")),
        make_record(case="c6", **carded("card unsteady", "10 calls: alike -> 9 of 10 alike")),
        make_record(case="c7", **carded("as stored")),
    ]
    assert list(warnings(records)) == [
        f"card changed: {'; '.join(cut)} (c0, c1, c2, and 2 more)",
        "card changed: extra bits: 1 -> 2 (c5)",
        "card unsteady: 10 calls: alike -> 9 of 10 alike (c6)",
    ]
    assert counts(records) == "8 cases: 6 card changed, 1 card unsteady, 1 as stored"
    assert list(next_steps(records, RERUN)) == [
        (
            "6 with another feature card than is stored; to store the new ones: "
            "pytest suites --applegpu-update-baselines"
        )
    ]


def test_what_else_changed_since_a_card_was_stored_is_said(
    make_record: Callable[..., Record],
) -> None:
    fields = carded("card changed", "extra bits: 1 -> 2")
    fields["card"]["likely_causes"] = ["MLX 0.32.3 -> 0.32.4"]
    assert list(likely_causes([make_record(**fields)])) == [
        "changed since the baseline: MLX 0.32.3 -> 0.32.4"
    ]
