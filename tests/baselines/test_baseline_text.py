"""A baseline's text is small, sorted and exact; flaws are named with what is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from pytest_applegpu.baselines import text as baseline_text
from pytest_applegpu.baselines.records import (
    SCHEMA,
    Baseline,
    BaselineError,
    Record,
    Routed,
    run_id,
)
from pytest_applegpu.baselines.text import decode, encode
from tests.baselines.samples import (
    BASELINE,
    CARD,
    CASE,
    KEY,
    NUMBERS,
    OTHER,
    RUN,
    SPEED,
    baselines,
)


@given(baselines())
def test_text_and_back_loses_only_digits(baseline: Baseline) -> None:
    once = decode(encode(baseline))
    assert encode(once) == encode(baseline)
    assert decode(encode(once)) == once
    assert once.cases.keys() == baseline.cases.keys()
    assert once.runs == baseline.runs


def test_the_text_is_sorted_with_one_line_a_record() -> None:
    text = encode(BASELINE)
    lines = text.splitlines()
    assert len(lines) == 12
    assert text.endswith("}\n")
    assert lines[8].startswith(f'  "{CASE}": {{"numbers": {{"run": "{run_id(RUN)}"')
    assert lines[9].startswith(f'  "{OTHER}": {{"speed"')
    assert len(lines[8]) < 500
    backwards = replace(BASELINE, cases=dict(reversed(BASELINE.cases.items())))
    assert encode(backwards) == text


def test_figures_have_four_digits() -> None:
    exact = replace(SPEED, seconds=0.0025123456, low=0.0024999999, tflops=123.456789)
    speed = decode(encode(replace(BASELINE, cases={CASE: Record(speed=exact)}))).cases[CASE].speed
    assert speed is not None
    assert (speed.seconds, speed.low, speed.tflops) == (0.002512, 0.0025, 123.5)


def _edited(edit: Callable[[dict[str, Any]], object]) -> str:
    plain = json.loads(encode(BASELINE))
    edit(plain)
    return json.dumps(plain)


def _speed(plain: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = plain["cases"][CASE]["speed"]
    return found


_HERE = f'$.cases["{CASE}"]'
_ID = run_id(RUN)

FLAWS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "newer": (lambda p: p.update(schema=3), "$.schema: 3 is newer than 2, the newest"),
    "schema text": (lambda p: p.update(schema="1"), "$.schema: expected a whole number from 1"),
    "schema true": (lambda p: p.update(schema=True), "$.schema: expected a whole number from 1"),
    "no schema": (lambda p: p.pop("schema"), "$.schema: expected a whole number from 1"),
    "unknown field": (lambda p: p.update(extra=1), "$: object contains unknown field `extra`"),
    "missing field": (lambda p: p.pop("hardware"), "$: object missing required field `hardware`"),
    "key": (lambda p: p.update(key="../x"), "$.key: expected letters, digits and ._+- only"),
    "backend": (
        lambda p: p["hardware"].update(backend="emulated"),
        "$.hardware.backend: expected one of metal, cuda, cpu",
    ),
    "another backend": (
        lambda p: p["hardware"].update(backend="cuda"),
        f'$.hardware.backend: "cuda" does not go with the key "{KEY}"',
    ),
    "another chip": (
        lambda p: p["hardware"].update(chip="Apple M4"),
        f'$.hardware.chip: "Apple M4" does not go with the key "{KEY}"',
    ),
    "part of a chip": (
        lambda p: p["hardware"].update(chip="Apple M4 Pr"),
        f'$.hardware.chip: "Apple M4 Pr" does not go with the key "{KEY}"',
    ),
    "other cores": (
        lambda p: p["hardware"].update(gpu_cores=16),
        f'$.hardware.gpu_cores: "16" does not go with the key "{KEY}": this hardware has the key',
    ),
    "a share above 1": (
        lambda p: p["cases"][CASE]["numbers"].update(share=1.2),
        f"{_HERE}.numbers: expected a share up to 1 where the verdict is within, got 1.2",
    ),
    "a best time far above": (
        lambda p: _speed(p).update(best=0.5),
        f"{_HERE}.speed: expected best up to 10 times high, got 0.5, 0.0026",
    ),
    "cores": (
        lambda p: p["hardware"].update(gpu_cores="20"),
        "$.hardware.gpu_cores: expected `int | null`, got `str`",
    ),
    "negative time": (
        lambda p: _speed(p).update(seconds=-1.0),
        f"{_HERE}.speed.seconds: expected `float` > 0.0",
    ),
    "text for a time": (
        lambda p: _speed(p).update(seconds="2 ms"),
        f"{_HERE}.speed.seconds: expected `float`, got `str`",
    ),
    "interval": (
        lambda p: _speed(p).update(low=3e-3),
        f"{_HERE}.speed: expected low <= seconds <= high, got 0.003, 0.0025, 0.0026",
    ),
    "no runs behind it": (
        lambda p: _speed(p).update(runs=0),
        f"{_HERE}.speed.runs: expected `int` >= 1",
    ),
    "missing time": (
        lambda p: _speed(p).pop("seconds"),
        f"{_HERE}.speed: object missing required field `seconds`",
    ),
    "unknown in record": (
        lambda p: p["cases"][OTHER].update(energy=1),
        f'$.cases["{OTHER}"]: object contains unknown field `energy`',
    ),
    "empty record": (
        lambda p: p["cases"].update({CASE: {}}),
        f"{_HERE}: expected `numbers`, `speed`, `route` or `card`",
    ),
    "verdict": (
        lambda p: p["cases"][CASE]["numbers"].update(verdict="fine"),
        f"{_HERE}.numbers.verdict: expected one of exact, within, creeping,",
    ),
    "case without a setting": (
        lambda p: p["cases"].update({"matmul": p["cases"][CASE]}),
        "$.cases.matmul: expected a case with its setting, as in",
    ),
    "lost run": (
        lambda p: p["runs"].clear(),
        f'{_HERE}: its run "{_ID}" is not under $.runs',
    ),
    "edited run": (
        lambda p: p["runs"][_ID].update(mlx="0.40.0"),
        f'$.runs["{_ID}"]: was changed by hand',
    ),
    "day": (
        lambda p: p["runs"][_ID].update(date="yesterday"),
        f'$.runs["{_ID}"].date: invalid RFC3339 encoded date',
    ),
    "answer": (
        lambda p: p["runs"][_ID].update(nax="maybe"),
        f'$.runs["{_ID}"].nax: expected one of yes, no, unknown',
    ),
    "control character": (
        lambda p: p["hardware"].update(chip="M4\x1b[31m"),
        "$.hardware.chip: control characters are not allowed",
    ),
    "cases as a list": (lambda p: p.update(cases=[]), "$.cases: expected `object`, got `array`"),
}


@pytest.mark.parametrize("name", FLAWS)
def test_a_flaw_is_named_with_its_path_and_what_is_allowed(name: str) -> None:
    edit, expected = FLAWS[name]
    with pytest.raises(BaselineError) as caught:
        decode(_edited(edit))
    assert str(caught.value).startswith(expected)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "not valid JSON at line 1, column 1"),
        ("[]", "$: expected an object"),
        ("{", "not valid JSON at line 1, column 2"),
        ('{"schema": 2, "a": NaN}', "NaN is not a number in JSON"),
        ('{"schema": 2, "a": -Infinity}', "-Infinity is not a number in JSON"),
        ('{"schema": 2, "a": {"b": 1, "b": 2}}', '$.a: the key "b" stands twice'),
        ('{"schema": 2, "a": ' + "[" * 100_000, "nested too deeply"),
        ('{"schema": 2, "a": ' + "9" * 5000 + "}", "not valid JSON: Exceeds"),
        ('{"schema": 2, "a": "\\ud800"}', "$.a: control characters are not allowed"),
    ],
)
def test_text_that_is_no_baseline(text: str, expected: str) -> None:
    with pytest.raises(BaselineError) as caught:
        decode(text)
    assert str(caught.value).startswith(expected)


def test_a_figure_beyond_every_number_is_refused() -> None:
    text = encode(BASELINE).replace('"gbs": 80.0', '"gbs": 1e999')
    with pytest.raises(BaselineError, match=r"speed\.gbs: expected `float` <= 1e\+300"):
        decode(text)


@pytest.mark.parametrize(
    "bad",
    [
        Record(replace(NUMBERS, verdict="over", share=float("inf"))),
        Record(replace(NUMBERS, ulp=float("nan"))),
        Record(replace(NUMBERS, verdict="fine")),
        Record(speed=replace(SPEED, run="2026-11-03-00000000")),
    ],
)
def test_nothing_is_written_that_could_not_be_read(bad: Record) -> None:
    with pytest.raises(BaselineError, match=r"^\$\.cases\["):
        encode(replace(BASELINE, cases={CASE: bad}))


def test_an_older_schema_is_upgraded_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(plain: dict[str, Any]) -> dict[str, Any]:
        return {**plain, "schema": SCHEMA, "key": plain["key"].lower()}

    monkeypatch.setattr(baseline_text, "SCHEMA", SCHEMA + 1)
    monkeypatch.setattr(baseline_text, "UPGRADES", {SCHEMA: rename})
    assert decode(_edited(lambda p: p.update(key=KEY.upper()))) == BASELINE


def test_a_file_without_routes_is_read() -> None:
    assert decode(_edited(lambda p: p.update(schema=1))) == BASELINE


def test_a_route_is_kept_as_it_is() -> None:
    record = replace(BASELINE.cases[CASE], route=Routed(next(iter(BASELINE.runs)), "gemm", ("k",)))
    held = replace(BASELINE, cases={CASE: record})
    assert decode(encode(held)) == held


def test_a_card_is_kept_as_it_is_and_has_features() -> None:
    record = replace(BASELINE.cases[CASE], card=CARD)
    held = replace(BASELINE, cases={CASE: record})
    assert decode(encode(held)) == held
    empty = replace(record, card=replace(CARD, features={}))
    with pytest.raises(BaselineError, match=r"card\.features: expected `object` of length >= 1"):
        encode(replace(held, cases={CASE: empty}))
