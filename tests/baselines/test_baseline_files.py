"""Files are read whole or refused in one line, written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_applegpu.baselines import lock, places, store
from pytest_applegpu.baselines.records import BaselineError, Record, run_id
from pytest_applegpu.baselines.store import find, read, rewrite
from pytest_applegpu.baselines.text import encode
from tests.baselines.samples import BASELINE, CASE, KEY, NUMBERS, OTHER, RUN, SPEED

TEXT = encode(BASELINE).encode()

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def _refused(path: Path, content: bytes) -> str:
    """Read a damaged file: it must be refused by name, in one line, and stay as it is."""
    path.write_bytes(content)
    with pytest.raises(BaselineError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    with pytest.raises(BaselineError, match=f"{KEY}.json"):
        rewrite(path, lambda _: BASELINE)
    assert path.read_bytes() == content
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    return message


def test_what_is_written_is_read(stored: Path) -> None:
    assert read(stored) == BASELINE
    assert [one.name for one in stored.parent.iterdir()] == [stored.name]


@same_folder
@given(st.integers(0, len(TEXT) - 3))
def test_a_truncated_file(stored: Path, length: int) -> None:
    assert "not valid JSON at line" in _refused(stored, TEXT[:length])


def _complaint(path: Path) -> str:
    try:
        return f"{path}: none, {len(read(path).cases)} cases"
    except BaselineError as error:
        return str(error)


@same_folder
@given(st.integers(0, len(TEXT) - 1), st.binary(min_size=1, max_size=3))
def test_garbage_in_the_middle_is_refused_or_harmless(
    stored: Path, place: int, garbage: bytes
) -> None:
    stored.write_bytes(TEXT[:place] + garbage + TEXT[place + len(garbage) :])
    assert _complaint(stored).startswith(f"{stored}: ")


Address = tuple[str, ...]


def _fields() -> list[Address]:
    """Every field of the file, by its address."""
    found: list[Address] = []

    def walk(value: object, address: Address) -> None:
        for name, one in value.items() if isinstance(value, dict) else ():
            found.append((*address, name))
            walk(one, (*address, name))

    walk(json.loads(TEXT), ())
    return found


OPTIONAL = {("cases", CASE), ("cases", OTHER), ("cases", CASE, "numbers"), ("cases", CASE, "speed")}
"""Entries of a table, and parts of a record that has another: a file may do without them."""


@same_folder
@given(st.sampled_from([one for one in _fields() if one not in OPTIONAL]))
def test_a_deleted_field(stored: Path, address: Address) -> None:
    plain = json.loads(TEXT)
    *outer, last = address
    holder = plain
    for name in outer:
        holder = holder[name]
    del holder[last]
    _refused(stored, json.dumps(plain).encode())


@same_folder
@given(
    st.sampled_from(_fields()),
    st.sampled_from([[], ["x"], {"x": 1}, True, -1, "\x00", 1e300 * 10, "Ω" * 600]),
)
def test_a_field_of_another_type(stored: Path, address: Address, wrong: object) -> None:
    plain = json.loads(TEXT)
    *outer, last = address
    holder = plain
    for name in outer:
        holder = holder[name]
    holder[last] = wrong
    _refused(stored, json.dumps(plain).encode())


@same_folder
@given(st.sampled_from(_fields()))
def test_an_unknown_field(stored: Path, address: Address) -> None:
    plain = json.loads(TEXT)
    holder = plain
    for name in address:
        if isinstance(holder[name], dict):
            holder = holder[name]
    holder["surprise"] = 1
    assert "surprise" in _refused(stored, json.dumps(plain).encode())


def test_bytes_that_are_no_text(stored: Path) -> None:
    assert _refused(stored, TEXT.replace(b"Pro", b"P\xffo")).endswith("not UTF-8 at byte 97")


def test_a_file_of_other_hardware_is_never_used(stored: Path) -> None:
    copied = stored.with_name("metal-m5-10c.json")
    shutil.copy(stored, copied)
    with pytest.raises(BaselineError, match=f'"{KEY}" is not the file\'s name, "metal-m5-10c"'):
        find("metal-m5-10c", [stored.parent])


def test_a_file_too_large_is_not_read(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LARGEST", 100)
    with pytest.raises(BaselineError, match="larger than 0 MiB"):
        read(stored)


def test_a_folder_in_its_place_and_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    with pytest.raises(BaselineError, match=r"x\.json: cannot be read: Is a directory"):
        read(tmp_path / "x.json")
    with pytest.raises(BaselineError, match="no such file"):
        read(tmp_path / "y.json")


def test_control_characters_of_a_name_are_escaped(tmp_path: Path) -> None:
    with pytest.raises(BaselineError) as caught:
        read(tmp_path / "a\x1b[31m\nb.json")
    assert "\\x1b[31m\\nb.json" in str(caught.value)


def test_nothing_found_is_an_empty_shelf(tmp_path: Path, stored: Path) -> None:
    shelf = find("cuda-h200-132c", [tmp_path / "missing", stored, stored.parent])
    assert shelf.layers == ()
    assert shelf.speed(CASE) is None
    assert shelf.numbers(CASE) is None


def test_the_first_folder_wins_and_the_next_fills_the_rest(tmp_path: Path, stored: Path) -> None:
    later = replace(RUN, mlx="0.33.0")
    mine = replace(SPEED, run=run_id(later), seconds=2.46e-3)
    own = tmp_path / "own" / stored.name
    rewrite(
        own,
        lambda _: replace(BASELINE, runs={run_id(later): later}, cases={CASE: Record(speed=mine)}),
    )
    shelf = find(KEY, [own.parent, stored.parent, stored.parent])
    assert len(shelf.layers) == 2
    speed, numbers, other = shelf.speed(CASE), shelf.numbers(CASE), shelf.speed(OTHER)
    assert speed is not None
    assert (speed.part, speed.run, speed.path) == (mine, later, own)
    assert numbers is not None
    assert (numbers.part, numbers.run, numbers.path) == (NUMBERS, RUN, stored)
    assert other is not None
    assert other.path == stored


@pytest.mark.parametrize("key", ["../evil", "a/b", "", ".hidden", "a\nb", "a b"])
def test_a_key_that_is_no_file_name(tmp_path: Path, key: str) -> None:
    with pytest.raises(BaselineError, match="not a baseline's key"):
        find(key, [tmp_path])


@pytest.mark.parametrize("inside", ["lib/site-packages/baselines", "dist-packages"])
def test_installed_packages_are_not_written(tmp_path: Path, inside: str) -> None:
    path = tmp_path / inside / f"{KEY}.json"
    with pytest.raises(BaselineError, match="not written into installed packages"):
        rewrite(path, lambda _: BASELINE)
    assert not path.parent.exists()


def test_the_product_itself_is_not_written() -> None:
    path = Path(places.__file__).parent / "shipped" / f"{KEY}.json"
    with pytest.raises(BaselineError, match="--applegpu-baselines"):
        rewrite(path, lambda _: BASELINE)
    assert not path.exists()


def test_shipped_baselines_lie_beside_pyproject_in_a_checkout() -> None:
    root = Path(places.__file__).parents[2]
    assert (root / "pyproject.toml").is_file()
    assert places.shipped_folder() == root / "baselines"


def test_shipped_baselines_lie_where_a_wheel_puts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Laid out as a wheel is, and asked for in a process that sees nothing else of the product.
    package = Path(places.__file__).parents[1]
    shutil.copytree(package / "baselines", tmp_path / "pytest_applegpu" / "baselines")
    for name in ("__init__.py", "words.py"):
        shutil.copy(package / name, tmp_path / "pytest_applegpu" / name)
    shipped = tmp_path / "pytest_applegpu" / "baselines" / "shipped"
    shipped.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code = "from pytest_applegpu.baselines.places import shipped_folder as f; print(f())"
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert said.stdout.strip() == str(shipped)


def test_a_failed_write_leaves_the_old_file_alone(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BaselineError, match="cannot be written: No space left on device"):
        rewrite(stored, lambda _: replace(BASELINE, cases={}))
    monkeypatch.undo()
    assert read(stored) == BASELINE
    assert [one.name for one in stored.parent.iterdir()] == [stored.name]


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "baselines").touch()
    with pytest.raises(BaselineError, match="cannot be written: "):
        rewrite(tmp_path / "baselines" / f"{KEY}.json", lambda _: BASELINE)


def test_the_wrong_key_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    with pytest.raises(BaselineError, match=r"other\.json: not written: \$\.key"):
        rewrite(path, lambda _: BASELINE)
    assert not path.exists()


def test_a_lock_held_for_too_long(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0)
    monkeypatch.setattr(lock, "place", lambda: tmp_path / "own.lock")
    with lock.locked(0), pytest.raises(BaselineError, match="another run has been writing"):
        rewrite(stored, lambda _: BASELINE)
    rewrite(stored, lambda _: BASELINE)


def test_the_lock_is_one_file_outside_the_folder_of_baselines(stored: Path) -> None:
    rewrite(stored, lambda _: BASELINE)
    assert [one.name for one in stored.parent.iterdir()] == [stored.name]
    assert lock.place().exists()
    assert stored.parent not in lock.place().parents


def test_a_linked_file_stays_a_link(tmp_path: Path, stored: Path) -> None:
    link = tmp_path / f"{KEY}.json"
    link.symlink_to(stored)
    rewrite(link, lambda _: replace(BASELINE, cases={}))
    assert link.is_symlink()
    assert read(stored).cases == {}


WRITER = """
import sys
from pathlib import Path
from tests.baselines.samples import BASELINE, SPEED, OTHER
from msgspec.structs import replace
from pytest_applegpu.baselines.records import Record
from pytest_applegpu.baselines.update import write
who = sys.argv[2]
for number in range(8):
    case = f"matmul-f32-nn-{who}x1x{number + 1} tf32=on"
    write(Path(sys.argv[1]), replace(BASELINE, cases={case: Record(speed=SPEED)}))
"""


def test_runs_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(who)],
            env={**os.environ, "PYTHONPATH": path},
        )
        for who in range(1, 5)
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    expected = {f"matmul-f32-nn-{who}x1x{k} tf32=on" for who in range(1, 5) for k in range(1, 9)}
    assert read(tmp_path / f"{KEY}.json").cases.keys() == expected
    assert [one.name for one in tmp_path.iterdir()] == [f"{KEY}.json"]
