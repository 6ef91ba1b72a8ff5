"""`applegpu shapes`: the sets that are shipped, and what is in one."""

from __future__ import annotations

import pytest

from pytest_applegpu.cli import main
from pytest_applegpu.shapes.models import shipped
from pytest_applegpu.shapes.read import parse_shapes

Captured = pytest.CaptureFixture[str]


def test_every_set_is_listed(capsys: Captured) -> None:
    assert main(["shapes"]) == 0
    said = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in said] == list(shipped())


def test_a_set_is_printed_as_a_file_that_reads_back(capsys: Captured) -> None:
    assert main(["shapes", "qwen3-30b-a3b-4bit"]) == 0
    found = parse_shapes(capsys.readouterr().out, "other")
    assert found == shipped()["qwen3-30b-a3b-4bit"]


def test_another_name_is_bad_usage(capsys: Captured) -> None:
    assert main(["shapes", "llama"]) == 4
    assert "shapes: 'llama' is not one of llama-2-7b" in capsys.readouterr().err
