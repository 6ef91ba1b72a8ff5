"""`--applegpu-nax`: with the neural accelerators, without them, or both in one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.config import Config, read_config
from tests.conftest import Suites


def config(**said: str) -> Config:
    return read_config(lambda option: said.get(option.name), Path("/"), Path("/"))


@pytest.mark.parametrize(
    ("mode", "expected"), [("on", ["on"]), ("off", ["off"]), ("both", ["on", "off"])]
)
def test_modes(mode: str, expected: list[str]) -> None:
    assert [one.nax for one in config(nax=mode, tf32="on").settings] == expected


def test_each_is_run_under_each_tf32_setting() -> None:
    found = [str(one) for one in config(nax="both").settings]
    assert found == ["tf32=on", "tf32=off", "tf32=on nax=off", "tf32=off nax=off"]


def test_other_words_are_refused() -> None:
    with pytest.raises(pytest.UsageError, match="--applegpu-nax: 'maybe' is not one of on, off"):
        config(nax="maybe")


def test_a_backend_without_nax_refuses(suites: Suites) -> None:
    result = suites("--applegpu-backend", "cpu", "--applegpu-nax", "off")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-nax: cpu has no Metal dispatch to direct*"])
