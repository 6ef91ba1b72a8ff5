"""What lint returns: every finding of every call, none of refused ones, the smallest of a kind."""

from dataclasses import replace

from pytest_applegpu.lint.check import lint
from pytest_applegpu.lint.finding import Finding, smallest
from pytest_applegpu.lint.rules import BY_NAME
from pytest_applegpu.routing.lines import call_of, target_of
from tests.lint.linting import addmm, found, line, matmul


def test_calls_in_order_and_rules_chosen() -> None:
    cases = [matmul(32, 32, 1008, arch="g15s"), addmm(64, 128, 96, alpha=0.0)]
    asked = [(call_of(case), target_of(case)) for case in cases]
    assert [one.rule for one in lint(asked)] == ["lopsided-partition", "addend-dropped"]
    assert [one.rule for one in lint(asked, [BY_NAME["addend-dropped"]])] == ["addend-dropped"]


def test_refused_calls_have_no_findings() -> None:
    case = line(**matmul(4, 4, 4) | {"a_shape": [4, 5]})
    assert lint([(call_of(case), target_of(case))]) == []


def test_a_finding_says_where_and_what() -> None:
    (one,) = found("empty-partition", matmul(32, 32, 144, arch="g15s"))
    assert one.text == "K = 144 in 16 parts of 0, the last one of 144: 15 parts are empty"
    assert (one.severity, one.family, one.op) == ("slow", "splitk", "matmul")
    assert (one.arch, one.nax, one.version) == ("applegpu_g15s", False, "0.32.4")
    assert one.kernels[1] == "steel_gemm_splitk_accum_float16_float32"
    assert one.size == 2 * (32 * 144 + 144 * 32 + 32 * 32)
    assert one.call == matmul(32, 32, 144, arch="g15s")
    assert one.as_json()["case"] == one.call


def test_the_smallest_of_each_kind() -> None:
    cases = (matmul(32, 32, 144, arch="g15s"), matmul(16, 16, 144, arch="g16g"))
    findings = [one for case in cases for one in found("empty-partition", case)]
    kinds = smallest(findings)
    assert [(kind.count, kind.letters) for kind in kinds] == [(2, "gs")]
    assert kinds[0].smallest == findings[1]


def test_wrong_results_come_first() -> None:
    (slow,) = found("empty-partition", matmul(32, 32, 144, arch="g15s"))
    (wrong,) = found("addend-dropped", addmm(64, 128, 96, alpha=0.0))
    wasteful = replace(slow, rule="scratch", severity="wasteful")
    order: list[Finding] = [kind.smallest for kind in smallest([wasteful, slow, wrong])]
    assert order == [wrong, slow, wasteful]


def test_kernels_with_and_without_accelerators_are_different_kinds() -> None:
    (one,) = found("empty-partition", matmul(32, 32, 144, arch="g15s"))
    assert len(smallest([one, replace(one, nax=True)])) == 2
