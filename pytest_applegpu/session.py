"""In which order do things happen? The conductor; every answer comes from another room."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import pytest

from pytest_applegpu.cases.case import CHECKS, Case, parse_cases
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.cases.speed import speed_cases
from pytest_applegpu.config import Config, Lookup, read_config
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import Build, expected_backend, install_line, read_build
from pytest_applegpu.device.commands import run_command
from pytest_applegpu.device.detect import detect
from pytest_applegpu.device.show import device_json, device_lines, device_rows
from pytest_applegpu.dtypes import DType
from pytest_applegpu.report.failure import failure_text
from pytest_applegpu.report.log import ReportLog, ReportLogError
from pytest_applegpu.report.records import Record, as_builtins, from_builtins
from pytest_applegpu.report.rerun import SHIPPED, Rerun
from pytest_applegpu.report.terminal import summary_text
from pytest_applegpu.setting import OWNED, foreign_switches
from pytest_applegpu.words import outcome
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import WorkerError

if TYPE_CHECKING:
    from pytest_applegpu.baselines.store import Shelf
    from pytest_applegpu.conduct.bench import Bench
    from pytest_applegpu.conduct.keep import Known

LISTED: Final = 20
"""Changes of a baseline that are printed one by one."""

_RECORD: pytest.StashKey[Record] = pytest.StashKey()
_CASE = "case"


class Description(NamedTuple):
    """A device, as rows of (label, text, how it is known) and as JSON values."""

    rows: list[tuple[str, str, str]]
    as_json: dict[str, Any]
    errors: tuple[str, ...]


class Session:
    """One run: made when the first suite is met, closed when pytest is done."""

    def __init__(self, config: Config, rerun: Rerun) -> None:
        """Start nothing yet."""
        self.config = config
        self.rerun = rerun
        self.used = False
        self.describing = False
        self.records: list[Record] = []
        self._known: Known | None = None
        self._planned: dict[str, list[Case]] = {}
        self._notes: list[str] = []
        self._bench: Bench | None = None
        self._log: ReportLog | None = None

    @classmethod
    def of(cls, config: pytest.Config, lookup: Lookup) -> Self:
        """Read the options of a pytest run.

        Raises:
            pytest.UsageError: an option's value is not allowed.
        """
        ours = read_config(lookup, config.rootpath, config.invocation_params.dir)
        session = cls(ours, Rerun(_suites(config), ours.rerun, ours.choice))
        _ = session.asked
        if ours.dtypes is not None:
            _ = session.dtypes
        return session

    def open_log(self) -> None:
        """Open the report log, if one is asked for and none is open.

        Raises:
            pytest.UsageError: it cannot be written.
        """
        if self.config.report_log is not None and self._log is None:
            try:
                self._log = ReportLog(self.config.report_log)
            except ReportLogError as error:
                raise pytest.UsageError(str(error)) from None

    # What is to be run.

    @cached_property
    def build(self) -> Build:
        """Return the MLX installation that the workers will import."""
        return read_build(self.config.python, run_command)

    @cached_property
    def backend(self) -> str:
        """Return the backend to plan for, known without importing MLX."""
        asked = self.config.backend
        return expected_backend(self.build) if asked == "auto" else asked

    @cached_property
    def asked(self) -> list[Case] | None:
        """Return the cases that were asked for by their texts; None where none were.

        Raises:
            pytest.UsageError: a text is no case.
        """
        if not self.config.cases:
            return None
        found: dict[str, Case] = {}
        for text in self.config.cases:
            try:
                cases = parse_cases(text, self.config.settings)
            except ValueError as error:
                raise pytest.UsageError(f"--applegpu-case: {text!r}: {error}") from None
            found |= {str(case): case for case in cases}
        return list(found.values())

    @cached_property
    def dtypes(self) -> tuple[DType, ...]:
        """Return the formats to plan for.

        Raises:
            pytest.UsageError: one was asked for that the backend lacks.
        """
        if self.config.dtypes is None:
            return backend_dtypes(self.backend)
        have = backend_dtypes(self.backend)
        for dtype in self.config.dtypes:
            if dtype not in have:
                names = ", ".join(one.name for one in have)
                said = f"--applegpu-dtypes: {self.backend} has no {dtype.name}, it has {names}"
                raise pytest.UsageError(said)
        return self.config.dtypes

    def planned(self, op: str, check: str) -> list[Case]:
        """Return the cases of `op` for tests that make `check`.

        Raises:
            pytest.UsageError: there is no such check.
        """
        if check not in CHECKS:
            allowed = ", ".join(CHECKS)
            raise pytest.UsageError(f"marker applegpu: check={check!r} is not one of {allowed}")
        cases = self.asked if self.asked is not None else self._plan(op)
        return [case for case in cases if (case.problem.op, case.check) == (op, check)]

    def _plan(self, op: str) -> list[Case]:
        if op not in self._planned:
            config, backend, dtypes = self.config, self.backend, self.dtypes
            self._planned[op] = [
                *numeric_cases(
                    op,
                    backend,
                    dtypes,
                    tier=config.tier,
                    seed=config.seed,
                    settings=config.settings,
                ),
                *speed_cases(op, backend, dtypes, config.tier, config.settings),
            ]
        return self._planned[op]

    def arranged(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Leave out tests without a case, and mark the timed ones for pytest-benchmark."""
        for item in items:
            if item.get_closest_marker("applegpu") and _case_param(item) is None:
                raise pytest.UsageError(
                    f"{item.nodeid}: a test with the marker applegpu takes an argument called case"
                )
        kept = [item for item in items if not _empty(item)]
        self.used = len(kept) > 0
        for item in kept:
            case = case_of(item)
            if case is not None and case.check == "throughput":
                group = pytest.mark.benchmark(group=case.problem.op, timer=worker_seconds)
                item.add_marker(group)
        return kept

    # The run itself.

    @property
    def bench(self) -> Bench:
        """Return the workers, started if need be.

        Raises:
            pytest.UsageError: MLX or its backend cannot be used; the message says what to do.
        """
        if self._bench is None:
            self._bench = self._start()
        return self._bench

    def _start(self) -> Bench:
        from pytest_applegpu.conduct.bench import Bench  # noqa: PLC0415 - only for a run

        if self.build.errors and not self.describing:
            raise pytest.UsageError("; ".join(self.build.errors))
        environment = dict(os.environ)
        pool = Pool(self.config.python, self.config.backend, environment)
        try:
            hello = pool.hello(self.config.settings[0])
        except WorkerError as error:
            line = install_line(sys.platform, run_command)
            if self.config.python != sys.executable:
                extra = re.search(r"\[(\w+)\]", line)
                mlx = f"'mlx[{extra[1]}]'" if extra else "mlx"
                line = f"{self.config.python} -m pip install {mlx} numpy"
            hint = f"to install MLX's backend: {line}"
            raise pytest.UsageError("\n".join((str(error), *self.build.errors, hint))) from None
        environ = self.config.settings[0].environment(environment)
        device = detect(hello, run_command, environ, sys.platform, build=self.build)
        if device.backend != self.backend and not self.describing:
            pool.close()
            raise pytest.UsageError(
                f"planned for {self.backend}, as installed, but the worker found {device.backend} "
                f"only: choose it with --applegpu-backend {device.backend}"
            )
        uuid = hello.get("device_info", {}).get("uuid")
        return Bench(self.config, pool, device, environment, run_command, uuid)

    def describe(self) -> Description:
        """Return what is known of the device, with the arithmetic measured under each setting.

        Raises:
            pytest.UsageError: MLX or its backend cannot be used.
        """
        self.describing = True
        bench = self.bench
        measured = {str(s): bench.precision(s).name for s in self.config.settings}
        return Description(
            rows=[
                *device_rows(bench.device),
                *((name, text, "measured in a worker") for name, text in measured.items()),
            ],
            as_json={**device_json(bench.device), "measured": measured},
            errors=bench.device.errors,
        )

    def begin(self, items: list[pytest.Item], *, parallel: bool) -> None:
        """Start the first worker, so that a run that cannot succeed ends before it begins.

        Raises:
            pytest.UsageError: MLX, its backend, a baseline or the report log cannot be used.
        """
        cases = [case for case in map(case_of, items) if case is not None]
        self.used = bool(cases)
        if not cases or parallel:
            # A process of a parallel run has no way to end the whole run: its cases say why.
            return
        self.open_log()
        self._refuse_forced(cases)
        _ = self.shelf

    def _refuse_forced(self, cases: list[Case]) -> None:
        """Never let a GPU without NAX run kernels that assume the registers of one that has it."""
        own = parse_architecture(self.bench.device.architecture.value)
        for name in sorted({case.setting.arch for case in cases if case.setting.arch}):
            forced = parse_architecture(name)
            wrong = forced is None or (forced.has_nax and not (own and own.has_nax))
            if self.bench.backend == "metal" and wrong:
                raise pytest.UsageError(
                    f"arch={name}: {self.bench.device.name} has no NAX, whose kernels assume the "
                    "hardware's own registers; force an architecture without NAX"
                )

    @cached_property
    def shelf(self) -> Shelf:
        """Return what was measured before on this hardware.

        Raises:
            pytest.UsageError: a baseline file is damaged.
        """
        from pytest_applegpu.baselines.places import shipped_folder  # noqa: PLC0415
        from pytest_applegpu.baselines.records import BaselineError  # noqa: PLC0415
        from pytest_applegpu.baselines.store import Shelf, find  # noqa: PLC0415

        key = self.bench.device.key.value
        shipped = shipped_folder()
        folders = [self.config.baselines, *([shipped] if shipped else [])]
        try:
            return find(key, folders) if key else Shelf("none")
        except BaselineError as error:
            raise pytest.UsageError(str(error)) from None

    def header(self) -> list[str]:
        """Return what is tested, as lines, once workers run."""
        if self._bench is None:
            return []
        measured = [
            f"{setting} measured: {self._bench.precision(setting).name}"
            for setting in self.config.settings
        ]
        lines = [*device_lines(self._bench.device), "; ".join(measured)]
        switches = foreign_switches(self._bench.environment)
        if switches:
            lines.append(f"set in the environment: {_pairs(switches)} (no baseline is written)")
        owned = {name: os.environ[name] for name in OWNED if name in os.environ}
        if owned:
            lines.append(f"set by you, and replaced by each setting: {_pairs(owned)}")
        return lines

    def prover(self, item: pytest.Item) -> Callable[[Case], None]:
        """Return the function that conducts a numeric case for `item`."""
        from pytest_applegpu.conduct.numbers import conduct  # noqa: PLC0415
        from pytest_applegpu.conduct.records import numbers_record  # noqa: PLC0415

        def prove(case: Case) -> None:
            __tracebackhide__ = True
            self._ready()
            found = conduct(case, self.bench)
            self._conclude(item, numbers_record(case, item.nodeid, self.bench, found))

        return prove

    def timer(self, item: pytest.Item, benchmark: Any) -> Callable[[Case], None]:
        """Return the function that times a case for `item`, and replays it into `benchmark`."""
        from pytest_applegpu.conduct.keep import run_of  # noqa: PLC0415
        from pytest_applegpu.conduct.records import speed_record  # noqa: PLC0415
        from pytest_applegpu.conduct.speed import conduct  # noqa: PLC0415

        def clock(case: Case) -> None:
            __tracebackhide__ = True
            self._ready()
            run = run_of(self.bench, case.setting)
            found = conduct(case, self.bench, self.shelf, run)
            record = speed_record(case, item.nodeid, self.bench, found)
            if benchmark is not None:
                replay(benchmark, record)
            self._conclude(item, record)

        return clock

    def _ready(self) -> None:
        """Start what a case needs; a failure is the case's, in words, not in a traceback."""
        __tracebackhide__ = True
        try:
            _ = self.shelf
        except pytest.UsageError as error:
            pytest.fail(str(error), pytrace=False)

    def _conclude(self, item: pytest.Item, record: Record) -> None:
        __tracebackhide__ = True
        item.stash[_RECORD] = record
        result = outcome(record.verdict)
        if result == "failed":
            pytest.fail(failure_text(record, self.rerun), pytrace=False)
        if result == "skipped":
            message = record.error.message if record.error else None
            pytest.skip(f"{record.verdict}: {message}")

    # What comes of it.

    def taken(self, item: pytest.Item) -> dict[str, Any] | None:
        """Return the record of a test that was just run, as it travels on its report."""
        record = item.stash.get(_RECORD, None)
        return None if record is None else as_builtins(record)

    def receive(self, plain: dict[str, Any]) -> None:
        """Take in the record of a case that is over, from this process or another."""
        record = from_builtins(plain)
        self.records.append(record)
        try:
            self.open_log()
            if self._log is not None:
                self._log.write(record)
        except (ReportLogError, pytest.UsageError) as error:
            self._notes.append(f"the report log ends here: {error}")
            self.config = replace(self.config, report_log=None)
            self._log = None

    def known(self) -> Known | None:
        """Return what this process knows of its machine, if it ran anything."""
        from pytest_applegpu.conduct.keep import known_of  # noqa: PLC0415

        if self._bench is None:
            return None
        return known_of(self._bench, self.config.settings) | {"lines": self.header()}

    def learn(self, known: Known) -> None:
        """Take in what another process knows of this machine."""
        if self._known is None:
            # In a parallel run no process of its own printed these.
            self._notes += known["lines"]
            self._known = known
            return
        forbidden = [*self._known["forbidden"], *known["forbidden"]]
        if known["key"] != self._known["key"]:
            forbidden.append(f"machines {self._known['key']} and {known['key']} ran together")
        self._known = self._known | {"forbidden": list(dict.fromkeys(forbidden))}

    def finish(self) -> None:
        """Store the baselines, if that was asked for."""
        if self.config.update_baselines and self.records:
            self._notes += self._keep(self._known or self.known())

    def _keep(self, known: Known | None) -> list[str]:
        from pytest_applegpu.baselines.records import BaselineError  # noqa: PLC0415
        from pytest_applegpu.conduct.keep import keep  # noqa: PLC0415

        if known is None or known["forbidden"]:
            reasons = known["forbidden"] if known else ["the device is not known"]
            return [f"baseline not written: {'; '.join(reasons)}"]
        try:
            changes = keep(self.records, known, self.config.baselines)
        except BaselineError as error:
            return [f"baseline not written: {error}"]
        path = self.config.baselines / f"{known['key']}.json"
        more = [f"and {len(changes) - LISTED} more"] if len(changes) > LISTED else []
        count = f"{len(changes)} change{'' if len(changes) == 1 else 's'}"
        return [f"baseline written: {path}: {count}", *map(str, changes[:LISTED]), *more]

    def summary(self) -> str:
        """Return the summary of what is done so far."""
        return "\n\n".join(
            part
            for part in (summary_text(self.records, self.rerun), "\n".join(self._notes))
            if part
        )

    def close(self) -> None:
        """End every worker and close the log."""
        if self._bench is not None:
            self._bench.pool.close()
        if self._log is not None:
            self._log.close()


