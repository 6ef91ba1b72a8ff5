"""Baselines to test with, by hand and by hypothesis."""

from __future__ import annotations

import datetime as dt

from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_applegpu.baselines.records import (
    SCHEMA,
    Baseline,
    Card,
    Hardware,
    Numbers,
    Record,
    Run,
    Speed,
    run_id,
)

KEY = "metal-m4-pro-20c"
CASE = "matmul-f16-nt-64x64x4096 fill=integer tf32=off"
OTHER = "matmul-f32-nn-512x512x512 tf32=on"

HARDWARE = Hardware("metal", "Apple M4 Pro", 20)
RUN = Run(
    dt.date(2026, 11, 3),
    "0.32.4",
    "macosx_26_0_arm64",
    "macOS 26.2 (25C56)",
    "no",
    "no",
    "applegpu_g16s",
)
NUMBERS = Numbers(run_id(RUN), "within", 0.31, 1.5, 2.1e-4)
SPEED = Speed(
    run=run_id(RUN),
    seconds=2.5e-3,
    low=2.45e-3,
    high=2.6e-3,
    spread=0.02,
    best=2.44e-3,
    repeats=16,
    runs=1,
    between=None,
    tflops=1.25,
    gbs=80.0,
    method="slope n,2n abba",
)
CARD = Card(run_id(RUN), {"operand A": "24 bits", "products": "exact"})
BASELINE = Baseline(
    SCHEMA,
    KEY,
    HARDWARE,
    {run_id(RUN): RUN},
    {CASE: Record(NUMBERS, SPEED), OTHER: Record(speed=SPEED)},
)


_names = st.text(
    st.characters(categories=["L", "N", "P", "S"], include_characters=" "), min_size=1, max_size=30
)
_seconds = st.floats(1e-9, 1e5)
_amounts = st.floats(0, 1e30)
_answers = st.sampled_from(["yes", "no", "unknown"])

runs = st.builds(
    Run, st.dates(), _names, st.none() | _names, _names, _answers, _answers, st.none() | _names
)
cases = st.from_regex(
    r"matmul-(f16|f32)-nn-[1-9]{1,3}x[1-9]x[1-9]( a=pad:8)? tf32=(on|off)", fullmatch=True
)
hardware = st.builds(
    Hardware, st.just("metal"), st.sampled_from(["Apple M4 Pro", "M4  Pro", "m4-pro"]), st.just(20)
)
"""All that have the key `KEY`."""


@st.composite
def numbers(draw: st.DrawFn, run: Run) -> Numbers:
    """Any numbers measured in `run`."""
    verdict = draw(st.sampled_from(["exact", "within", "over"]))
    share = draw(st.none() | (_amounts if verdict == "over" else st.floats(0, 1)))
    figures = [draw(st.none() | _amounts) for _ in range(2)]
    return Numbers(run_id(run), verdict, share, *figures)


@st.composite
def speeds(draw: st.DrawFn, run: Run) -> Speed:
    """Any speed measured in `run`."""
    low, seconds, high = sorted(draw(_seconds) for _ in range(3))
    return replace(
        SPEED,
        run=run_id(run),
        low=low,
        seconds=seconds,
        high=high,
        spread=draw(_amounts),
        best=seconds * draw(st.floats(0.5, 2)),
        repeats=draw(st.integers(1, 100)),
        runs=draw(st.integers(1, 100)),
        between=draw(st.none() | st.floats(0, 1)),
        tflops=draw(_amounts),
        gbs=draw(_amounts),
    )


@st.composite
def records(draw: st.DrawFn, run: Run) -> Record:
    """Any record measured in `run`."""
    one, other = draw(numbers(run)), draw(speeds(run))
    card = Card(run_id(run), draw(st.dictionaries(_names, _names, min_size=1, max_size=3)))
    some = [Record(one, other), Record(one), Record(speed=other), Record(card=card)]
    return draw(st.sampled_from(some))


@st.composite
def baselines(draw: st.DrawFn) -> Baseline:
    """Any baseline of `KEY`."""
    run = draw(runs)
    held = draw(st.dictionaries(cases, records(run), max_size=4))
    return Baseline(SCHEMA, KEY, draw(hardware), {run_id(run): run}, held)
