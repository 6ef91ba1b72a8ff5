"""The rerun command is one line that a shell takes apart into the very same words."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from pytest_applegpu.report.rerun import SHIPPED, Rerun

CASE = "matmul-f16-nt-64x64x4096-b2x3 fill=integer tf32=off"


def test_command_names_the_case_and_the_options() -> None:
    rerun = Rerun(options=("--applegpu-backend", "cpu", "--applegpu-seed", "7"))
    assert rerun.command(CASE) == (
        f"pytest suites --applegpu-case '{CASE}' --applegpu-backend cpu --applegpu-seed 7"
    )


def test_several_cases_repeat_the_option() -> None:
    assert Rerun(SHIPPED).command("a", "b") == (
        "pytest --pyargs pytest_applegpu.suites --applegpu-case a --applegpu-case b"
    )


def test_plain_command_adds_words() -> None:
    assert Rerun().plain("--applegpu-update-baselines") == (
        "pytest suites --applegpu-update-baselines"
    )


def test_quotes_and_blanks_survive_a_shell() -> None:
    python = "/opt/it's here/bin/python"
    words = shlex.split(Rerun(options=("--applegpu-python", python)).command(CASE))
    assert words[3] == CASE
    assert words[-1] == python


@pytest.mark.parametrize("word", ["a\nb", "tab\there's", "back\\slash\x1b[31m", "\u202ex"])
def test_unprintable_words_stay_on_one_line_and_survive_bash(word: str) -> None:
    command = Rerun(suites=(), options=(word,)).command()
    assert command.isprintable()
    shown = f"printf %s {command.removeprefix('pytest ')}"
    done = subprocess.run(["bash", "-c", shown], capture_output=True, check=True)
    assert done.stdout.decode() == word
