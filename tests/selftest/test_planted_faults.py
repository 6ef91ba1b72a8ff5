"""Each fault makes results wrong where it applies, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.selftest.faults import FAULTS, NONE, Fault
from pytest_applegpu.selftest.telling import sizes_of, telling
from tests.selftest.conftest import library, one_case, operands, plainly, planted, result

STEADY = [
    name
    for name, fault in FAULTS.items()
    if fault.op == "matmul"
    and fault.group not in {"flaky", "endings", "memory", "alike", "refusals", "transforms"}
]

pytestmark = pytest.mark.usefixtures("_tf32_off")

TRIED = 3
"""Cases in which each fault is tried, and as many in which it must not show."""


def off(cases: list[Case]) -> list[Case]:
    """Return the cheap cases that run with TF32 off, called as faults are planted."""
    return [
        case
        for case in cases
        if case.setting.tf32 == "off"
        and case.problem.flops < 1e8
        and case.problem.param("via") in {"function", "operator"}
    ]


def differs(fault: Fault, case: Case) -> bool:
    """Tell whether a case comes out otherwise under a fault; an error is otherwise too."""
    right = plainly(result(library(), case))
    try:
        return plainly(result(planted(fault.name), case)) != right
    except ValueError:
        return True


@pytest.mark.parametrize("name", STEADY)
def test_a_fault_shows_in_cases_that_tell_of_it(name: str, planned: list[Case]) -> None:
    fault = FAULTS[name]
    cases = telling(fault, off(planned), "cpu")[:TRIED]
    assert cases, "no case of the tier tells of it"
    assert any(differs(fault, case) for case in cases)


@pytest.mark.parametrize("name", STEADY)
def test_a_fault_shows_nowhere_else(name: str, planned: list[Case]) -> None:
    fault = FAULTS[name]
    elsewhere = [case for case in off(planned) if not fault.applies(sizes_of(case))]
    spread = elsewhere[:: max(1, len(elsewhere) // TRIED)][:TRIED]
    assert not any(differs(fault, case) for case in spread)


def test_no_fault_is_none_in_any_format_and_layout(planned: list[Case]) -> None:
    core = planted(NONE)
    # A NaN is one whatever its bits, and NumPy gives it others: bits are for numbers.
    for case in [one for one in off(planned) if one.fill != "special"][::9]:
        assert plainly(result(core, case)) == plainly(result(library(), case)), case


def test_there_are_forty_kinds_in_every_group() -> None:
    assert len(FAULTS) >= 40
    assert all(fault.breaks and fault.group for fault in FAULTS.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("offset_ignored", "matmul-f32-nt-9x8x7 a=off:4 fill=integer"),
        ("offset_ignored", "matmul-bf16-nt-9x8x7 b=rows:3 fill=integer"),
        ("padding_read", "matmul-f32-tt-9x8x7 b=pad:8 fill=integer"),
        ("transpose_ignored", "matmul-f32-nt-9x8x8 fill=integer"),
        ("stride_of_zero", "matmul-f32-nn-9x8x7-b3 a=bc fill=integer"),
        ("negative_step", "matmul-f32-nn-9x8x7 b=neg fill=integer"),
        ("step_ignored", "matmul-f32-tn-9x8x7 a=step fill=integer"),
        ("heads_ignored", "matmul-f32-nt-9x8x7-b2x3 b=heads fill=integer"),
    ],
)
def test_a_layout_that_is_ignored_spoils_just_that_layout(name: str, text: str) -> None:
    plain = " ".join(word for word in text.split() if word[:2] not in {"a=", "b="})
    if name == "transpose_ignored":
        plain = plain.replace("-nt-", "-nn-")
    assert differs(FAULTS[name], one_case(text))
    assert not differs(FAULTS[name], one_case(plain))


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("long_k", "2x3x4097", "2x3x4096"),
        ("n_off_64", "2x65x4", "2x64x4"),
        ("second_row", "2x3x4", "1x3x4"),
        ("one_row_over", "33x3x4", "34x3x4"),
        ("rows_past_1024", "1025x3x4", "1024x3x4"),
        ("k_past_1024", "2x3x1025", "2x3x1024"),
        ("eighth_batch", "2x3x4-b8", "2x3x4-b7"),
        ("nothing_written", "2x3x0", "2x3x1"),
        ("partial_lost", "2x3x1024", "2x3x1023"),
    ],
)
def test_a_fault_begins_at_its_boundary(name: str, wrong: str, right: str) -> None:
    assert differs(FAULTS[name], one_case(f"matmul-f32-nn-{wrong} fill=integer"))
    assert not differs(FAULTS[name], one_case(f"matmul-f32-nn-{right} fill=integer"))


SMALL = "matmul-f32-nn-4x4x4 fill=normal"


def calls(name: str, count: int, text: str = SMALL) -> list[bool]:
    """Call a case over and over in one process; tell which results were wrong."""
    core, right = planted(name), plainly(result(library(), one_case(text)))
    return [plainly(result(core, one_case(text))) != right for _ in range(count)]


def test_one_call_in_forty() -> None:
    assert [n for n, wrong in enumerate(calls("one_call_in_forty", 81), 1) if wrong] == [40, 80]


@pytest.mark.parametrize("name", ["first_call", "first_of_a_format"])
def test_the_first_call_alone(name: str) -> None:
    assert calls(name, 4) == [True, False, False, False]


def test_the_first_call_of_a_second_format() -> None:
    core, half = planted("first_of_a_format"), one_case(SMALL.replace("f32", "f16"))
    result(core, one_case(SMALL))
    assert plainly(result(core, half)) != plainly(result(library(), half))


def test_the_last_bit_moves_every_other_time_and_in_real_numbers_alone() -> None:
    assert calls("last_bit_at_random", 4) == [True, False, True, False]
    whole = "matmul-f32-nn-4x4x4 fill=integer"
    assert calls("last_bit_at_random", 4, whole) == [False] * 4


def test_a_stale_result_is_the_one_before() -> None:
    core, other = planted("stale_result"), one_case("matmul-f32-tn-4x4x4 fill=normal")
    first = plainly(result(core, one_case(SMALL)))
    assert plainly(result(core, other)) == first
    assert plainly(result(core, one_case("matmul-f32-nn-5x4x4 fill=normal")))[1] == (5, 4)


@pytest.mark.parametrize(
    ("name", "spoilt"), [("first_operand_changed", 0), ("second_operand_changed", 1)]
)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "c64", "f64"])
def test_an_operand_is_changed_and_the_result_is_right(name: str, spoilt: int, dtype: str) -> None:
    core, case = planted(name), one_case(SMALL.replace("f32", dtype))
    pair = operands(core, case)
    before = [one.values.copy() for one in pair]
    right = plainly(result(library(), case))
    assert plainly(core.matmul(*pair)) == right
    same = [np.array_equal(one.values, old) for one, old in zip(pair, before, strict=True)]
    assert same == [spoilt != 0, spoilt != 1]


def test_an_error_at_times() -> None:
    core = planted("raises_at_times")
    for _ in range(29):
        result(core, one_case(SMALL))
    with pytest.raises(RuntimeError, match="Command buffer"):
        result(core, one_case(SMALL))


def test_endings_leave_an_even_k_alone() -> None:
    for fault in FAULTS.values():
        if fault.group == "endings":
            assert not differs(fault, one_case(SMALL))
            assert fault.applies(sizes_of(one_case("matmul-f32-nn-4x4x5")))
