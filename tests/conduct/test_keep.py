"""What of a run's records becomes a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.baselines.compare import OTHER_METHOD
from pytest_applegpu.baselines.store import read
from pytest_applegpu.conduct.keep import keep
from pytest_applegpu.report.records import Record, from_builtins
from pytest_applegpu.throughput.slope import METHOD

RUN = {
    "date": "2026-11-30",
    "mlx": "0.32.4",
    "wheel": None,
    "os": "macOS 26.4",
    "nax": "yes",
    "tf32_measured": "no",
    "arch": "applegpu_g17s",
}
KNOWN = {
    "key": "metal-m5-max-40c",
    "hardware": {"backend": "metal", "chip": "Apple M5 Max", "gpu_cores": 40},
    "runs": {"tf32=off": RUN},
    "forbidden": [],
}
TEXT = "matmul-f32-nn-8x8x8 fill=normal check=throughput tf32=off"


def timed(word: str, *reasons: str, arch: str | None = None, spread: float = 0.01) -> Record:
    """Record of a timed case with the given verdict."""
    times = {"seconds": 2.0, "low": 1.9, "high": 2.1, "best": 1.8, "pairs": 6, "spread": spread}
    return record(
        "throughput",
        word,
        arch=arch,
        time=times,
        baseline={"verdict": word, "reasons": list(reasons)},
    )


def record(kind: str, verdict: str, *, arch: str | None = None, **more: Any) -> Record:
    """Record of a case."""
    problem = {"op": "matmul", "dtype": "float32", "m": 8, "n": 8, "k": 8}
    setting = {"tf32": "off", "arch": arch}
    plain = {"case": TEXT, "kind": kind, "problem": problem, "setting": setting}
    return from_builtins({**plain, "verdict": verdict, **more})


def kept(folder: Path, *records: Record) -> list[str]:
    """Return the parts that were written for the case."""
    keep(records, KNOWN, folder)
    path = folder / "metal-m5-max-40c.json"
    found = read(path).cases.get(TEXT) if path.exists() else None
    return [] if found is None else [type(part).__name__ for part in found.parts]


@pytest.mark.parametrize(
    "record_",
    [
        timed("no baseline"),
        timed("same"),
        timed("faster"),
        timed("slower"),
        timed("unstable", spread=0.01),
        timed("not comparable", OTHER_METHOD),
    ],
)
def test_times_of_a_fit_and_steady_machine_are_kept(tmp_path: Path, record_: Record) -> None:
    assert kept(tmp_path, record_) == ["Speed"]
    speed = read(tmp_path / "metal-m5-max-40c.json").cases[TEXT].speed
    assert speed is not None
    assert (speed.seconds, speed.best, speed.repeats, speed.method) == (2.0, 1.8, 6, METHOD)


@pytest.mark.parametrize(
    "record_",
    [
        timed("unstable", spread=0.3),
        timed("not comparable", "battery power"),
        timed("not comparable", "battery power", OTHER_METHOD),
        timed("no baseline", "low power mode"),
        timed("same", arch="applegpu_g16s"),
        record("throughput", "crashed", error={"message": "SIGSEGV"}),
        record("exact", "exact", error={"share": 0.0}),
        record("bounded", "over", error={"share": 3.0}),
    ],
)
def test_what_is_unfit_unsteady_exact_or_wrong_is_not(tmp_path: Path, record_: Record) -> None:
    assert kept(tmp_path, record_) == []


def test_errors_within_their_bound_are_kept(tmp_path: Path) -> None:
    assert kept(tmp_path, record("bounded", "within", error={"share": 0.5})) == ["Numbers"]


def test_another_way_of_measuring_is_replaced(tmp_path: Path) -> None:
    kept(tmp_path, timed("no baseline"))
    path = tmp_path / "metal-m5-max-40c.json"
    path.write_text(path.read_text().replace(METHOD, "an older way"))
    kept(tmp_path, timed("not comparable", OTHER_METHOD))
    speed = read(path).cases[TEXT].speed
    assert speed is not None
    assert speed.method == METHOD


ROUTE = {"arch": "applegpu_g17s", "mlx": "0.32.4", "path": "gemm_nax", "kernels": ["k1", "k2"]}


def test_the_route_of_an_exact_case_is_kept_where_it_ran(tmp_path: Path) -> None:
    assert kept(tmp_path, record("exact", "exact", route={**ROUTE, "here": True})) == ["Routed"]


def test_a_route_of_shapes_alone_is_not(tmp_path: Path) -> None:
    assert kept(tmp_path, record("exact", "exact", route={**ROUTE, "here": False})) == []


def test_a_changed_route_replaces_the_stored_one_and_says_so(tmp_path: Path) -> None:
    kept(tmp_path, record("exact", "exact", route={**ROUTE, "here": True}))
    new = record("exact", "exact", route={**ROUTE, "here": True, "path": "thin_nax"})
    (change,) = keep([new], KNOWN, tmp_path).changes
    assert str(change) == f"{TEXT}: route replaced: gemm_nax -> thin_nax"


def carded(word: str, times: int = 2) -> Record:
    """Record of a feature card."""
    card = {"features": {"operand A": "24 bits"}, "times": times}
    return record("card", word, card=card)


@pytest.mark.parametrize("word", ["no stored card", "as stored", "card changed"])
def test_a_card_that_was_asked_twice_alike_is_kept(tmp_path: Path, word: str) -> None:
    assert kept(tmp_path, carded(word)) == ["Card"]
    card = read(tmp_path / "metal-m5-max-40c.json").cases[TEXT].card
    assert card is not None
    assert card.features == {"operand A": "24 bits"}


@pytest.mark.parametrize(
    "record_",
    [
        carded("no stored card", times=1),
        carded("card unsteady"),
        record("card", "crashed", error={"message": "SIGSEGV"}),
    ],
)
def test_a_card_that_was_not_is_not(tmp_path: Path, record_: Record) -> None:
    assert kept(tmp_path, record_) == []


def test_why_a_card_is_left_out_is_counted(tmp_path: Path) -> None:
    left = keep([carded("card unsteady")], KNOWN, tmp_path).left
    assert dict(left) == {"card unsteady": 1}
