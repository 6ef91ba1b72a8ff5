"""A bundle has a folder of its own, and replaces an earlier one of the same case alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pytest_applegpu.bundle.folder import BundleError, slug, write, write_facts
from pytest_applegpu.bundle.operand import Held
from pytest_applegpu.bundle.script import Repro

CASE = "matmul-f32-nt-8x8x8 a=pad:8 fill=integer tf32=off"


def repro(size: int = 2) -> Repro:
    one = np.ones((size, size), np.float32)
    operands = (Held("a", "float32", one), Held("b", "float32", one))
    return Repro(CASE, operands, "mx.matmul(a, b)", "np.matmul(a, b)", "float32", (size, size))


def test_the_name_is_the_case() -> None:
    assert slug(CASE) == "matmul-f32-nt-8x8x8-a-pad-8-fill-integer-tf32-off"


def test_long_names_are_cut_and_told_apart() -> None:
    names = {slug(f"matmul-{'1x' * 200}{n}") for n in range(9)}
    assert len(names) == 9
    assert max(map(len, names)) <= 120


def test_few_numbers_stand_in_the_program(tmp_path: Path) -> None:
    folder = write(tmp_path / "new" / "folder", CASE, repro(), "<svg/>")
    assert {one.name for one in folder.iterdir()} == {"repro.py", "facts.json", "map.svg"}
    assert (folder / "map.svg").read_text() == "<svg/>"


def test_many_lie_beside_it(tmp_path: Path) -> None:
    folder = write(tmp_path, CASE, repro(64), None)
    assert {one.name for one in folder.iterdir()} == {"repro.py", "facts.json", "operands.npz"}
    with np.load(folder / "operands.npz") as arrays:
        assert sorted(arrays) == ["a", "b"]


def test_the_same_case_replaces_its_own(tmp_path: Path) -> None:
    write(tmp_path, CASE, repro(64), "<svg/>")
    folder = write(tmp_path, CASE, repro(), None)
    assert {one.name for one in folder.iterdir()} == {"repro.py", "facts.json"}


def test_notes_of_yours_stay(tmp_path: Path) -> None:
    folder = write(tmp_path, CASE, repro(), None)
    (folder / "notes.txt").write_text("mine")
    write(tmp_path, CASE, repro(), None)
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text"),
    [("facts.json", '{"case": "another"}'), ("facts.json", "[]"), ("notes.txt", "mine")],
)
def test_anything_else_is_left_alone(tmp_path: Path, name: str, text: str) -> None:
    folder = tmp_path / slug(CASE)
    folder.mkdir()
    (folder / name).write_text(text)
    with pytest.raises(BundleError, match=r"exists and holds no bundle of matmul-f32-nt-8x8x8"):
        write(tmp_path, CASE, repro(), None)
    assert [one.name for one in folder.iterdir()] == [name]
    assert (folder / name).read_text() == text


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BundleError, match=r"file/.*cannot be written: Not a directory"):
        write(tmp_path / "file", CASE, repro(), None)


def test_facts_are_json(tmp_path: Path) -> None:
    folder = write(tmp_path, CASE, repro(), None)
    write_facts(folder, {"case": CASE, "share": "inf"})
    assert json.loads((folder / "facts.json").read_text()) == {"case": CASE, "share": "inf"}
    assert not list(folder.glob(".*"))
