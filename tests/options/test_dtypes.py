"""`--applegpu-dtypes`: which formats are run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Suites


def collected(result: pytest.RunResult) -> set[str]:
    """Return the formats of the collected cases."""
    lines = [line.partition("[matmul-")[2] for line in result.outlines if "[matmul-" in line]
    return {line.partition("-")[0] for line in lines}


FEW = ("--collect-only", "-q", "--applegpu-backend")


def test_long_and_short_names(suites: Suites) -> None:
    assert collected(suites(*FEW, "cpu", "--applegpu-dtypes", "float16,bf16", apart=True)) == {
        "f16",
        "bf16",
    }


def test_all_is_what_the_backend_has(suites: Suites, ini: Callable[..., None]) -> None:
    assert collected(suites(*FEW, "cpu", apart=True)) == {"f32", "f16", "bf16", "c64", "f64"}
    assert collected(suites(*FEW, "metal", apart=True)) == {"f32", "f16", "bf16", "c64"}
    ini("applegpu_dtypes = float32")
    assert collected(suites(*FEW, "cpu", apart=True)) == {"f32"}


def test_unknown_name_lists_those_there_are(suites: Suites) -> None:
    result = suites("--applegpu-dtypes", "f32,int8")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-dtypes: 'int8' is not one of float32 (f32)*"])


def test_a_format_that_the_backend_lacks_is_said_to_be_unsupported(suites: Suites) -> None:
    result = suites("--applegpu-backend", "metal", "--applegpu-dtypes", "f64", "--collect-only")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-dtypes: metal has no float64*"])
