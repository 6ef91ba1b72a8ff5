"""The JSON of a comparison: numbers as they were found, and null for what is not known."""

from __future__ import annotations

import json
from math import inf, nan

import pytest

from pytest_applegpu.conduct.compare.lines import comparison_json, finite
from pytest_applegpu.conduct.compare.product import Numbers
from pytest_applegpu.conduct.speed import Ended
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


def test_it_is_json_with_speed_ups_and_passes() -> None:
    found = comparison(
        product(GEMM, time(0.25, 4e-3), ROUTES),
        product(PACKED, Ended("crashed", "nax=on: SIGSEGV"), numbers=Numbers(None, (inf, None))),
        product(GEMV, time(1.0, 1e-3)),
        sets=(model(),),
    )
    said = json.loads(json.dumps(comparison_json(found), allow_nan=False))
    assert said["sides"] == ["nax=on", "nax=off"]
    first, second, _ = said["products"]
    assert first["time"]["seconds"] == pytest.approx([1e-3, 4e-3])
    assert first["time"]["speed_up"] == pytest.approx(4)
    assert first["time"]["low"] < 4 < first["time"]["high"]
    assert first["bits"]["identical"] is True
    assert (second["time"], second["bits"], second["errors"]) == (None, None, [None, None])
    assert second["ended"] == ["crashed", "nax=on: SIGSEGV"]
    prefill, decode = said["passes"]
    assert prefill["speed_up"] == pytest.approx(4)
    assert prefill["tokens_per_second"] == pytest.approx([512 / 3e-3, 512 / 12e-3])
    assert [one["count"] for one in prefill["untimed"]] == [1]
    assert decode["products"][0]["shares"] == pytest.approx([1, 1])
    assert [one["name"] for one in said["routes"]] == ["gemm_nax against gemm"]


def test_a_pass_without_times_has_none() -> None:
    ended = Ended("unsupported", "emulated")
    found = comparison(*(product(text, ended) for text in (GEMM, PACKED, GEMV)), sets=(model(),))
    prefill, _ = comparison_json(found)["passes"]
    assert (prefill["seconds"], prefill["tokens_per_second"]) == (None, None)


@pytest.mark.parametrize(("value", "said"), [(None, None), (inf, None), (nan, None), (0.5, 0.5)])
def test_what_json_has_no_number_for(value: float | None, said: float | None) -> None:
    assert finite(value) == said
