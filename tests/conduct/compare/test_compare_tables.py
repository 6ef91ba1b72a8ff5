"""The tables of a comparison, from made-up measurements."""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.compare.product import Numbers
from pytest_applegpu.conduct.compare.tables import MARKDOWN, bits_text, comparison_text
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.numerics.bits import Bits
from tests.conduct.compare.made_comparison import (
    GEMM,
    GEMV,
    PACKED,
    ROUTES,
    comparison,
    model,
    product,
    time,
)


def rows(text: str, start: str) -> list[list[str]]:
    """Return the cells of the lines that begin with a word."""
    found = [line for line in text.splitlines() if line.startswith(start)]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in found]


def test_a_product_says_times_speed_up_bits_errors_and_routes() -> None:
    numbers = Numbers(Bits(12, 4096, 2.0), (3.1e-4, 2.2e-7), ("within", "within"))
    text = comparison_text(comparison(product(GEMM, time(0.25, 4e-3), ROUTES, numbers)))
    (row,) = rows(text, GEMM)
    assert row == [
        *(GEMM, "1 ms", "4 ms", "4.000x", "3.805-4.205", "12 of 4096, 2 ULP"),
        *("0.00031", "2.2e-07", "gemm_nax against gemm"),
    ]
    assert "above 1, nax=on is faster" in text
    (mean,) = rows(text, "gemm_nax against gemm")
    assert mean[:3] == ["gemm_nax against gemm", "1", "4.000x"]


def test_without_routes_no_column_of_them_and_a_note_stands_on_top() -> None:
    text = comparison_text(comparison(product(GEMM, time(1.0, 1e-3)), null="both are the same"))
    assert "note: both are the same" in text
    assert "route" not in text
    assert rows(text, GEMM)[0][5] == "same"


def test_what_has_no_time_and_what_is_doubtful_or_wrong_says_why() -> None:
    wrong = Numbers(Bits(1, 4), (1.0, 0.0), ("over", "within"))
    found = comparison(
        product(GEMM, Ended("crashed", "nax=on: SIGSEGV"), numbers=Numbers()),
        product(GEMV, time(1.0, 1e-3), doubt="spread 40 %"),
        product(PACKED, time(1.0, 1e-3), numbers=wrong),
    )
    text = comparison_text(found)
    assert rows(text, GEMM)[0][1:] == ["-", "-", "crashed", "-", "-", "-", "-"]
    assert "crashed: nax=on: SIGSEGV" in text
    assert rows(text, GEMV)[0][3] == "1.000x unstable"
    assert f"unstable: {GEMV}: spread 40 %" in text
    assert "over and within, first side and second" in text
    assert not found.complete


def test_prefill_and_decode_say_tokens_a_second_and_what_each_product_takes() -> None:
    found = comparison(
        product(GEMM, time(0.25, 4e-3)),
        product(PACKED, time(0.5, 4e-3)),
        product(GEMV, time(1.0, 1e-3)),
        sets=(model(),),
    )
    text = comparison_text(found)
    prefill, products = rows(text, "model prefill")
    # 3 x 4 ms + 4 ms against 3 x 1 ms + 2 ms, for 512 tokens.
    assert prefill[:7] == ["model prefill", "512", "5 ms", "16 ms", "102400", "32000", "3.200x"]
    assert products[1:5] == ["part", "count", "nax=on", "nax=off"]
    decode, _ = rows(text, "model decode")
    assert decode[:7] == ["model decode", "1", "2 ms", "2 ms", "500", "500", "1.000x"]
    named = rows(text, GEMM)[1]
    assert named[1:] == ["queries", "3", "1 ms", "4 ms", "60.0 %", "75.0 %", "4.000x"]
    assert found.complete


def test_a_pass_without_all_of_its_products_has_a_star() -> None:
    gone = Ended("unsupported", "no room for 4 GiB")
    found = comparison(
        product(GEMM, gone), product(PACKED, time(0.5, 4e-3)), product(GEMV, gone), sets=(model(),)
    )
    text = comparison_text(found)
    assert rows(text, "model prefill*")
    assert f"* model prefill is without what has no time: 3 x {GEMM}" in text
    assert rows(text, "model decode*")[0][2:] == ["-"] * 6
    assert found.complete


def test_markdown_is_a_table_of_bars() -> None:
    text = comparison_text(comparison(product(GEMM, time(1.0, 1e-3))), MARKDOWN)
    assert "| product" in text
    assert "|---" in text


@pytest.mark.parametrize(
    ("bits", "said"),
    [
        (None, "-"),
        (Bits(0, 4), "same"),
        (Bits(4, 4, 1.0), "4 of 4, 1 ULP"),
        (Bits(4, 4), "4 of 4"),
        (
            Bits(4, 4, misfit="float32 (4,) against float32 (5,)"),
            "float32 (4,) against float32 (5,)",
        ),
    ],
)
def test_bits(bits: Bits | None, said: str) -> None:
    assert bits_text(bits) == said