def _pairs(variables: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in variables.items())


def _case_param(item: pytest.Item) -> object | None:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(_CASE) if callspec else None


def case_of(item: pytest.Item) -> Case | None:
    """Return the case that a test was given, if it was given one."""
    value = _case_param(item)
    return value if isinstance(value, Case) else None


def _empty(item: pytest.Item) -> bool:
    """Tell a marked test that no case was found for: pytest gives it a stand-in."""
    return item.get_closest_marker("applegpu") is not None and case_of(item) is None


def _suites(config: pytest.Config) -> tuple[str, ...]:
    """Return the words that name the suites as this run named them."""
    if config.option.pyargs:
        return SHIPPED
    here = Path(config.invocation_params.dir)
    return ("suites",) if (here / "suites" / "conformance").is_dir() else SHIPPED


_replayed = 0.0


def worker_seconds() -> float:
    """Clock for pytest-benchmark: the seconds that workers measured, and nothing else."""
    return _replayed


def replay(benchmark: Any, record: Record) -> None:
    """Let pytest-benchmark see each measured sample as one round of its own."""
    time = record.time
    samples: Sequence[float] = () if time is None else time.samples or (time.seconds,)
    left = iter(samples)

    def operation() -> None:
        global _replayed  # noqa: PLW0603 - a clock has a state
        _replayed += next(left, 0.0)

    if time is None:
        # Nothing was measured, and pytest-benchmark is to keep nothing.
        benchmark.disabled = True
    else:
        facts = {"case": record.case, "verdict": record.verdict, "tflops": time.tflops}
        benchmark.extra_info.update(facts, gbs=time.gbs, device=record.device, mlx=record.mlx)
    benchmark.pedantic(operation, rounds=max(1, len(samples)), iterations=1)
