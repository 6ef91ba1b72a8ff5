"""Every recorded launch is predicted: kernels, order, grids, groups, constants and numbers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.lines import call_of, filled, target_of
from pytest_applegpu.routing.versions import RECORDED

FOLDER = Path(__file__).with_name("recorded")

MATRIX_ONLY = "0.32.4"
"""The version whose recording leaves copies, fills, index and reduction kernels out."""

LEFT_OUT = re.compile(
    r"g{1,2}n?\d*(?:large)?_copy|[sv]n?2?_copy|[sv]{2}n?2?_[A-Z]|g\w*_[A-Z]|arange|col_reduce"
    r"|row_reduce|all_reduce|\w*softmax"
)

Line = dict[str, Any]


def lines(version: str) -> Iterator[Line]:
    with gzip.open(FOLDER / f"{version}.jsonl.gz") as stream:
        yield from map(msgspec.json.Decoder(Line).decode, stream)


def predicted(line: Line) -> Line:
    asked = {k: v for k, v in line.items() if k not in {"launches", "path", "error", "unfused"}}
    return filled(asked, route_of(call_of(asked), target_of(asked)))


def matrix_kernels(line: Line, wanted: list[Line]) -> list[Line]:
    """Return the launches that the recording lists, with the fields that it gives for them."""
    kept = [one for one in line.get("launches", []) if not LEFT_OUT.match(one["kernel"])]
    names = [want.keys() for want in wanted] + [{"kernel", "grid", "group"}] * len(kept)
    return [{k: one[k] for k in said} for one, said in zip(kept, names, strict=False)]


def differs(line: Line) -> bool:
    got = predicted(line)
    if line["mlx"] == MATRIX_ONLY:
        if "unfused" in line:
            return bool(got.get("unfused") != line["unfused"])
        return matrix_kernels(got, line["launches"]) != line["launches"] or "unfused" in got
    return any(got.get(name) != line.get(name) for name in ("launches", "path", "error"))


@pytest.mark.parametrize("version", RECORDED)
def test_every_line(version: str) -> None:
    every = list(lines(version))
    wrong = [line["id"] for line in every if differs(line)]
    assert len(every) > 10_000
    assert wrong == []


def test_a_wrong_prediction_would_be_seen() -> None:
    line = next(lines("0.32.1"))
    assert not differs(line)
    spoilt = msgspec.json.decode(msgspec.json.encode(line))
    spoilt["launches"][0]["grid"][0] += 1
    assert differs(spoilt)
    line = next(one for one in lines("0.32.4") if one["op"] == "matmul")
    line["launches"][0]["kernel"] += "_other"
    assert differs(line)
