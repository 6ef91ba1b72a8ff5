"""A feature card as text: who gave which answer, and what is not known."""

from __future__ import annotations

from typing import Any

from pytest_applegpu.report.card import card_text


def column(route: str, dtype: str, setting: str, **words: str) -> dict[str, Any]:
    """Return a column as JSON values."""
    features = [
        {"name": name, "word": word, "evidence": f"{name} was looked at"}
        for name, word in words.items()
    ]
    return {
        "route": route,
        "dtype": dtype,
        "problem": f"matmul-{route}",
        "setting": setting,
        "features": features,
        "verdict": "no stored card",
        "changed": [],
        "likely_causes": [],
    }


def compared(verdict: str, *changed: str, route: str = "gemm") -> dict[str, Any]:
    """Return a column that was compared with a stored card."""
    causes = ["MLX 0.32.3 -> 0.32.4"] if changed else []
    plain = column(route, "float32", "tf32=on", products="exact")
    return plain | {"verdict": verdict, "changed": list(changed), "likely_causes": causes}


def text(*columns: dict[str, Any]) -> list[str]:
    """Return the lines of a card."""
    head = {"device": "chip", "mlx": "0.32.4", "measured": "in a worker", "routes": "predicted"}
    return card_text({**head, "columns": list(columns)}).splitlines()


def test_the_head_says_whose_it_is_and_what_all_settings_share() -> None:
    lines = text(
        column("gemm", "float32", "tf32=on arch=applegpu_g17s", products="exact"),
        column("gemm", "float32", "tf32=off arch=applegpu_g17s", products="exact"),
    )
    assert lines[:3] == [
        "feature card of chip, MLX 0.32.4, arch=applegpu_g17s",
        "in a worker",
        "predicted",
    ]


def test_an_answer_given_everywhere_stands_once() -> None:
    lines = text(
        column("gemm", "float32", "tf32=on", products="exact"),
        column("gemv", "float32", "tf32=on", products="exact"),
    )
    assert [line.split() for line in lines if "exact" in line] == [
        ["products", "exact", "everywhere"]
    ]
    assert "unknown:" not in lines


def test_answers_that_differ_name_routes_and_settings() -> None:
    lines = text(
        column("gemm_nax", "float32", "tf32=on", A="11 bits"),
        column("gemv", "float32", "tf32=on", A="24 bits"),
        column("gemm", "float32", "tf32=off", A="24 bits"),
        column("gemv", "float32", "tf32=off", A="24 bits"),
    )
    rows = [" ".join(line.split()) for line in lines if "bits" in line]
    assert rows == ["A 11 bits gemm_nax (tf32=on)", "24 bits gemv, gemm (tf32=off)"]


def test_formats_have_a_table_each() -> None:
    lines = text(
        column("gemm", "float32", "tf32=on", A="24 bits"),
        column("gemm", "float16", "tf32=on", A="11 bits"),
    )
    assert [line for line in lines if line in {"float32", "float16"}] == ["float32", "float16"]
    assert sum("everywhere" in line for line in lines) == 2


def test_what_is_unknown_says_why_once() -> None:
    lines = text(
        column("gemm", "float32", "tf32=on", A="unknown"),
        column("gemv", "float32", "tf32=on", A="unknown"),
    )
    assert lines[-2:] == ["unknown:", "  A: A was looked at (first seen: float32 gemm)"]


def test_foreign_text_is_printed_escaped() -> None:
    assert "\x1b" not in "\n".join(text(column("g\x1b[2J", "float32", "tf32=on", A="unknown")))


def test_a_card_without_columns_is_its_head() -> None:
    assert text() == ["feature card of chip, MLX 0.32.4", "in a worker", "predicted"]


def test_cards_as_stored_are_called_so_in_one_line() -> None:
    assert text(compared("as stored"), compared("as stored", route="gemv"))[-2:] == [
        "",
        "as stored",
    ]


def test_nothing_is_said_of_stored_cards_where_there_are_none() -> None:
    lines = text(column("gemm", "float32", "tf32=on", products="exact"))
    assert not any("stored" in line for line in lines)


def test_what_changed_since_is_said_once_with_the_products_that_show_it() -> None:
    cut = ("card changed", "operand A: 24 bits -> 11 bits, truncated", "products: a -> b")
    lines = text(
        compared(*cut),
        compared(*cut, route="gemv"),
        compared("as stored", route="splitk"),
        compared("no stored card", route="dot"),
    )
    assert lines[-4:] == [
        "as stored: 1 of 4",
        (
            "card changed: operand A: 24 bits -> 11 bits, truncated; products: a -> b "
            "(matmul-gemm tf32=on, matmul-gemv tf32=on)"
        ),
        "changed since the card was stored: MLX 0.32.3 -> 0.32.4",
        "without a stored card: 1 of 4",
    ]
