"""GPUs by name."""

from __future__ import annotations

import pytest

from pytest_applegpu.survey.gpus import cores_of, named_gpu


def test_a_chip_has_an_architecture_and_its_own_counts_of_cores() -> None:
    assert named_gpu("M5 Max") == ("applegpu_g17s", (32, 40))
    assert named_gpu("apple m5 max".title()) == ("applegpu_g17s", (32, 40))
    assert named_gpu("m1") == ("applegpu_g13g", (7, 8))


def test_an_architecture_has_the_counts_of_all_its_chips() -> None:
    assert named_gpu("applegpu_g17s") == ("applegpu_g17s", (16, 20, 32, 40))
    assert named_gpu("air64_v26").cores == cores_of("air64_v26") == ()


def test_another_word_is_refused_with_the_chips_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"'M7 Mega' is neither .* M4 Max, M5"):
        named_gpu("M7 Mega")
