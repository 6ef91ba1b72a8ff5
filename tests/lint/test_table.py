"""The table of kinds: rules in their order, each kind with its smallest problem as a line."""

import json

from pytest_applegpu.lint.shrink import shrunk_kinds
from pytest_applegpu.lint.table import table
from pytest_applegpu.routing.lines import call_of
from tests.lint.linting import addmm, found, matmul


def test_rules_once_kinds_below_and_lines_that_read_back() -> None:
    cases = (matmul(32, 32, 144, arch="g15s"), matmul(30, 30, 144, arch="g16g", dtype="complex64"))
    findings = [one for case in cases for one in found("empty-partition", case)]
    findings += found("addend-dropped", addmm(64, 128, 96, alpha=0.0))
    lines = table(shrunk_kinds(findings)).splitlines()
    assert lines[0].startswith("wrong: addend-dropped - ")
    assert sum(line.startswith("slow: empty-partition") for line in lines) == 1
    assert any("splitk, without NAX, letters gs, 2 calls: K = 144" in line for line in lines)
    read = [call_of(json.loads(line)) for line in lines if line.lstrip().startswith("{")]
    assert len(read) == 2
    assert lines[-1].startswith("2 kinds of findings")


def test_nothing_found() -> None:
    assert table([]).startswith("0 kinds of findings")
