"""Which release brought which rule."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.quantized.rules import RULES


@pytest.mark.parametrize(
    ("rule", "since"),
    [
        ("nax", "0.30.0"),
        ("qvm_by_group", "0.30.6"),
        ("wide", "0.32.1"),
        ("nax_short", "0.32.2"),
        ("nax_untransposed", "0.32.3"),
        ("rhs_offsets", "0.32.3"),
        ("fast_any_n", "0.32.4"),
    ],
)
def test_since(rule: str, since: str) -> None:
    versions = ("0.29.3", "0.30.0", "0.30.6", "0.31.2", "0.32.1", "0.32.2", "0.32.3", "0.32.4")
    have = [version for version in versions if getattr(RULES.at(version), rule)]
    assert have == list(versions[versions.index(since) :])


def test_what_is_newer_than_all_follows_the_newest() -> None:
    assert RULES.at("1.0") == RULES.at("0.32.4")
