"""The script that counts false alarms and misses of a stored baseline: what it runs and says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "stored.py"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    sys.path.insert(0, str(PATH.parent))
    spec = util.spec_from_file_location("stored_script", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(PATH.parent))


def done(situation: str, number: int, word: str) -> dict[str, Any]:
    return {
        "situation": situation,
        "number": number,
        "red": word == "slower",
        "slow": "matmul-a" if situation == "double" else None,
        "verdicts": {
            "matmul-a check": [word, 2.0, 1.6, 2.1, None],
            "matmul-b check": ["unstable", 1.0, 1.6, 1.9, None],
        },
        "seconds": 10.0,
    }


def test_the_baseline_is_stored_first_and_then_both_take_turns(script: ModuleType) -> None:
    asked = script.wanted(argparse.Namespace(runs=20, same=100, double=50))
    assert [situation for situation, _ in asked[:20]] == ["storing"] * 20
    assert len(set(asked)) == 170
    part = [situation for situation, _ in asked[20:50]]
    assert part.count("same") == 20


def test_a_slowdown_is_planted_in_one_case_on_any_side(script: ModuleType) -> None:
    environment = script.trials.environment(100, 3)
    assert environment["APPLEGPU_SELFTEST_FAULT"] == "slower_by_100_percent:64x64x420"
    assert "APPLEGPU_SELFTEST_SIDE" not in environment
    assert "APPLEGPU_SELFTEST_FAULT" not in script.trials.environment(0, 3)


def test_the_baseline_lies_beside_the_runs(script: ModuleType, tmp_path: Path) -> None:
    assert script.folder_of(tmp_path / "out.jsonl") == tmp_path / "out.baselines"


def test_counts_come_with_binomial_intervals(script: ModuleType) -> None:
    runs = [done("same", number, "unstable") for number in range(100)]
    runs += [done("double", number, "slower" if number else "unstable") for number in range(50)]
    lines = list(script.report(runs))
    # Clopper and Pearson: 1 - 0.025**(1/100), and one-sided 1 - 0.05**(1/100).
    assert lines[0] == (
        "same (0 % slower): 0 of 100 (95 %: 0 % to 3.62 %, upper limit at 95 % 3 %) red"
    )
    assert "double (100 % slower): 49 of 50 (95 %: 89.4 % to 99.9 %) red" in lines
    assert "  smallest slowdown to be seen: median 2.10x, at most 2.10x" in lines
