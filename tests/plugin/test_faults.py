"""Each planted fault turns the run red and is named rightly; without one the run is green.

The cases are such as every smoke run has; a test says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.setting import Setting
from tests.conftest import Suites

Logged = Callable[..., list[dict[str, Any]]]

LONG = "matmul-{}-nn-16x17x4096 fill=integer"
CANCEL = "matmul-{}-nn-16x17x4096 fill=cancel"
WIDE = "matmul-f32-nn-1024x1024x16 fill=integer check=projection"
TAIL = "matmul-{}-nt-1025x1023x17 fill=integer"
COPIES = "matmul-f32-tn-2049x33x64 fill=onehot"
BATCH = "matmul-f32-nn-9x17x33-b2x3 fill=special"
ILL = "matmul-{}-nn-33x34x35 fill=special"
AGAIN = "matmul-{}-nt-129x65x257 fill=normal check=repeat"
REAL = "matmul-{}-tn-16x17x4096 fill=normal"

FAULTS = {
    "k_tail": (TAIL.format("f32"), r"as if the last element of K were dropped"),
    "last_row": (TAIL.format("f32"), r"row 1024\b|last row"),
    "last_column": (TAIL.format("f32"), r"column 1022\b|last column"),
    "one_in_a_million": (WIDE, r"one element|1 element|\(613, 77\)"),
    "half_accumulation": (CANCEL.format("f32"), r"cause: accumulated in float16"),
    "bfloat16_operands": (
        COPIES,
        r"cause: operands cut to 8 significant bits \(rounded, bfloat16\)",
    ),
    "tf32_while_off": (COPIES + " tf32=off", r"cause: operands cut to 11 significant bits"),
    "truncated_output": ("matmul-f16-nn-65x66x130 fill=round", r"cause: output truncated"),
    "nan_leak": (ILL.format("f32"), r"NaN|not finite"),
    "abort": (BATCH, r"SIGABRT"),
}


def texts_of_a_smoke_run() -> set[str]:
    """Return the texts of the smoke tier, with and without their setting."""
    settings = (Setting("on"), Setting("off"))
    cases = numeric_cases(
        "matmul", "cpu", backend_dtypes("cpu"), tier="smoke", seed=0, settings=settings
    )
    return {text for case in cases for text in (str(case), case.data)}


def test_every_smoke_run_has_these_cases() -> None:
    smoke = texts_of_a_smoke_run()
    assert {case for case, _ in FAULTS.values()} <= smoke


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found_and_named(suites: Suites, fault: str) -> None:
    case, words = FAULTS[fault]
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", case, fault=fault)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = "\n".join(result.outlines)
    failure = text[text.index("= FAILURES =") : text.index("= applegpu =")]
    assert re.search(words, failure), failure
    assert "--applegpu-case" in failure


def test_without_a_fault_these_cases_are_green(suites: Suites) -> None:
    words = [word for case, _ in FAULTS.values() for word in ("--applegpu-case", case)]
    result = suites("--applegpu-backend", "cpu", *words, fault="")
    assert result.ret == pytest.ExitCode.OK


def test_repeated_batch_is_found_and_named(suites: Suites) -> None:
    case = "matmul-f32-nn-9x17x33-b3 fill=integer tf32=on"
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", case, fault="repeated_batch")
    result.stdout.fnmatch_lines(["cause: batch 1 repeats batch 0"])


def test_operands_that_are_changed_in_place_are_named(logged: Logged) -> None:
    right = "matmul-bf16-nn-9x17x33 fill=integer tf32=on"
    cases = ["matmul-f32-nn-9x17x33 fill=integer tf32=on", "matmul-f32-nt-9x17x33 b=pad:3 tf32=on"]
    words = [word for case in (*cases, right) for word in ("--applegpu-case", case)]
    records = logged("--applegpu-backend", "cpu", *words, fault="in_place")
    said = {record["case"]: (record["verdict"], record["error"]["cause"]) for record in records}
    assert said[right] == ("exact", None)
    spoilt = ("over", "the call changed its operand B in place")
    assert [found for case, found in said.items() if case != right] == [spoilt] * 2


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_half_accumulation_is_found_in_every_real_format(suites: Suites, dtype: str) -> None:
    cases = [text.format(dtype) for text in (CANCEL, REAL)]
    words = [word for case in cases for word in ("--applegpu-case", f"{case} tf32=on")]
    result = suites("--applegpu-backend", "cpu", *words, fault="half_accumulation")
    assert result.parseoutcomes()["failed"] >= 1


def test_a_wrong_call_in_forty_is_not_blamed_on_the_case(suites: Suites) -> None:
    cases = [f"matmul-f32-nn-{m}x16x16 fill=integer tf32=on" for m in range(16, 60)]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    result = suites("--applegpu-backend", "cpu", *words, fault="one_call_in_forty")
    result.assert_outcomes(passed=43, failed=1)
    result.stdout.fnmatch_lines(
        ["*not repeatable: the same call was right when it was made again*"]
    )


def test_a_wrong_call_in_forty_is_seen_by_repeating_a_case(suites: Suites) -> None:
    cases = [f"{AGAIN.format(dtype)} tf32=on" for dtype in ("f32", "f16", "bf16", "c64")]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    result = suites("--applegpu-backend", "cpu", *words, fault="one_call_in_forty")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*call * of 10 differs*"])


def test_a_crash_and_a_device_error_colour_nothing_else(logged: Logged) -> None:
    bad = "matmul-f32-nn-4x4x33 fill=integer tf32=on"
    good = "matmul-f32-nn-4x4x4 fill=integer tf32=on"
    words = ("--applegpu-backend", "cpu", "--applegpu-case", bad, "--applegpu-case", good)
    for fault, verdict in (("abort", "crashed"), ("device_error", "raised")):
        records = logged(*words, fault=fault)
        assert [record["verdict"] for record in records] == [verdict, "exact"]


def test_failures_are_at_most_twelve_lines_and_end_with_the_command(suites: Suites) -> None:
    case = f"{TAIL.format('f32')} tf32=on"
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", case, fault="last_row")
    lines = result.outlines
    first = next(n for n, line in enumerate(lines) if line.startswith(f"{case}: over"))
    last = next(n for n, line in enumerate(lines) if line.startswith("rerun: pytest "))
    assert last - first < 12
    assert f"--applegpu-case '{case}'" in lines[last]
    worst = "\n".join(lines[first:last])
    for word in ("worst element", "ULP", "relative", "1023 of"):
        assert word in worst


def test_a_slowdown_is_red_after_it_was_measured_again(
    suites: Suites, pytester: pytest.Pytester, logged: Logged
) -> None:
    case = "matmul-f32-nt-192x192x192 check=throughput tf32=on"
    words = ("--applegpu-backend", "cpu", "--applegpu-case", case)
    suites(*words, "--applegpu-update-baselines", fault="")
    assert list((pytester.path / "baselines").iterdir())
    (record,) = logged(*words, fault="three_times_slower")
    # How noisy this machine is just now decides between these two words, and never a third.
    assert record["baseline"]["verdict"] in {"slower", "unstable"}
    if record["verdict"] == "slower":
        assert record["baseline"]["ratio"] > 2
        assert any("then" in reason for reason in record["baseline"]["reasons"])
