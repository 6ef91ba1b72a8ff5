"""`--applegpu-known-issues`: which failures are known, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from tests.conftest import Suites

Logged = Callable[..., list[dict[str, Any]]]

CASES = [f"matmul-f32-nt-16x{n}x33 fill=integer tf32=on" for n in (17, 18, 19)]
CPU = ("--applegpu-backend", "cpu", "--applegpu-blame", "0")
ONE = (*CPU, "--applegpu-case", CASES[0])
MINE = ("--applegpu-known-issues", "mine.toml")


def config(value: str | None = None, here: Path = Path("/")) -> Config:
    def lookup(option: Option) -> str | None:
        return value if option.name == "known-issues" else None

    return read_config(lookup, Path("/"), here)


@pytest.fixture
def entry(pytester: pytest.Pytester) -> Callable[..., None]:
    """Write a file of one issue: all products of 16 rows, or as the given lines say."""

    def write(*lines: str, verdict: str = "over", sizes: str = '{ m = "== 16" }') -> None:
        said = ["[[issue]]", 'id = "last-row"', 'what = "the last row is 0"']
        said += ['link = "https://example.org/7"', f'verdict = "{verdict}"', *lines]
        said += ["[[issue.match]]", 'op = "matmul"', f"sizes = {sizes}"]
        (pytester.path / "mine.toml").write_text("\n".join(said))

    return write


def test_the_shipped_ones_are_the_default() -> None:
    assert config().known_issues == config("shipped").known_issues == "shipped"
    assert config("none").known_issues == "none"


def test_a_file_is_found_from_where_pytest_was_called(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    assert config("mine.toml", tmp_path).known_issues == tmp_path / "mine.toml"


@pytest.mark.parametrize("value", ["", ".", "missing.toml", "all"])
def test_what_is_no_file_is_refused(value: str, tmp_path: Path) -> None:
    said = r"--applegpu-known-issues: .* is not shipped, none, or a file that is there"
    with pytest.raises(pytest.UsageError, match=said):
        config(value, tmp_path)


def test_a_rerun_takes_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").touch()
    assert config("mine.toml", tmp_path).rerun == ("--applegpu-known-issues", "mine.toml")
    assert config().rerun == ()


def test_a_wrong_file_ends_the_run_before_it_begins(
    suites: Suites, entry: Callable[..., None], ini: Callable[..., None]
) -> None:
    ini("applegpu_known_issues = mine.toml")
    entry('mlx = "0.32"')
    result = suites(*ONE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*applegpu_known_issues in tox.ini: *mine.toml: entry 'last-row': mlx '0.32' is not *"]
    )


def test_a_known_issue_is_reported_and_does_not_fail(
    suites: Suites, entry: Callable[..., None], pytester: pytest.Pytester
) -> None:
    entry('backend = "cpu"', 'mlx = ">=0.29"')
    words = ("--applegpu-report-log", "log.jsonl", "--applegpu-bundle", "found", "-rx")
    result = suites(*ONE, *MINE, *words, fault="last_row")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(xfailed=1)
    told = "known issue last-row: the last row is 0 (https://example.org/7)"
    result.stdout.fnmatch_lines([f"XFAIL *{told}"])
    result.stdout.fnmatch_lines(
        ["1 case: 1 known issue", "known issue last-row (1 case): the last row is 0 (https:*)"]
    )
    (record,) = map(json.loads, (pytester.path / "log.jsonl").read_text().splitlines())
    assert record["verdict"] == "over"
    assert record["known"] == [
        {
            "id": "last-row",
            "state": "happened",
            "what": "the last row is 0",
            "source": "https://example.org/7",
        }
    ]
    assert not (pytester.path / "found").exists()


@pytest.mark.parametrize("words", [("--applegpu-known-issues", "none"), (*MINE, "--runxfail")])
def test_without_known_issues_the_same_case_fails(
    suites: Suites, entry: Callable[..., None], words: tuple[str, ...]
) -> None:
    entry()
    result = suites(*ONE, *words, fault="last_row")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["1 case: 1 over"])


def test_one_that_stops_failing_fails(suites: Suites, entry: Callable[..., None]) -> None:
    entry()
    result = suites(*ONE, *MINE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"{CASES[0]}: exact",
            "known issue last-row did not happen: remove this entry (*mine.toml, entry last-row)*",
            "rerun: pytest *--applegpu-known-issues mine.toml",
        ]
    )
    result.stdout.fnmatch_lines(["1 case: 1 known issue gone"])


def test_another_verdict_fails_as_usual(logged: Logged, entry: Callable[..., None]) -> None:
    entry(verdict="crashed")
    (record,) = logged(*ONE, *MINE, fault="last_row")
    assert (record["verdict"], record["known"][0]["state"]) == ("over", "other")


def test_another_cause_fails_as_usual(logged: Logged, entry: Callable[..., None]) -> None:
    entry('cause = "the first row"')
    (record,) = logged(*ONE, *MINE, fault="last_row")
    assert record["known"][0]["state"] == "other"


def test_a_crash_can_be_known(suites: Suites, entry: Callable[..., None]) -> None:
    entry(verdict="crashed")
    result = suites(*ONE, *MINE, fault="abort")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(xfailed=1)


def test_a_file_stands_in_place_of_the_shipped_one(
    suites: Suites, entry: Callable[..., None]
) -> None:
    entry()
    case = "segmented_mm-f32-nn-0x4x5 fill=integer tf32=on"
    result = suites(*CPU, "--applegpu-case", case, *MINE)
    result.assert_outcomes(failed=1)


# Issues that only some cases show, in runs of planned cases.

SOME = (*CPU, *MINE, "--applegpu-dtypes", "f32", "--applegpu-tf32", "on", "-k")
FEW = "test_matmul_exact and 16x16x"
"""A few planned products, of which only those of an odd K are spoilt by the fault `k_tail`."""


def test_an_issue_that_comes_and_goes_is_there_as_long_as_it_comes(
    suites: Suites, entry: Callable[..., None]
) -> None:
    entry("sometimes = true", sizes="{}")
    result = suites(*SOME, FEW, fault="k_tail")
    assert result.ret == pytest.ExitCode.OK
    found = result.parseoutcomes()
    assert found["xfailed"] > 0
    assert found["passed"] >= 3


def test_it_is_gone_where_it_comes_in_no_case(suites: Suites, entry: Callable[..., None]) -> None:
    entry("sometimes = true", sizes="{}")
    result = suites(*SOME, FEW)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "failed" not in result.parseoutcomes()
    result.stdout.fnmatch_lines(
        ["known issue last-row did not happen: remove this entry (*mine.toml, entry last-row)*"]
    )


def test_processes_that_run_in_parallel_are_judged_together(
    suites: Suites, entry: Callable[..., None], pytester: pytest.Pytester
) -> None:
    entry("sometimes = true", sizes="{}", verdict="crashed")
    gone = (pytester.path / "mine.toml").read_text().replace("last-row", "no-crash")
    entry("sometimes = true", sizes="{}")
    with (pytester.path / "mine.toml").open("a") as file:
        file.write(f"\n{gone}")
    result = suites(*SOME, FEW, "-n", "2", fault="k_tail", apart=True)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = result.parseoutcomes()
    assert found["xfailed"] > 0
    assert "failed" not in found
    result.stdout.fnmatch_lines([f"known issue last-row ({found['xfailed']} cases): *"])
    result.stdout.fnmatch_lines(["known issue no-crash did not happen: remove this entry *"])


def test_few_right_cases_do_not_say_that_it_is_gone(
    suites: Suites, entry: Callable[..., None]
) -> None:
    entry("sometimes = true", "enough = 100000", sizes="{}")
    assert suites(*SOME, FEW).ret == pytest.ExitCode.OK


def test_cases_that_were_asked_for_do_not_say_that_it_is_gone(
    suites: Suites, entry: Callable[..., None]
) -> None:
    entry("sometimes = true")
    asked = [word for case in CASES for word in ("--applegpu-case", case)]
    assert suites(*CPU, *MINE, *asked).ret == pytest.ExitCode.OK


def test_a_known_issue_is_no_baseline(
    suites: Suites, entry: Callable[..., None], pytester: pytest.Pytester
) -> None:
    entry(verdict="over")
    result = suites(*ONE, *MINE, "--applegpu-update-baselines", fault="last_row")
    result.stdout.fnmatch_lines(["*a known issue*"])
    assert list(pytester.path.glob("baselines/*.json")) == []
