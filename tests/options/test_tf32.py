"""`--applegpu-tf32`: each setting runs in a worker of its own, and is measured there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Suites

TEXT = "matmul-f32-nt-16x17x33 fill=integer"
Logged = Callable[..., list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("mode", "settings"), [("on", ["on"]), ("off", ["off"]), ("both", ["on", "off"])]
)
def test_modes(logged: Logged, mode: str, settings: list[str]) -> None:
    records = logged("--applegpu-tf32", mode, "--applegpu-case", TEXT)
    assert [record["setting"]["tf32"] for record in records] == settings


def test_both_is_the_default_and_the_ini_twin_changes_it(
    logged: Logged, ini: Callable[..., None]
) -> None:
    assert len(logged("--applegpu-case", TEXT)) == 2
    ini("applegpu_tf32 = off")
    assert len(logged("--applegpu-case", TEXT)) == 1


def test_header_says_what_was_measured(suites: Suites) -> None:
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", TEXT)
    result.stdout.fnmatch_lines(["tf32=on measured: full float32; tf32=off measured: full float32"])


def test_header_shows_a_setting_that_is_not_kept(suites: Suites) -> None:
    text = "matmul-f32-nt-8x8x8 fill=onehot"
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", text, fault="tf32_while_off")
    result.stdout.fnmatch_lines(["*tf32=off measured: TF32-class (11 bits, truncated)"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)


def test_other_words_are_refused(suites: Suites) -> None:
    result = suites("--applegpu-tf32", "maybe")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-tf32: 'maybe' is not one of on, off, both*"])
