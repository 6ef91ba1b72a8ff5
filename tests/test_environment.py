"""`make suite` and `make test` build .venv once, and again only when something has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Stands for both python3 and .venv/bin/python: writes down what it is asked to do, and, asked for
# a virtual environment, makes one that holds itself.
PYTHON = """#!/bin/sh
case "$*" in
-c*) exit {fitness} ;;
--version) echo Python {version} ;;
"-m venv .venv") echo venv >>"$CALLS"; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
*) echo "$*" >>"$CALLS" ;;
esac
"""

INSTALL = "-m pip --disable-pip-version-check install --quiet"


@dataclass(frozen=True)
class Checkout:
    """A copy of the set-up files, with stand-ins for the commands that they call."""

    folder: Path
    tools: Path
    calls: Path

    def put(self, name: str, text: str) -> None:
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "CALLS": str(self.calls),
            "HOME": str(self.folder),
        }
        return subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def build(self, *words: str) -> list[str]:
        """Run the set-up and return what Python was asked to do."""
        self.calls.write_text("")
        done = self.run("sh", ".ci/environment", *words)
        assert done.returncode == 0, done.stderr
        return self.calls.read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder, tools = tmp_path / "check out", tmp_path / "tools"
    (folder / ".ci").mkdir(parents=True)
    tools.mkdir()
    shutil.copy(ROOT / ".ci" / "environment", folder / ".ci")
    shutil.copy(ROOT / "Makefile", folder)
    (folder / "pyproject.toml").write_text("[project]\n")
    made = Checkout(folder, tools, tmp_path / "calls")
    made.put("python3", PYTHON.format(fitness=0, version="3.12.1"))
    return made


def test_first_run_makes_the_environment_and_installs(checkout: Checkout) -> None:
    assert checkout.build("cpu", "test", "lint") == [
        "venv",
        f"{INSTALL} --upgrade pip>=25.1",
        f"{INSTALL} --editable .[cpu]",
        f"{INSTALL} --group test",
        f"{INSTALL} --group lint",
    ]


def test_plain_mlx_needs_no_extra(checkout: Checkout) -> None:
    assert checkout.build("none")[-1] == f"{INSTALL} --editable ."


def test_second_run_does_nothing(checkout: Checkout) -> None:
    checkout.build("cpu", "test")
    assert checkout.build("cpu", "test") == []
    assert checkout.build("cpu") == []


def test_changed_project_is_installed_again_into_the_same_environment(checkout: Checkout) -> None:
    checkout.build("cpu", "test")
    (checkout.folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert checkout.build("cpu", "test") == [
        f"{INSTALL} --editable .[cpu]",
        f"{INSTALL} --group test",
    ]


def test_another_backend_never_joins_the_first(checkout: Checkout) -> None:
    checkout.build("cpu")
    assert checkout.build("cuda13")[0] == "venv"
    assert checkout.build("cuda13") == []


def test_moved_checkout_is_built_anew(checkout: Checkout) -> None:
    checkout.build("cpu")
    folder = checkout.folder.rename(checkout.folder.with_name("moved to"))
    moved = Checkout(folder, checkout.tools, checkout.calls)
    assert moved.build("cpu")[0] == "venv"


def test_interrupted_install_is_taken_up_again(checkout: Checkout) -> None:
    checkout.build("cpu")
    (checkout.folder / ".venv" / ".installed-project").unlink()
    assert checkout.build("cpu") == [f"{INSTALL} --editable .[cpu]"]


def test_broken_interpreter_is_replaced(checkout: Checkout) -> None:
    checkout.build("cpu")
    (checkout.folder / ".venv" / "bin" / "python").unlink()
    assert checkout.build("cpu")[0] == "venv"


@pytest.mark.parametrize("version", ["3.9.6", None])
def test_without_a_fit_python_the_message_says_what_to_do(
    checkout: Checkout, version: str | None
) -> None:
    checkout.build("none")
    command = "PYTHON=python9"
    if version:
        checkout.put("python9", PYTHON.format(fitness=1, version=version))
    done = checkout.run("make", "suite", "EXTRA=cpu", command)
    found = f"Python {version}" if version else "not there"
    assert done.returncode == 2
    assert f"Python 3.11 or newer is needed, and 'python9' is {found}." in done.stderr
    assert "make PYTHON=/path/to/python3.12" in done.stderr
    assert (checkout.folder / ".venv" / ".made-for").read_text().startswith("none ")


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="Linux alone has backends to pick")
@pytest.mark.parametrize(
    ("driver", "extra"),
    [
        ("#!/bin/sh\necho 'GPU 0: NVIDIA H200 (UUID: GPU-1)'\n", "cuda13"),
        ("#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n", "cpu"),
        (None, "cpu"),
    ],
)
def test_make_picks_the_backend_that_fits(
    checkout: Checkout, driver: str | None, extra: str
) -> None:
    checkout.put("nvidia-smi", driver or "#!/bin/sh\nexit 127\n")
    done = checkout.run("make", "--dry-run", "suite")
    assert f".ci/environment {extra}\n" in done.stdout


def test_make_runs_what_is_asked_for(checkout: Checkout) -> None:
    checkout.build("cpu", "test")
    checkout.calls.write_text("")
    checkout.run("make", "suite", "EXTRA=cpu", "ARGS=--applegpu-case 'a b'")
    checkout.run("make", "test", "EXTRA=cpu", "ARGS=-x")
    assert checkout.calls.read_text().splitlines() == [
        "-m pytest suites --applegpu-case a b",
        "-m pytest -n auto --dist loadfile -x",
    ]
