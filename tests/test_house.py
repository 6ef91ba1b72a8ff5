"""What import-linter cannot see: imports by name, and pages that must keep up with the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pytest_applegpu.options import OPTIONS
from pytest_applegpu.words import NUMBERS, SPEED

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "pytest_applegpu"
BY_NAME = ("import_module", "__import__")
CHILD = PACKAGE / "worker" / "child" / "library.py"


def imported(source: str) -> set[str]:
    """Return what `source` imports, by statement or by `importlib.import_module("...")`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(BY_NAME):
            found |= {
                arg.value
                for arg in node.args
                if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            }
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import mlx.core as mx",
        "from mlx import core",
        "import importlib\ndef load():\n    return importlib.import_module('mlx.core')",
        "core = __import__('mlx.core')",
    ],
)
def test_every_way_of_importing_is_seen(source: str) -> None:
    assert any(name.startswith("mlx") for name in imported(source))


def test_mlx_is_imported_in_the_child_alone() -> None:
    files = [path for folder in (PACKAGE, ROOT / "suites") for path in folder.rglob("*.py")]
    importing = {
        path
        for path in files
        if any(name.split(".")[0] == "mlx" for name in imported(path.read_text("utf-8")))
    }
    assert importing == {CHILD}


def test_the_readme_lists_every_option_with_its_default() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(--applegpu-[a-z0-9-]+)[^`]*` \| ([^|]*) \|", text, re.MULTILINE))
    assert set(rows) == {option.flag for option in OPTIONS}
    for option in OPTIONS:
        if isinstance(option.default, str) and option.default:
            assert f"`{option.default}`" in rows[option.flag], option.flag


def test_every_verdict_is_explained() -> None:
    text = (ROOT / "docs" / "how-to-read-a-failure.md").read_text("utf-8")
    assert [word for word in {*NUMBERS, *SPEED} if f"| `{word}` |" not in text] == []


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    broken = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []
