"""A fact carries how it is known, and an unknown one what was seen."""

from __future__ import annotations

from pytest_applegpu.device.facts import Fact, first_known, seen, unknown


def test_a_known_fact_reads_as_its_value() -> None:
    assert str(Fact(40, "ioreg")) == "40"
    assert Fact(0, "ioreg").known


def test_an_unknown_fact_reads_as_unknown_and_keeps_what_was_seen() -> None:
    fact = unknown("sysctl", "answered nonsense")
    assert (str(fact), fact.known, fact.note) == ("unknown", False, "answered nonsense")


def test_seen_notes_only_what_is_missing() -> None:
    assert seen(3, "a", "why not") == Fact(3, "a", "")
    assert seen(None, "a", "why not") == Fact(None, "a", "why not")


def test_the_first_known_fact_wins() -> None:
    assert first_known(unknown("a", "no"), Fact(1, "b"), Fact(2, "c")) == Fact(1, "b")


def test_when_none_is_known_all_sources_and_notes_are_told() -> None:
    fact: Fact[int] = first_known(unknown("a", "no a"), unknown("b", "no b"), unknown("a", "no a"))
    assert (fact.source, fact.note) == ("a, b", "no a; no b")
