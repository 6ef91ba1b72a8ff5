"""Cards are compared feature by feature, and what else has changed is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pytest_applegpu import words
from pytest_applegpu.baselines.compare_card import CardComparison, card_changes, compare_card
from pytest_applegpu.baselines.store import Past, find
from pytest_applegpu.baselines.update import gather, write
from tests.baselines.samples import CARD, CASE, HARDWARE, KEY, RUN

PAST = Past(CARD, RUN, Path("baselines") / f"{KEY}.json")
NEXT_MLX = replace(RUN, mlx="0.33.0", nax="yes")
CUT = {"operand A": "11 bits, truncated", "products": "exact"}


def test_equal_answers_are_as_stored_whatever_else_changed() -> None:
    assert compare_card(CARD.features, NEXT_MLX, PAST) == CardComparison("as stored", past=PAST)
    assert words.outcome("as stored") == "passed"


def test_another_answer_is_news_with_what_else_changed() -> None:
    found = compare_card(CUT, NEXT_MLX, PAST)
    assert found.word == "card changed"
    assert words.outcome(found.word) == "warned"
    assert found.changed == ("operand A: 24 bits -> 11 bits, truncated",)
    assert found.likely_causes == ("MLX 0.32.4 -> 0.33.0", "NAX no -> yes")


def test_without_a_stored_card_there_is_no_news() -> None:
    assert compare_card(CUT, RUN, None) == CardComparison("no stored card")
    assert words.outcome("no stored card") == "passed"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({}, {"products": "exact"}, "products: not asked -> exact"),
        ({"products": "exact"}, {}, "products: exact -> not asked"),
        ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}, None),
    ],
)
def test_features_that_come_and_go(
    old: dict[str, str], new: dict[str, str], said: str | None
) -> None:
    assert card_changes(old, new) == (() if said is None else (said,))


def test_a_stored_file_feeds_a_comparison(tmp_path: Path) -> None:
    write(tmp_path, gather(KEY, HARDWARE, [(CASE, RUN, CARD)]))
    shelf = find(KEY, [tmp_path])
    assert compare_card(CARD.features, RUN, shelf.card(CASE)).word == "as stored"
    assert compare_card(CUT, RUN, shelf.card(CASE)).word == "card changed"
    assert shelf.card("matmul-f32-nn-1x1x1 tf32=on") is None
