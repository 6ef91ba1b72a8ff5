"""Steps to a plainer case: each is one change, and each leaves a case that parses back."""

from __future__ import annotations

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.cases.shrinking.plainer import plainer, plainest
from pytest_applegpu.cases.shrinking.sizes import axes, congruent, ladder, smaller
from pytest_applegpu.setting import Setting


def case(text: str) -> Case:
    return parse_cases(text, [Setting()])[0]


def steps(text: str) -> dict[str, str]:
    return {said: one.data for said, one in plainer(case(text))}


def test_everything_at_once() -> None:
    full = case("matmul-f16-tt-4x5x6-b2x3 a=pad:8 b=heads via=operator fill=uniform")
    assert str(plainest(full)) == "matmul-f16-nn-4x5x6 fill=integer tf32=on"
    assert plainest(case("matmul-f16-nn-4x5x6")) is None


def test_each_step_changes_one_thing() -> None:
    found = steps("matmul-f16-nt-4x5x6 a=pad:2 via=operator")
    rest = "fill=integer"
    assert found == {
        "a=plain instead of a=pad:2": f"matmul-f16-nt-4x5x6 via=operator {rest}",
        "a=pad:1 instead of a=pad:2": f"matmul-f16-nt-4x5x6 a=pad:1 via=operator {rest}",
        "nn instead of nt": f"matmul-f16-nn-4x5x6 a=pad:2 via=operator {rest}",
        "via=function instead of via=operator": f"matmul-f16-nt-4x5x6 a=pad:2 {rest}",
    }


def test_batches_lose_axes_and_become_alike() -> None:
    found = steps("matmul-f16-nn-4x5x6-b2x1:1x3")
    assert {text.split()[0] for text in found.values()} == {
        "matmul-f16-nn-4x5x6",
        "matmul-f16-nn-4x5x6-b6",
        "matmul-f16-nn-4x5x6-b2x3",
        "matmul-f16-nn-4x5x6-b1:3",
        "matmul-f16-nn-4x5x6-b2:1",
    }


def test_a_layout_that_needs_a_batch_keeps_it() -> None:
    found = steps("matmul-f16-nn-4x5x6-b2 a=heads")
    assert list(found) == ["a=plain instead of a=heads"]


def test_checks_of_real_data_may_become_exact_and_repeated_calls_may_not() -> None:
    assert "fill=integer check=exact instead of fill=uniform" in steps(
        "matmul-f16-nn-4x5x6 fill=uniform"
    )
    assert steps("matmul-f16-nn-4x5x6 fill=normal check=repeat") == {}


def test_sizes_of_a_batch_that_broadcasts_go_on_broadcasting() -> None:
    broadcast = case("matmul-f16-nn-4x5x6-b2x1:1x3")
    batches = [axis for axis in axes(broadcast) if axis.name.startswith("batch")]
    assert [axis.name for axis in batches] == ["batch axis 0", "batch axis 1"]
    made = [axis.resized(broadcast, 7) for axis in batches]
    assert [one and one.problem.batch for one in made] == [(7, 3), (2, 7)]


def test_a_size_that_a_layout_forbids_is_no_case() -> None:
    vector = case("matmul-f16-nn-1x5x6 a=vec")
    assert axes(vector)[0].resized(vector, 2) is None


def test_a_batch_that_a_parameter_says_is_left_as_it_is() -> None:
    segmented = case("segmented_mm-f32-nn-20x30x40")
    *_, segments = axes(segmented)
    assert segments.name == "batch"
    assert segments.resized(segmented, 1) is None


def test_ladder_and_congruent_sizes_ascend_below_the_size() -> None:
    assert ladder(10) == [1, 2, 3, 4, 5, 7, 8, 9]
    assert 24 in congruent(240)
    assert 4096 + 8 in congruent(4800)
    assert smaller(1) == []
    assert smaller(2) == [1]
    assert smaller(300) == sorted(set(smaller(300)))
