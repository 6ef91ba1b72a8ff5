"""The corpus of public bugs as a suite: named tests, green here, red and named with a fault."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.selftest.run import environment
from tests.conftest import Suites

Corpus = Callable[..., pytest.RunResult]
Told = Callable[..., list[list[dict[str, Any]]]]

HERE = ("--applegpu-backend", "cpu", "--applegpu-blame", "0", "--applegpu-tf32", "off")
BUG = "mlx-3560-gemm-edge-fragment"


@pytest.fixture
def corpus(suites: Suites, pytester: pytest.Pytester) -> Corpus:
    """Run the packaged corpus alone, in the surroundings of the other suites."""

    def run(*words: str, apart: bool = False) -> pytest.RunResult:
        start = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        named = ("--pyargs", "pytest_applegpu.suites.regressions", "-p", "no:cacheprovider")
        return start(*named, *HERE, *words)

    return run


@pytest.fixture
def told(corpus: Corpus, pytester: pytest.Pytester) -> Told:
    """Run the corpus and return what the report log says of bugs, a list a case."""

    def run(*words: str) -> list[list[dict[str, Any]]]:
        corpus("--applegpu-report-log", "log.jsonl", *words)
        lines = (pytester.path / "log.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line)["bugs"] for line in lines]

    return run


def test_a_bug_is_selected_by_its_name(corpus: Corpus) -> None:
    result = corpus("-k", BUG, "-v")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines([f"*test_corpus[[]{BUG} matmul-f16-nn-33x35x37 *PASSED*"])


def test_a_record_says_for_which_bug_it_is_asked(
    told: Told,
) -> None:
    bug = {
        "id": "mlx-2715-addmm-beta-without-k",
        "source": "https://github.com/ml-explore/mlx/pull/2715",
        "mlx": "<0.29.4",
        "affected": False,
    }
    assert told("-k", "mlx-2715") == [[bug], [bug]]


def test_a_bug_of_another_backend_is_asked_and_not_named(
    told: Told,
) -> None:
    assert told("-k", BUG) == [[]] * 5


def test_a_fault_that_is_back_is_called_a_regression(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = environment(os.environ, "beta_forgotten_without_k", "cpu")
    for name in planted.keys() - os.environ.keys() | {"PYTHONPATH"}:
        monkeypatch.setenv(name, planted[name])
    result = corpus("-k", "mlx-2715", apart=True)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["regression of mlx-2715-addmm-beta-without-k, *"])


def test_cases_that_are_asked_for_are_not_run_twice(corpus: Corpus) -> None:
    result = corpus("--applegpu-case", "addmm-f32-nn-3x4x0 beta=2")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
