"""Without the suites the plugin is silent and loads nothing that takes time."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("mlx", "scipy", "numpy", "ml_dtypes", "msgspec", "pytest_applegpu.session")


def test_a_run_without_suites_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys

        def test_own():
            assert not set({HEAVY!r}) & set(sys.modules)
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:benchmark", "-p", "no:hypothesispytest")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*applegpu*measured*")
    result.stdout.no_fnmatch_line("*= applegpu =*")


def test_the_plugin_module_alone_loads_nothing_heavy() -> None:
    script = (
        "import sys, pytest; before = set(sys.modules); import pytest_applegpu.plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = said.stdout.split()
    assert [name for name in loaded if name.startswith("pytest_applegpu")] == [
        "pytest_applegpu",
        "pytest_applegpu.options",
        "pytest_applegpu.plugin",
    ]
    assert len(loaded) < 10


def test_options_stand_in_the_help(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("--help")
    for name in ("backend", "tf32", "tier", "update-baselines", "case"):
        result.stdout.fnmatch_lines([f"*--applegpu-{name}*"])
    result.stdout.fnmatch_lines(["*applegpu_tier (string):*"])


def test_the_marker_is_known(pytester: pytest.Pytester) -> None:
    pytester.runpytest_subprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.applegpu(op, *"])
