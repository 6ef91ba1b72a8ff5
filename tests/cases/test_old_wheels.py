"""The table of the corpus against old wheels: what a version ends bugs in, and what is unlike."""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec import convert

from pytest_applegpu.cases.regressions.bug import Bug
from pytest_applegpu.report.records import Record, from_builtins

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "old_wheels.py"


@pytest.fixture(scope="module")
def wheels() -> ModuleType:
    """Load the script, which is no part of a package."""
    spec = util.spec_from_file_location("old_wheels", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bug(name: str = "mlx-1-wrong", **said: Any) -> Bug:
    plain = {
        "id": name,
        "what": "it is wrong",
        "link": "https://github.com/ml-explore/mlx/issues/1",
        "mlx": "<0.31",
        "backend": "cpu",
        "gives": "over",
        "seen": "nowhere",
        "cases": ["matmul-f32-nn-4x4x4"],
    }
    return convert(plain | said, Bug)


def record(name: str, verdict: str, mlx: str) -> Record:
    return from_builtins(
        {
            "case": "matmul-f32-nn-4x4x4 fill=integer tf32=on",
            "kind": "exact",
            "problem": {"op": "matmul", "dtype": "float32", "m": 4, "n": 4, "k": 4},
            "setting": {"tf32": "on"},
            "verdict": verdict,
            "backend": "cpu",
            "mlx": mlx,
            "nodeid": f"suites/regressions/test_corpus.py::test_corpus[{name} matmul-f32-nn-4x4x4]",
        }
    )


@pytest.mark.parametrize(
    ("mlx", "verdicts", "said", "text", "fits"),
    [
        ("0.30.6", ["over"], {}, "over", True),
        ("0.30.6", ["over", "exact"], {}, "over", True),
        ("0.30.6", ["exact"], {}, "right", False),
        ("0.30.6", ["crashed"], {}, "crashed", False),
        ("0.30.6", ["over", "crashed"], {}, "over, crashed", False),
        ("0.30.6", ["exact"], {"only": "a build of one's own"}, "right", True),
        ("0.31.0", ["exact", "within"], {}, "right", True),
        ("0.31.0", ["over"], {}, "over", False),
        ("0.31.0", ["unsupported"], {}, "unsupported", True),
        ("0.30.6", ["unsupported"], {"gives": "unsupported"}, "unsupported", True),
        ("0.31.0", ["unsupported"], {"gives": "unsupported"}, "unsupported", False),
        ("0.30.6", ["over"], {"backend": "metal"}, "over", False),
        ("0.30.6", ["exact"], {"backend": "metal"}, "right", True),
        ("0.30.6", [], {}, "not asked", True),
    ],
)
def test_what_a_version_ends_a_bug_in(
    wheels: ModuleType, mlx: str, verdicts: list[str], said: dict[str, Any], text: str, fits: bool
) -> None:
    one = bug(**said)
    ran = wheels._by_bug(
        [record("other", "exact", mlx)] + [record(one.id, v, mlx) for v in verdicts]
    )
    found = wheels.cell(one, ran)
    assert (found.text, found.fits) == (text, fits)


def test_the_table_has_what_is_red_or_unlike_and_marks_it(wheels: ModuleType) -> None:
    bugs = [bug("mlx-1-red"), bug("mlx-2-green", mlx="none"), bug("mlx-3-unlike")]
    verdicts = ("over", "exact", "exact")
    records = [record(one.id, v, "0.30.6") for one, v in zip(bugs, verdicts, strict=True)]
    ran = wheels._by_bug(records)
    found = list(wheels.rows(bugs, [ran]))
    assert [one.id for one, _ in found] == ["mlx-1-red", "mlx-3-unlike"]
    lines = wheels.table(found, [ran]).splitlines()
    assert [word.strip() for word in lines[0].strip("|").split("|")] == ["bug", "in MLX", "0.30.6"]
    assert lines[3].strip("| ").split("|")[-1].strip() == f"right{wheels.UNLIKE}"
