"""`--applegpu-shapes`: what a model multiplies, in place of the planned cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from tests.conftest import CASE, Suites

Logged = Callable[..., list[dict[str, Any]]]

CPU = ("--applegpu-backend", "cpu", "--applegpu-tf32", "off")
TEXTS = ("matmul-f32-nt-8x8x8", "quantized_matmul-f16-nt-2x8x64 bits=4 group=64")


@pytest.fixture
def file(pytester: pytest.Pytester) -> Path:
    """Write a set of two problems."""
    path = pytester.path / "mine.toml"
    path.write_text("\n".join(f'[[problem]]\ncase = "{text}"' for text in TEXTS))
    return path


@pytest.mark.usefixtures("file")
def test_the_numbers_of_each_problem_are_proved(logged: Logged) -> None:
    records = logged(*CPU, "--applegpu-shapes", "mine.toml", "-k", "not throughput")
    assert [(record["case"].partition(" fill")[0], record["kind"]) for record in records] == [
        (TEXTS[0], "exact"),
        (TEXTS[0], "bounded"),
        (TEXTS[1], "exact"),
        (TEXTS[1], "bounded"),
    ]


@pytest.mark.usefixtures("file")
def test_formats_narrow_it_and_cases_come_to_it(logged: Logged) -> None:
    words = ("--applegpu-shapes", "mine.toml", "--applegpu-dtypes", "f16", "-k", "not throughput")
    records = logged(*CPU, *words, "--applegpu-case", CASE)
    assert [record["case"] for record in records] == [
        CASE,
        f"{TEXTS[1]} fill=integer tf32=off",
        f"{TEXTS[1]} fill=normal tf32=off",
    ]


@pytest.mark.usefixtures("file")
def test_ini_twin_and_a_timed_case_for_each(suites: Suites, ini: Callable[..., None]) -> None:
    ini("applegpu_shapes = mine.toml")
    result = suites(*CPU, "--collect-only", "-q")
    lines = [line for line in result.outlines if line.startswith(("conformance/", "throughput/"))]
    assert [text for text in TEXTS for line in lines if f"[{text} fill=" in line] == [
        text for text in TEXTS for _ in range(3)
    ]
    assert len(lines) == 6
    assert sum("check=throughput" in line for line in lines) == len(TEXTS)


def test_a_shipped_set_by_its_name(suites: Suites) -> None:
    result = suites(*CPU, "--applegpu-shapes", "llama-2-7b-4bit,clip-vit-l-14", "--collect-only")
    result.stdout.fnmatch_lines(
        [
            "*matmul-f32-nt-256x1024x588 fill=integer*",
            "*quantized_matmul-f16-nt-512x4096x4096 bits=4 group=64 fill=integer check=projection*",
        ]
    )
    assert result.ret == pytest.ExitCode.OK


def test_another_name_lists_those_there_are(suites: Suites) -> None:
    result = suites("--applegpu-shapes", "llama")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-shapes: 'llama' is not one of llama-2-7b,*file*"])


def test_a_wrong_file_is_named_with_entry_and_field(suites: Suites, file: Path) -> None:
    file.write_text('[[problem]]\ncase = "matmul-f32-nt-8x8"')
    result = suites("--applegpu-shapes", "mine.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"*--applegpu-shapes: {file}: problem 1: case: *is not a problem*"]
    )


def config(*lines: str) -> Config:
    def lookup(option: Option) -> tuple[str, ...] | None:
        return lines if option.name == "shapes" else None

    return read_config(lookup, Path("/root"), Path("/here"))


def test_names_stay_and_paths_are_made_whole() -> None:
    found = config("qwen3-8b, mine.toml", "/other/mine.toml", "qwen3-8b")
    assert found.shapes == ("qwen3-8b", "/here/mine.toml", "/other/mine.toml")
    assert found.choice[-2:] == ("--applegpu-shapes", "qwen3-8b")
    assert found.is_chosen
    assert not config().is_chosen
