"""How this run's records become the machine's baseline, and what forbids it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import convert, to_builtins

from pytest_applegpu.baselines.compare import OTHER_METHOD
from pytest_applegpu.baselines.records import Hardware, Part, Run, Speed, run_id
from pytest_applegpu.baselines.update import Change, gather, numbers_of, write
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.device.condition import unfit
from pytest_applegpu.report.records import Record, TimeFacts
from pytest_applegpu.setting import Setting, foreign_switches
from pytest_applegpu.throughput.slope import METHOD

QUIET: Final = 0.05
"""Relative spread up to which a time is steady, whatever it is compared with."""

_MEASURED: Final = frozenset({"within", "creeping"})
"""Verdicts about numbers that a baseline holds; what is `exact` has no figure to keep."""

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


def keep(records: Iterable[Record], known: Known, folder: Path) -> tuple[Change, ...]:
    """Write what `records` measured into the machine's file in `folder`; return what changed.

    Kept are errors of results that are right but not exact, and times that were measured on a
    fit machine and are steady; a slower one too, since asking for it to be stored is how one
    accepts it. Nothing is kept of a case under a forced architecture.

    Raises:
        BaselineError: the file is damaged or cannot be written; it is left as it is.
    """
    runs = {setting: convert(run, Run) for setting, run in known["runs"].items()}
    hardware = convert(known["hardware"], Hardware)
    return write(folder, gather(known["key"], hardware, _parts(records, runs)))


def _parts(records: Iterable[Record], runs: dict[str, Run]) -> Iterator[tuple[str, Run, Part]]:
    for record in records:
        run = runs.get(str(Setting(record.setting.tf32, record.setting.arch)))
        if run is None or record.setting.arch is not None:
            continue
        error, time = record.error, record.time
        if record.verdict in _MEASURED and error is not None:
            part = numbers_of(record.verdict, error.share, error.ulp, error.relative, run)
            yield record.case, run, part
        elif time is not None and _steady(record):
            yield record.case, run, _speed(time, run)


def _steady(record: Record) -> bool:
    """Tell whether a time was measured on a fit machine, and with little enough noise."""
    if record.time is None or record.baseline is None:
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
