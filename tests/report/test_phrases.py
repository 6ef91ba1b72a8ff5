"""Numbers and foreign texts are written so that a person can read them safely."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.report import phrases
from pytest_applegpu.words import CARD, NUMBERS, SPEED


def test_every_verdict_has_a_meaning() -> None:
    assert set(phrases.MEANINGS) == {*NUMBERS, *SPEED, *CARD}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.25"),
        (118.0, "118"),
        (2047.6, "2048"),
        (2.88e-7, "2.88e-07"),
        (1.5e6, "1.5e+06"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert phrases.number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.5 s"), (1.25e-3, "1.25 ms"), (33e-6, "33 us"), (4e-9, "4 ns"), (0.0, "0 ns")],
)
def test_duration(seconds: float, text: str) -> None:
    assert phrases.duration(seconds) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "+0.0 %"), (3.0, "-67 %"), (1.02, "-2.0 %"), (0.5, "+100 %"), (0.0, "+inf %")],
)
def test_change_is_that_of_throughput(ratio: float, text: str) -> None:
    assert phrases.change(ratio) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(1, 1_000_000, "less than 0.01 %"), (64, 4096, "1.56 %"), (5, 5, "100 %"), (0, 0, "0 %")],
)
def test_share(part: int, whole: int, text: str) -> None:
    assert phrases.share(part, whole) == text


def test_interval_needs_both_ends() -> None:
    assert phrases.interval(0.9, 1.1) == " (0.9 to 1.1)"
    assert phrases.interval(None, 1.1) == ""


@given(st.text(st.characters(exclude_categories=()), max_size=400))
def test_escaped_text_is_one_printable_line(text: str) -> None:
    safe = phrases.escaped(text)
    assert safe.isprintable()
    assert len(safe) <= 240


def test_escaped_text_keeps_what_was_said() -> None:
    assert phrases.escaped("a\x1b[31mb\ud800\u202ec") == "a\\x1b[31mb\\ud800\\u202ec"
    assert phrases.escaped("first\n\n  second\n") == "first / second"
    assert phrases.escaped("abcdefgh", 6) == "abc..."
