"""Reading a file of known issues: what is amiss is one message, and what is shipped is sound."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.issues.entries import LONGEST, MOST, EntryFileError
from pytest_applegpu.issues.known import SHIPPED, read_issues

GOOD = """
[[issue]]
id = "one"
what = "it is wrong"
link = "https://example.org/1"
verdict = "over"
mlx = ">=0.32"

[[issue.match]]
op = "matmul"
sizes = { k = "== 0", "m*n" = "> 1" }
"""


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "mine.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def message(folder: Path, text: str | bytes) -> str:
    file = write(folder, text)
    with pytest.raises(EntryFileError) as caught:
        read_issues(file)
    said = str(caught.value)
    assert said.startswith(f"{file}: ")
    return said.removeprefix(f"{file}: ")


def test_a_file_is_read(tmp_path: Path) -> None:
    first, second = read_issues(write(tmp_path, GOOD + GOOD.replace('"one"', '"two"')))
    assert (first.id, second.id) == ("one", "two")
    assert first.source == "https://example.org/1"
    assert first.match[0].sizes == {"k": "== 0", "m*n": "> 1"}


def test_an_empty_file_holds_none(tmp_path: Path) -> None:
    assert read_issues(write(tmp_path, "")) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[issue]", "not valid TOML: "),
        ("a = 1\na = 2", "not valid TOML: "),
        (b"a = '\xff'", "'utf-8' codec can't decode"),
        ("issues = []", "'issues' is not known here: the file holds [[issue]] alone"),
        ("issue = 1", "issue is no list: write [[issue]]"),
        ("issue = [1]", "entry 1: Expected `object`, got `int`"),
        ("[[issue]]\nwhat = 'x'", "entry 1: Object missing required field `id`"),
        (GOOD.replace("over", "wrong"), "entry 'one': verdict 'wrong' is not one of over, "),
        (
            GOOD.replace("what", "why"),
            "entry 'one': Object contains unknown field `why`, known are ",
        ),
        (GOOD.replace("op =", "oper ="), "entry 'one': match[0]: Object contains unknown field "),
        (GOOD.replace("matmul", "mul"), "entry 'one': match[0]: op 'mul' is not one of matmul, "),
        (GOOD.replace('"== 0"', "0"), "entry 'one': match[0].sizes[...]: Expected `str`"),
        (GOOD + GOOD, "entry 2: the id 'one' stands twice"),
        (GOOD.replace('"one"', '"o\\u001bne"'), "entry 'o\\x1bne': id 'o\\x1bne' is not words"),
    ],
)
def test_what_is_amiss_is_named(tmp_path: Path, text: str | bytes, said: str) -> None:
    found = message(tmp_path, text)
    assert found.startswith(said)
    assert "\n" not in found


def test_an_unknown_field_of_a_rule_is_answered_with_those_of_rules(tmp_path: Path) -> None:
    found = message(tmp_path, GOOD.replace("op =", "oper ="))
    assert found.endswith(
        "known are op, dtype, transpose, layouts, params, sizes, fill, check, flaw, tf32, nax"
    )


@pytest.mark.parametrize("deep", ["x = " + "[\n" * 100_000, "x" + ".x" * 900 + " = 1"])
def test_what_is_nested_too_deeply_is_no_traceback(tmp_path: Path, deep: str) -> None:
    assert message(tmp_path, deep)


def test_a_long_line_is_not_read(tmp_path: Path) -> None:
    found = message(tmp_path, f"# {'x' * LONGEST}\n")
    assert found == f"line 1 is longer than {LONGEST} characters"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    assert message(tmp_path, "#" * (MOST + 1)) == f"larger than {MOST} bytes"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.toml"):
        with pytest.raises(EntryFileError, match=r": there is no such file$"):
            read_issues(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, GOOD)
    file.chmod(0)
    with pytest.raises(EntryFileError, match=r"Permission denied"):
        read_issues(file)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = write(tmp_path_factory.mktemp("issues"), text.encode("utf-8", "surrogatepass"))
    try:
        found = read_issues(file)
    except EntryFileError:
        return
    assert found == ()


def test_the_shipped_issues_are_sound_and_bound_to_versions_and_backends() -> None:
    shipped = read_issues(SHIPPED)
    assert all(one.mlx and one.backend for one in shipped)
    pages = {one.evidence.partition(",")[0] for one in shipped if one.evidence}
    root = Path(__file__).parents[2]
    assert all((root / page).is_file() for page in pages)
