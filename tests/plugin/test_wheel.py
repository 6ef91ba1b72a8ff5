"""The suites travel inside the wheel, and run from an editable install as well."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import CASE

ROOT = Path(__file__).parents[2]
RUN = ("-m", "pytest", "--pyargs", "pytest_applegpu.suites", "--applegpu-backend", "cpu")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    words = ("-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet")
    copy = folder / "source"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
    subprocess.run([sys.executable, *words, "-w", str(folder), str(copy)], check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_runs_its_suites_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    environment = {**os.environ, "PYTHONPATH": str(site)}

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=empty, env=environment, capture_output=True, text=True, check=False
        )

    where = python("-c", "import pytest_applegpu.suites; print(pytest_applegpu.suites.__file__)")
    assert where.stdout.startswith(str(site))
    said = python(*RUN, "-p", "no:cacheprovider", "--applegpu-case", CASE)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "1 passed" in said.stdout
    assert {path.name for path in empty.iterdir()} <= {".benchmarks"}


def test_wheel_holds_what_it_needs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for name in (
        "pytest_applegpu/py.typed",
        "pytest_applegpu/worker/serve.py",
        "pytest_applegpu/worker/child/program.py",
        "pytest_applegpu/suites/conformance/test_matmul.py",
        "pytest_applegpu/suites/regressions/test_corpus.py",
        "pytest_applegpu/suites/throughput/test_matmul.py",
        "pytest_applegpu/cases/regressions/corpus.toml",
        "pytest_applegpu/device/data/chips.json",
    ):
        assert name in names
    roots = {name.partition("/")[0] for name in names}
    assert {root for root in roots if not root.endswith(".dist-info")} == {"pytest_applegpu"}


def test_editable_install_runs_its_suites_in_an_empty_folder(tmp_path: Path) -> None:
    words = (*RUN, "-p", "no:cacheprovider", "--applegpu-case", CASE)
    said = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert "1 passed" in said.stdout


def test_module_is_the_command(tmp_path: Path) -> None:
    words = ("-m", "pytest_applegpu", "device", "--json", "--backend", "cpu", "--tf32", "off")
    said = subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert '"backend": "cpu"' in said.stdout
    assert '"tf32=off": "full float32"' in said.stdout
