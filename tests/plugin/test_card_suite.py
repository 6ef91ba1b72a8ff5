"""Feature cards in a run: stored, read back, news where another is found, red where none is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.cli import main
from tests.conftest import REAL, Suites

Logged = Callable[..., list[dict[str, Any]]]

CPU = ("--applegpu-backend", "cpu")
UPDATE = "--applegpu-update-baselines"
SQUARE = "matmul-f32-nn-64x64x64 check=card"
CARD = ("--applegpu-case", SQUARE, "--applegpu-case", REAL)
"""A card under both settings, and a case whose error the fault below leaves in its bound."""

CUT = "tf32_while_on"
"""The fault: operands are cut to 11 bits where TF32 is on, which the bound allows."""

NEWS = (
    "operand A: 24 bits -> 11 bits, truncated",
    "operand B: 24 bits -> 11 bits, truncated",
    "products: rounded to 24 bits -> exact",
)


def cards(records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the records of cards by their TF32 setting."""
    return {one["setting"]["tf32"]: one for one in records if one["kind"] == "card"}


def test_a_smoke_run_has_the_cards_of_square_matrices(suites: Suites) -> None:
    result = suites(*CPU, "--collect-only", "-q", "--applegpu-dtypes", "f32", "-k", "card")
    ids = [line for line in result.outlines if "test_matmul_card[" in line]
    assert len(ids) == 2
    assert f"test_matmul_card[{SQUARE} tf32=on]" in "\n".join(ids)


def test_a_card_is_stored_and_another_one_is_news_and_no_failure(
    suites: Suites, logged: Logged, pytester: pytest.Pytester
) -> None:
    first = suites(*CPU, *CARD, UPDATE, fault="")
    first.stdout.fnmatch_lines([f"{SQUARE} tf32=on: card added: 15 features"])
    (path,) = (pytester.path / "baselines").glob("cpu-*.json")
    held = json.loads(path.read_text())["cases"][f"{SQUARE} tf32=on"]["card"]
    assert held["features"]["operand A"] == "24 bits"

    same = cards(logged(*CPU, *CARD, fault=""))
    assert [same[mode]["verdict"] for mode in ("on", "off")] == ["as stored"] * 2

    result = suites(*CPU, *CARD, "--applegpu-report-log", "log.jsonl", fault=CUT)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "*1 card changed, 1 as stored*",
            f"card changed: {'; '.join(NEWS)} ({SQUARE} tf32=on)",
            "changed since the baseline: TF32 measured no -> yes",
            "1 with another feature card than is stored; to store the new ones: *",
        ]
    )
    lines = (pytester.path / "log.jsonl").read_text().splitlines()
    found = cards([json.loads(line) for line in lines])
    assert found["on"]["verdict"] == "card changed"
    assert tuple(found["on"]["card"]["changed"]) == NEWS
    assert found["on"]["card"]["run"]["tf32_measured"] == "no"
    assert found["off"]["verdict"] == "as stored"

    accepted = suites(*CPU, *CARD, UPDATE, fault=CUT)
    accepted.stdout.fnmatch_lines([f"{SQUARE} tf32=on: card replaced: {'; '.join(NEWS)}"])
    again = cards(logged(*CPU, *CARD, fault=CUT))
    assert [again[mode]["verdict"] for mode in ("on", "off")] == ["as stored"] * 2


def test_the_command_says_what_changed_since(
    suites: Suites,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suites(*CPU, *CARD, UPDATE, fault="")
    monkeypatch.chdir(pytester.path)
    words = ["card", "--backend", "cpu", "--dtypes", "f32"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "as stored: 2 of 14",
        "without a stored card: 12 of 14",
    ]
    monkeypatch.setenv("APPLEGPU_TEST_FAULT", CUT)
    assert main([*words, "--json"]) == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    news = {(one["problem"], one["setting"]): one for one in columns if one["changed"]}
    assert list(news) == [("matmul-f32-nn-64x64x64", "tf32=on")]
    (one,) = news.values()
    assert (one["verdict"], tuple(one["changed"])) == ("card changed", NEWS)
    (pytester.path / "other").mkdir()
    assert main([*words, "--baselines", "other"]) == 0
    assert "stored" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fault", "shape", "verdict", "said"),
    [("abort", "4x4x33", "crashed", "SIGABRT"), ("device_error", "4x4x33", "raised", "4x4x33")],
)
def test_a_card_that_cannot_be_read_is_red(
    logged: Logged, fault: str, shape: str, verdict: str, said: str
) -> None:
    case = f"matmul-f32-nn-{shape} check=card tf32=on"
    (record,) = logged(*CPU, "--applegpu-case", case, fault=fault)
    assert record["verdict"] == verdict
    assert said in record["error"]["message"]
    assert record["card"] is None


def test_an_emulated_card_is_asked_and_never_stored(logged: Logged, suites: Suites) -> None:
    m5 = ("--applegpu-backend", "emulated", "--applegpu-arch", "applegpu_g17s")
    asked = ("--applegpu-case", "matmul-f32-nn-96x96x64 check=card")
    found = cards(logged(*m5, *asked))
    assert found["on"]["route"]["path"] == "gemm_nax"
    kept = {mode: one["card"]["features"]["operand A"] for mode, one in found.items()}
    assert kept == {"on": "11 bits, truncated", "off": "24 bits"}
    assert {one["verdict"] for one in found.values()} == {"no stored card"}
    result = suites(*m5, *asked, UPDATE)
    result.stdout.fnmatch_lines(
        ["baseline not written: *emulated results never become a baseline*"]
    )
