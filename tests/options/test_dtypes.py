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
    assert collected(suites(*FEW, "cpu", "--applegpu-dtypes", "float16,bf16")) == {
        "f16",
        "bf16",
    }


def test_all_is_what_the_backend_has(suites: Suites, ini: Callable[..., None]) -> None:
    assert collected(suites(*FEW, "cpu")) == {"f32", "f16", "bf16", "c64", "f64"}
    assert collected(suites(*FEW, "metal")) == {"f32", "f16", "bf16", "c64"}
    ini("applegpu_dtypes = float32")
    assert collected(suites(*FEW, "cpu")) == {"f32"}


def test_unknown_name_lists_those_there_are(suites: Suites) -> None:
    result = suites("--applegpu-dtypes", "f32,int8")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-dtypes: 'int8' is not one of float32 (f32)*"])


def test_no_name_at_all_lists_those_there_are(suites: Suites) -> None:
    result = suites("--applegpu-dtypes", "")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-dtypes: '' is not one of float32 (f32)*, or all"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("applegpu_dtypes = f31", "applegpu_dtypes in tox.ini: 'f31' is not one of float32*"),
        ("applegpu_tier = smoky", "applegpu_tier in tox.ini: 'smoky' is not one of smoke*"),
        ("applegpu_case = matmul", "applegpu_case in tox.ini: 'matmul': *"),
        ("applegpu_update_baselines = perhaps", "applegpu_update_baselines: *perhaps*"),
    ],
)
def test_a_bad_value_in_an_ini_file_is_named_by_its_name_there(
    suites: Suites, ini: Callable[..., None], line: str, said: str
) -> None:
    ini(line)
    result = suites("--collect-only", "-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert "test_matmul" not in str(result.stderr)


def test_a_format_that_the_backend_lacks_is_said_to_be_unsupported(suites: Suites) -> None:
    result = suites("--applegpu-backend", "metal", "--applegpu-dtypes", "f64", "--collect-only")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-dtypes: metal has no float64*"])
