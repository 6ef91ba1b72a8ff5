"""The script that counts false alarms: what it draws, counts, resumes and says."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib import util
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.report.records import BudgetFacts, ErrorFacts
from pytest_applegpu.setting import Setting

PATH = Path(__file__).parents[2] / "benchmarks" / "false_alarms.py"
SETTINGS = (Setting("on"), Setting("off"))
(CASE,) = parse_cases("matmul-f32-nn-64x64x512 fill=normal", SETTINGS[:1])


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = util.spec_from_file_location("false_alarms", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found(share: float, verdict: str = "within") -> Numbers:
    budget = BudgetFacts(operand=0.0, accumulate=1.0, output=0.0, typical=2 * share)
    return Numbers(verdict, ErrorFacts(share=share, total=4096, budget=budget, cause="why"))


def drawn(script: ModuleType, seed: int, chunk: int, count: int) -> list[Case]:
    runner = object.__new__(script.Runner)
    runner.seed, runner.dtypes = seed, tuple(DTYPES.values())
    runner.bench = SimpleNamespace(config=SimpleNamespace(settings=SETTINGS))
    return list(islice(runner.cases(chunk, count), count))


def test_a_chunk_is_drawn_alike_and_others_otherwise(script: ModuleType) -> None:
    cases = drawn(script, 1, 2, 30)
    assert len(cases) == 30
    assert cases == drawn(script, 1, 2, 30)
    assert cases[:5] == drawn(script, 1, 2, 5)
    assert set(cases).isdisjoint(drawn(script, 1, 3, 30))
    assert set(cases).isdisjoint(drawn(script, 2, 2, 30))


def test_most_chunks_are_of_small_cases_and_one_has_long_sums(script: ModuleType) -> None:
    small, long = drawn(script, 0, 2, 100), drawn(script, 0, 1, 100)
    assert max(max(c.problem.m, c.problem.n, c.problem.k) for c in small) <= script.SMALL
    assert max(c.problem.k for c in long) > script.SMALL
    assert max(c.problem.m for c in long) <= script.SMALL
    assert {c.setting for c in small} == set(SETTINGS)


def test_what_is_not_clean_is_listed_with_its_case(script: ModuleType) -> None:
    tally = script.Tally()
    tally.add(CASE, found(0.25), 0.5)
    tally.add(CASE, found(2.0, "over"), None)
    tally.add(CASE, Numbers("crashed", ErrorFacts(message="gone")), None)
    said = tally.as_json()
    assert said["verdicts"] == {"within": 1, "over": 1, "crashed": 1}
    assert [(one["verdict"], one["cause"]) for one in said["listed"]] == [
        ("over", "why"),
        ("crashed", "gone"),
    ]
    assert said["listed"][0]["case"] == str(CASE)
    assert said["groups"] == {"float32 tf32=on normal": [2, 2.0, 4.0, 0.5, 0.0]}
    assert said["bounded"] == 2


def test_two_seeds_are_held_to_each_other_both_ways(script: ModuleType) -> None:
    tally = script.Tally()
    tally.pair(CASE, found(0.1), found(0.2))
    tally.pair(CASE, found(0.5), found(0.1))
    said = tally.as_json()
    assert said["pairs"] == 2
    assert said["verdicts"] == {"creeping against the other seed": 1}
    assert said["groups"]["float32 tf32=on normal"][-1] == 5.0
    assert said["listed"][0]["before"] == 0.1


def test_the_rule_of_three_and_what_stands_where_something_was_found(script: ModuleType) -> None:
    assert script.rate(0, 100_000) == "0 of 100000, upper limit at 95 % 3/n = 3e-05"
    # Binomial tables: 1 of 20 has the one-sided limit 0.2161.
    assert script.rate(1, 20) == "1 of 20, upper limit at 95 % 0.22"
    assert script.rate(0, 0) == "none tried"


def test_an_earlier_run_goes_on_and_one_of_other_options_is_refused(
    script: ModuleType, tmp_path: Path
) -> None:
    out, head = tmp_path / "out.jsonl", {"backend": "cpu", "seed": 1}
    assert script.resumed(out, head) == {}
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"chunk": 4, "count": 200}) + "\n")
    assert script.resumed(out, head) == {4: {"chunk": 4, "count": 200}}
    with pytest.raises(SystemExit, match="is of another run"):
        script.resumed(out, head | {"seed": 2})


def test_too_late_nothing_is_begun(script: ModuleType) -> None:
    assert script.work(0, 10, 0.0) is None


def test_an_unknown_architecture_is_refused_by_its_option(script: ModuleType) -> None:
    said: dict[str, Any] = dict.fromkeys(script.HEAD) | {"backend": "emulated", "arch": "m99"}
    with pytest.raises(pytest.UsageError, match="arch"):
        script.configured(argparse.Namespace(**said))


def test_a_run_ends_with_its_figures_and_is_not_run_twice(tmp_path: Path) -> None:
    words = "--backend emulated --arch applegpu_g17s --mlx 0.32.4 --tf32 on --cases 12"
    command = [sys.executable, str(PATH), *words.split(), "--out", "out.jsonl"]
    first, second = (
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert "12 cases, " in first
    assert "\nover: 0 of 12, upper limit at 95 % 3/n = 0.25\n" in first
    assert second == first
