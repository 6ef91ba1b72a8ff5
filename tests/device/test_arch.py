"""Architecture strings, read as MLX reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.arch import family_of, parse_architecture


@pytest.mark.parametrize(
    ("text", "generation", "letter"),
    [
        ("applegpu_g13g", 13, "g"),
        ("applegpu_g17s", 17, "s"),
        ("applegpu_g17p", 17, "p"),
        ("air64_v27", 2, "7"),
        ("air64_v28", 2, "8"),
        ("ab", 0, "b"),
        ("x", 0, "x"),
        ("123", 12, "3"),
        ("g9s", 9, "s"),
        ("applegpu_g1²s", 10, "s"),
    ],
)
def test_generation_is_the_two_characters_before_the_letter(
    text: str, generation: int, letter: str
) -> None:
    found = parse_architecture(text)
    assert found is not None
    assert (found.generation, found.letter) == (generation, letter)


@pytest.mark.parametrize("text", ["", "  ", None])
def test_no_string_is_no_architecture(text: str | None) -> None:
    assert parse_architecture(text) is None


@pytest.mark.parametrize(
    ("text", "nax"),
    [
        ("applegpu_g16s", False),
        ("applegpu_g17p", False),
        ("applegpu_g17g", True),
        ("applegpu_g17s", True),
        ("applegpu_g17d", True),
        ("applegpu_g18p", True),
        ("applegpu_g18g", True),
        ("air64_v27", False),
    ],
)
def test_the_phone_letter_needs_one_generation_more(text: str, nax: bool) -> None:
    found = parse_architecture(text)
    assert found is not None
    assert found.has_nax is nax


def test_virtual_devices_print_a_compiler_target() -> None:
    found = parse_architecture("air64_v28")
    assert found is not None
    assert found.virtual


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("applegpu_g13s", "Apple7"),
        ("applegpu_g15p", "Apple8"),
        ("applegpu_g15g", "Apple9"),
        ("applegpu_g17p", "Apple9"),
        ("applegpu_g17s", "Apple10"),
        ("applegpu_g18p", "Apple10"),
        ("applegpu_g18g", "Apple11"),
        ("applegpu_g18s", None),
        ("applegpu_g19s", None),
        ("air64_v27", None),
        (None, None),
    ],
)
def test_the_family_is_that_of_the_table_or_unknown(text: str | None, family: str | None) -> None:
    assert family_of(parse_architecture(text)) == family


@given(st.text())
def test_any_text_has_a_generation_of_two_digits(text: str) -> None:
    found = parse_architecture(text)
    assert found is None or 0 <= found.generation <= 99
