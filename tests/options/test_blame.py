"""`--applegpu-blame`: how many failures are run elsewhere, to say who is right."""

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
ASKED = ("--applegpu-backend", "cpu", *(w for case in CASES for w in ("--applegpu-case", case)))


def config(**said: str) -> Config:
    def lookup(option: Option) -> str | None:
        return said.get(option.name)

    return read_config(lookup, Path("/"), Path("/"))


def test_five_are_the_default() -> None:
    assert config().blame == 5
    assert config(blame="0").blame == 0


@pytest.mark.parametrize("word", ["-1", "all", "1.5", "²", "9" * 10])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"--applegpu-blame: .* is not a whole number from"):
        config(blame=word)


def test_the_ini_twin(suites: Suites, ini: Callable[..., None]) -> None:
    ini("applegpu_blame = none")
    result = suites(*ASKED)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*applegpu_blame in tox.ini: 'none' is not a whole number from*"])


def blame(record: dict[str, Any]) -> dict[str, str]:
    return {one["where"]: one["verdict"] for one in record["error"]["blame"]}


def test_as_many_failures_are_run_elsewhere(suites: Suites, pytester: pytest.Pytester) -> None:
    words = ("--applegpu-blame", "1", "--applegpu-report-log", "log.jsonl")
    result = suites(*ASKED, *words, fault="last_row", apart=True)
    records = [json.loads(line) for line in (pytester.path / "log.jsonl").read_text().splitlines()]
    assert [record["verdict"] for record in records] == ["over"] * 3
    assert blame(records[0]) == {"with TF32 off": "over", "on a contiguous copy": "over"}
    assert [blame(record) for record in records[1:]] == [{}, {}]
    result.stdout.fnmatch_lines(["wrong too: with TF32 off, on a contiguous copy"])


def test_what_is_right_is_run_nowhere_else(logged: Logged) -> None:
    records = logged(*ASKED)
    assert {record["verdict"] for record in records} == {"exact"}
    assert all(not blame(record) for record in records)
