"""Records travel as plain values and refuse what no record can say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from execnet.gateway_base import dumps, loads
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.report.records import ErrorFacts, Record, as_builtins, from_builtins


def test_round_trip_of_every_field(full_record: Record) -> None:
    assert from_builtins(as_builtins(full_record)) == full_record


def test_plain_values_cross_a_process_boundary(full_record: Record) -> None:
    plain = as_builtins(full_record)
    assert from_builtins(loads(dumps(plain))) == full_record
    assert from_builtins(json.loads(json.dumps(plain, allow_nan=False))) == full_record


def test_plain_record_holds_the_names_that_readers_know(make_record: Callable[..., Record]) -> None:
    plain = as_builtins(make_record())
    assert list(plain)[:2] == ["schema", "case"]
    assert plain["problem"]["op"] == "matmul"
    assert plain["problem"]["dtype"] == "float16"
    assert plain["setting"] == {"tf32": "off", "arch": None, "nax": "on"}
    assert [plain[name] for name in ("route", "error", "time", "baseline")] == [None] * 4


@given(st.floats())
def test_every_float_survives(value: float) -> None:
    plain = {
        "case": "c",
        "kind": "exact",
        "problem": {"op": "matmul", "dtype": "float32", "m": 1, "n": 1, "k": 1},
        "setting": {"tf32": "on"},
        "verdict": "over",
    }
    record = msgspec.structs.replace(from_builtins(plain), error=ErrorFacts(share=value))
    text = json.dumps(as_builtins(record), allow_nan=False)
    back = from_builtins(json.loads(text))
    assert back.error is not None
    assert back.error.share is not None
    assert str(back.error.share) == str(value)


def test_texts_that_look_like_numbers_stay_texts(make_record: Callable[..., Record]) -> None:
    record = make_record(error={"got": "nan", "expected": "inf", "cause": "nan"})
    back = from_builtins(as_builtins(record))
    assert back.error is not None
    assert (back.error.got, back.error.expected, back.error.cause) == ("nan", "inf", "nan")


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"verdict": "fine"}, "verdict 'fine' is not one of exact"),
        ({"verdict": "slower"}, "verdict 'slower' is not one of exact"),
        ({"kind": "throughput", "verdict": "over"}, "verdict 'over' is not one of same"),
        ({"kind": "card", "verdict": "over"}, "verdict 'over' is not one of as stored"),
        ({"verdict": "as stored"}, "verdict 'as stored' is not one of exact"),
        ({"card": {}}, "missing required field `features`"),
        ({"kind": "guess"}, "Invalid enum value 'guess'"),
        ({"setting": {"tf32": "maybe"}}, "Invalid enum value 'maybe'"),
        ({"baseline": {"verdict": "over"}}, "baseline.verdict 'over' is not one of same"),
        ({"error": {"shar": 1.0}}, "unknown field `shar`"),
        ({"time": {}}, "missing required field `seconds`"),
        ({"schema": 1}, "Invalid enum value 1"),
    ],
)
def test_what_is_no_record_is_refused(
    make_record: Callable[..., Record], fields: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match=complaint):
        make_record(**fields)
