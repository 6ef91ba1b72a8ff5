"""The page on the launch lint names every rule with what it means, and no other."""

import re
from pathlib import Path

from pytest_applegpu.lint.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "launch-lint.md"


def test_every_rule_stands_in_the_table() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (\w+) \|$", PAGE.read_text(), re.MULTILINE)
    assert dict(rows) == {rule.name: rule.severity for rule in RULES}
    assert len(rows) == len(RULES)
