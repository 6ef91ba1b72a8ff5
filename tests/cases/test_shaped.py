"""Cases of sets of shapes: numbers and times of each problem."""

from __future__ import annotations

from pytest_applegpu.cases.shaped import shaped_cases
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting

SMALL = parse_problem("matmul-f32-nt-8x8x8")
LARGE = parse_problem("matmul-f16-nt-8192x8192x8192")
ATTENTION = parse_problem("sdpa-f16-nt-4096x4096x128-b1x64")

ON = [Setting("on")]


def test_small_ones_are_held_to_a_reference_and_large_ones_projected() -> None:
    cases = shaped_cases([SMALL, LARGE, SMALL], "cpu", ON)
    assert [(case.problem, case.check) for case in cases] == [
        (SMALL, "exact"),
        (SMALL, "bounded"),
        (LARGE, "projection"),
        (SMALL, "throughput"),
        (LARGE, "throughput"),
    ]


def test_attention_is_never_projected() -> None:
    checks = [case.check for case in shaped_cases([ATTENTION], "cpu", ON)]
    assert checks == ["exact", "bounded", "throughput"]


def test_an_emulated_device_is_not_timed() -> None:
    assert {case.check for case in shaped_cases([SMALL], "emulated", ON)} == {"exact", "bounded"}


def test_settings_take_turns() -> None:
    cases = shaped_cases([SMALL], "cpu", [Setting("on"), Setting("off")])
    assert [case.setting.tf32 for case in cases] == ["on", "off"] * 3
