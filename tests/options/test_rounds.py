"""`--applegpu-rounds`: how many rounds a timed case takes in a versus run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_applegpu.config import Config, read_config


def config(tmp_path: Path, value: str | None) -> Config:
    return read_config(
        lambda option: value if option.name == "rounds" else None, tmp_path, tmp_path
    )


def test_a_number_or_as_many_as_are_due(tmp_path: Path) -> None:
    assert config(tmp_path, "400").rounds == 400
    assert config(tmp_path, "auto").rounds is None
    assert config(tmp_path, None).rounds is None
    assert config(tmp_path, "400").rerun == ("--applegpu-rounds", "400")
    assert config(tmp_path, "400").compared == ("--applegpu-rounds", "400")


@pytest.mark.parametrize("value", ["5", "0", "-1", "many", "1e3", ""])
def test_too_few_and_no_numbers_are_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"--applegpu-rounds: .* a whole number from 6 on"):
        config(tmp_path, value)
