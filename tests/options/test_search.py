"""`--applegpu-search`: cases drawn at random, and what they find by kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from tests.conftest import FAULTS, Suites

CPU = ("--applegpu-backend", "cpu", "--applegpu-blame", "0", "--applegpu-dtypes", "float32,f16")
ONLY = ("-k", "test_search and matmul-f")
EMULATED = "test_search and matmul-f and not quantized and not via and not check"
M5_MAX = (
    *("--applegpu-backend", "emulated", "--applegpu-arch", "applegpu_g17s"),
    *("--applegpu-blame", "0", "--applegpu-dtypes", "float32"),
)


@pytest.fixture
def search(suites: Suites, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suites:
    """Run the suite of searches alone: the planned cases need not be planned."""
    assert callable(suites)  # whose surroundings are wanted

    def run(*words: str, fault: str | None = None) -> pytest.RunResult:
        if fault is not None:
            monkeypatch.setenv("PYTHONPATH", str(FAULTS))
            monkeypatch.setenv("APPLEGPU_TEST_FAULT", fault)
        alone = ("--pyargs", "pytest_applegpu.suites.search", "-W", "error")
        return pytester.runpytest_inprocess(*alone, "-p", "no:cacheprovider", *words)

    return run


def config(**said: str) -> Config:
    def lookup(option: Option) -> str | None:
        return said.get(option.name)

    return read_config(lookup, Path("/"), Path("/"))


def test_there_is_none_by_default() -> None:
    assert config().search == 0
    assert config(search="2000").search == 2000


@pytest.mark.parametrize("word", ["-1", "all", "1.5", ""])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"--applegpu-search: .* is not a whole number"):
        config(search=word)


def test_a_rerun_of_the_whole_repeats_it() -> None:
    assert config(search="5").choice[-2:] == ("--applegpu-search", "5")


def collected(result: pytest.RunResult) -> list[str]:
    return [line.split("::", 1)[1] for line in result.outlines if "::test_search[" in line]


def test_a_plain_run_has_no_case_of_it_and_a_longer_search_goes_on(
    search: Suites, ini: Callable[..., None]
) -> None:
    words = (*CPU, "--collect-only", "-q", "-k", "test_search")
    assert collected(search(*words)) == []
    few, more = (collected(search(*words, "--applegpu-search", n)) for n in ("20", "40"))
    assert len(few) == 20
    assert few == more[:20]
    assert few != collected(search(*words, "--applegpu-search", "20", "--applegpu-seed", "1"))
    ini("applegpu_search = 20")
    assert collected(search(*words)) == few


def test_cases_that_are_asked_for_come_without_a_search(search: Suites) -> None:
    words = ("--applegpu-search", "20", "--applegpu-case", "matmul-f32-nn-2x3x4 tf32=off")
    result = search(*CPU, *words, "--collect-only", "-q")
    assert collected(result) == []


def test_failures_of_one_kind_are_shrunk_once_and_told_together(
    search: Suites, pytester: pytest.Pytester
) -> None:
    words = ("--applegpu-search", "160", "--applegpu-report-log", "log.jsonl")
    result = search(*CPU, *ONLY, *words, fault="zero_beyond_one_row")
    records = [json.loads(line) for line in (pytester.path / "log.jsonl").read_text().splitlines()]
    failed = [one for one in records if one["verdict"] == "over"]
    shrunk = [one["error"]["shrunk"]["case"] for one in failed if one["error"]["shrunk"]]
    assert len(failed) > len(shrunk) > 0
    assert any(case.startswith("matmul-f32-nn-2x1x1 fill=integer") for case in shrunk)
    result.stdout.fnmatch_lines(
        [
            f"{len(failed)} findings in {len(shrunk)} kinds",
            "*. matmul, real, over (*): * case*",
            "   smallest: matmul-f32-nn-2x1x1 fill=integer tf32=*",
            "   rerun: pytest * --applegpu-case 'matmul-f32-nn-2x1x1 fill=integer tf32=*",
        ]
    )


def test_an_emulated_device_is_searched_too(search: Suites) -> None:
    words = ("--applegpu-search", "200", "-k", EMULATED)
    result = search(*M5_MAX, *words, fault="zero_beyond_one_row")
    result.stdout.fnmatch_lines(["* findings in * kind*", "   smallest: matmul-f32-nn-2x1x1 *"])
