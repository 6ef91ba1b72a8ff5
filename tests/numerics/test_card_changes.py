"""Cards as JSON, and what has changed between two of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_applegpu.numerics.card.answer import Feature
from pytest_applegpu.numerics.card.cards import Card, Column
from pytest_applegpu.numerics.card.changes import changed


def card(backend: str = "cpu", **words: str) -> dict[str, Any]:
    """Return a card of one column, gone through JSON."""
    features = tuple(Feature(name.replace("_", " "), word, "seen") for name, word in words.items())
    column = Column("gemm", "float32", "matmul-f32-nn-64x64x64", "tf32=on", features)
    return dict(json.loads(json.dumps(Card(backend, "chip", "0.32.4", "how", (column,)).as_json())))


def test_equal_cards_have_no_changes() -> None:
    assert changed(card(products="exact"), card(products="exact")) == []


def test_other_words_are_told_and_other_evidence_is_not() -> None:
    old, new = card(operand_A="24 bits"), card(operand_A="11 bits, truncated")
    new["columns"][0]["features"][0]["evidence"] = "otherwise"
    assert changed(old, new) == [
        "matmul-f32-nn-64x64x64 tf32=on: operand A was 24 bits, is 11 bits, truncated"
    ]
    old["columns"][0]["features"][0]["word"] = "11 bits, truncated"
    assert changed(old, new) == []


def test_lines_that_come_and_go() -> None:
    assert changed(card(products="exact"), card(accumulator="24 bits")) == [
        "matmul-f32-nn-64x64x64 tf32=on: products was exact, is not asked",
        "matmul-f32-nn-64x64x64 tf32=on: accumulator was not asked, is 24 bits",
    ]


def test_routes_that_change_and_columns_that_come_and_go() -> None:
    old, new = card(), card()
    new["columns"][0]["route"] = "gemm_nax"
    assert changed(old, new) == ["matmul-f32-nn-64x64x64 tf32=on: route was gemm, is gemm_nax"]
    new["columns"][0]["setting"] = "tf32=off"
    assert changed(old, new) == [
        "matmul-f32-nn-64x64x64 tf32=on: no longer on the card",
        "matmul-f32-nn-64x64x64 tf32=off: new on the card",
    ]


def test_another_mlx_is_compared_and_another_device_is_not() -> None:
    assert changed(card(), card() | {"mlx": "0.33.0"}) == []
    with pytest.raises(ValueError, match="cards of different device: chip and other"):
        changed(card(), card() | {"device": "other"})
    with pytest.raises(ValueError, match="cards of different backend: cpu and metal"):
        changed(card(), card("metal"))


def test_emulated_cards_say_so() -> None:
    assert "not measured on any GPU" in card("emulated")["measured"]
    assert card("metal")["measured"] == "measured in a worker: metal backend, chip"
