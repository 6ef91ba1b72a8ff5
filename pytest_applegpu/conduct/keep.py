"""How this run's records become the machine's baseline, and what forbids it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import convert, to_builtins

from pytest_applegpu.baselines.compare import OTHER_METHOD
from pytest_applegpu.baselines.records import BEST, Card, Hardware, Part, Routed, Run, Speed, run_id
from pytest_applegpu.baselines.update import Change, gather, numbers_of, write
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.device.condition import unfit
from pytest_applegpu.report.records import Record, TimeFacts
from pytest_applegpu.report.rows import is_known
from pytest_applegpu.setting import Setting, foreign_switches
from pytest_applegpu.throughput.nax import WORD as NAX_MISSED
from pytest_applegpu.throughput.slope import METHOD

QUIET: Final = 0.05
"""Relative spread up to which a time is steady, whatever it is compared with."""

_MEASURED: Final = frozenset({"within", "creeping"})
"""Verdicts about numbers that a baseline holds; what is `exact` has no figure to keep."""

_ASKED: Final = 2
"""How many times a card must have been asked for, and come out alike, to be kept."""

Known = dict[str, Any]
"""What a process knows of its machine, as it travels to the one that writes: plain JSON values."""


def run_of(bench: Bench, setting: Setting) -> Run:
    """Return the provenance of what is measured under `setting` today."""
    device = bench.device
    system = (device.os_name.value, device.os_version.value, device.os_build.value)
    return Run(
        date=datetime.now(UTC).date(),
        mlx=device.mlx_version.value or "unknown",
        wheel=device.wheel_tag.value,
        os=" ".join(word for word in system if word) or "unknown",
        nax=device.nax.available,
        tf32_measured=_tf32(bench, setting),
        arch=device.architecture.value,
    )


def _tf32(bench: Bench, setting: Setting) -> str:
    precision = bench.precision(setting)
    if precision.bits == 0:
        return "unknown"
    return "yes" if precision.is_tf32 else "no"


def known_of(bench: Bench, settings: Iterable[Setting]) -> Known:
    """Return what is needed to write a baseline of this machine, or the reasons not to."""
    device = bench.device
    hardware = Hardware(device.backend, device.name.value or "unknown", device.gpu_cores.value)
    return {
        "key": device.key.value,
        "hardware": to_builtins(hardware),
        "runs": {str(setting): to_builtins(run_of(bench, setting)) for setting in settings},
        "forbidden": list(_forbidden(bench)),
    }


def _forbidden(bench: Bench) -> Iterator[str]:
    if bench.device.key.value is None:
        yield f"no baseline key: {bench.device.key.note}"
    for name, value in foreign_switches(bench.environment).items():
        yield f"{name}={value} is set, and may change what is measured"
    yield from bench.device.errors
    yield from unfit(bench.condition())


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of a run's records: what changed in the file, and why the rest was left out."""

    measured: int
    """Records that had something to keep, changed or not."""
    changes: tuple[Change, ...]
    left: Counter[str]


def keep(records: Iterable[Record], known: Known, folder: Path) -> Kept:
    """Write what `records` measured into the machine's file in `folder`; return what changed.

    Kept are errors of results that are right but not exact, cards that came out alike when they
    were asked for twice, and times that were measured on a fit machine and are steady. A changed
    card and a slower time too: asking for them to be stored is how one accepts them. Nothing is
    kept of a case under a forced architecture, or of one that showed a known issue. Where there is
    nothing to keep the file stays as it is, or does not come to be.

    Raises:
        BaselineError: the file is damaged or cannot be written; it is left as it is.
    """
    runs = {setting: convert(run, Run) for setting, run in known["runs"].items()}
    hardware = convert(known["hardware"], Hardware)
    parts: list[tuple[str, Run, Part]] = []
    left: Counter[str] = Counter()
    for record in records:
        setting = Setting(record.setting.tf32, record.setting.arch, record.setting.nax)
        run = runs.get(str(setting))
        if run is None or setting != Setting(setting.tf32):
            left["measured under another setting than the baseline's"] += 1
            continue
        if is_known(record):
            left["a known issue"] += 1
            continue
        found = (_part(record, run), _route(record, run), _card(record, run))
        kept = [part for part in found if part is not None]
        parts += [(record.case, run, part) for part in kept]
        if not kept:
            left[_why_not(record)] += 1
    changes = write(folder, gather(known["key"], hardware, parts)) if parts else ()
    return Kept(len({case for case, _, _ in parts}), changes, left)


def _route(record: Record, run: Run) -> Routed | None:
    """Return the route of a case that ran on it: how its verdict fell does not matter."""
    route = record.route
    if route is None or not route.here:
        return None
    return Routed(run_id(run), route.path, route.kernels)


def _card(record: Record, run: Run) -> Card | None:
    """Return a card that was asked for twice, alike; a changed one is accepted by storing it."""
    card = record.card
    if card is None or card.times < _ASKED or record.verdict == "card unsteady":
        return None
    return Card(run_id(run), card.features)


def _part(record: Record, run: Run) -> Part | None:
    """Return what of a record is kept, if anything."""
    error, time = record.error, record.time
    if record.verdict in _MEASURED and error is not None:
        return numbers_of(record.verdict, error.share, error.ulp, error.relative, run)
    return _speed(time, run) if time is not None and _steady(record) else None


def _why_not(record: Record) -> str:
    """Return why nothing of a record is kept."""
    if record.verdict == "exact":
        return "exact, without a figure to keep"
    if record.kind != "throughput" or record.time is None or record.baseline is None:
        return record.verdict
    return "not comparable" if record.baseline.reasons else "too noisy"


def _steady(record: Record) -> bool:
    """Tell whether a time was measured on a fit machine, and with little enough noise."""
    if record.time is None or record.baseline is None or record.verdict == NAX_MISSED:
        return False
    if (record.time.best or 0) > BEST * (record.time.high or record.time.seconds):
        return False
    if record.verdict == "unstable":
        # It may be the stored time that is noisy; a quiet one mends it.
        return record.time.spread is not None and record.time.spread <= QUIET
    if record.baseline.verdict in {"no baseline", "not comparable"}:
        # A time that was stored by another way of measuring is there to be replaced.
        return set(record.baseline.reasons) <= {OTHER_METHOD}
    return True


def _speed(time: TimeFacts, run: Run) -> Speed:
    """Turn a record's time into a baseline's; what a record leaves out is as good as the time."""
    return Speed(
        run=run_id(run),
        seconds=time.seconds,
        low=time.seconds if time.low is None else time.low,
        high=time.seconds if time.high is None else time.high,
        spread=time.spread or 0.0,
        best=time.seconds if time.best is None else time.best,
        repeats=time.pairs or 1,
        runs=1,
        between=None,
        tflops=time.tflops or 0.0,
        gbs=time.gbs or 0.0,
        method=METHOD,
    )
