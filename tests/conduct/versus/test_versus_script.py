"""The script that counts false alarms and misses of versus runs: what it runs, resumes and says."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.selftest.faults import slower
from pytest_applegpu.setting import Setting

PATH = Path(__file__).parents[3] / "benchmarks" / "versus.py"
HEAD = {"rounds": 200, "python": "python"}


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    sys.path.insert(0, str(PATH.parent))
    spec = util.spec_from_file_location("versus_script", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(PATH.parent))


def done(situation: str, number: int, *, red: bool, seen: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "situation": situation,
        "number": number,
        "red": red,
        "slow": None if situation == "same" else "matmul-a",
        "seen": list(seen),
        "verdicts": {"same": 12},
        "seconds": 30.0,
    }


def test_there_are_twelve_cases_and_each_is_slowed_by_its_sizes(script: ModuleType) -> None:
    texts = {script.trials.text(number) for number in range(24)}
    assert len(texts) == 12
    for number in range(12):
        (case,) = parse_cases(script.trials.text(number), [Setting("off")])
        environment = script.environment(5, number)
        said = slower.NAME.fullmatch(environment["APPLEGPU_SELFTEST_FAULT"])
        assert said is not None
        problem = case.problem
        assert said.groups() == ("5", str(problem.m), str(problem.n), str(problem.k))
        assert environment["APPLEGPU_SELFTEST_SIDE"] == "this"
    assert "APPLEGPU_SELFTEST_FAULT" not in script.environment(0, 0)


def test_a_part_of_the_runs_is_a_sample_of_all(script: ModuleType) -> None:
    asked = script.wanted(argparse.Namespace(same=300, tenth=100, twentieth=100))
    assert len(set(asked)) == 500
    first = [situation for situation, _ in asked[:50]]
    assert abs(first.count("same") - 30) <= 2
    assert abs(first.count("tenth") - 10) <= 2


def test_an_earlier_run_goes_on_without_its_torn_line(script: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert script.trials.resumed(out, HEAD) == {}
    whole = done("same", 3, red=False)
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(whole) + "\n" + json.dumps(whole)[:30])
    assert script.trials.resumed(out, HEAD) == {("same", 3): whole}
    assert script.trials.resumed(out, HEAD) == {("same", 3): whole}
    with pytest.raises(SystemExit, match="is of another run"):
        script.trials.resumed(out, HEAD | {"rounds": 100})


def test_counts_come_with_binomial_intervals(script: ModuleType) -> None:
    runs = [
        *(done("same", number, red=False) for number in range(300)),
        *(done("tenth", n, red=n != 7, seen=("matmul-a check",)) for n in range(100)),
    ]
    lines = list(script.report(runs))
    # Clopper and Pearson: 1 - 0.025**(1/300), and one-sided 1 - 0.05**(1/300).
    assert lines[0] == (
        "same (0 % slower): 0 of 300 (95 %: 0 % to 1.22 %, upper limit at 95 % 0.99 %) red"
    )
    assert "tenth (10 % slower): 99 of 100 (95 %: 94.6 % to 100 %) red" in lines
    assert "  100 of 100 (95 %: 96.4 % to 100 %) with the case that was slowed" in lines
