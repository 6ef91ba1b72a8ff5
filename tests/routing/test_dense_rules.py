"""Which release brought which rule of dense products."""

import pytest

from pytest_applegpu.routing.dense.rules import RULES, DenseRules


@pytest.mark.parametrize(
    ("name", "before", "since"),
    [
        ("nax", "0.29.4", "0.30.0"),
        ("scales_c", "0.29.3", "0.30.0"),
        ("splitk_by_size", "0.30.0", "0.30.6"),
        ("splitk_by_tiles", "0.30.0", "0.30.6"),
        ("nax_tiles", "0.30.6", "0.31.2"),
        ("dot", "0.31.2", "0.32.1"),
        ("gemv_wide", "0.31.2", "0.32.1"),
        ("ultra_tiles", "0.32.2", "0.32.3"),
        ("thin_nax", "0.32.3", "0.32.4"),
    ],
)
def test_a_rule_holds_from_its_release_on(name: str, before: str, since: str) -> None:
    assert not getattr(RULES.at(before), name)
    assert getattr(RULES.at(since), name)


def test_0_32_2_has_the_rules_of_0_32_1() -> None:
    assert RULES.at("0.32.2") == RULES.at("0.32.1") != DenseRules()
