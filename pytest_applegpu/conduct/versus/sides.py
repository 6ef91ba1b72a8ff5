"""Which two builds are held against each other, and how is the second one's worker started?"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.planning import Plan
from pytest_applegpu.conduct.start import start
from pytest_applegpu.conduct.versus.environment import (
    EnvironmentFailedError,
    Wanted,
    cache_folder,
    made,
)
from pytest_applegpu.config import Config
from pytest_applegpu.report.versus_records import RunFacts, SideFacts
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.process import Message

BUILT: Final = ("core.*.so", "lib/libmlx.*", "lib/mlx.metallib")
"""Files of a build, in the folder of the package, that are made anew with it."""


@dataclass
class Sides:
    """The build under test, the one it is held against, and how many cases are timed in all.

    Where two settings of one build are held against each other, both are one bench, and `setting`
    is the other side's. `name` says which side the other is.
    """

    this: Bench
    other: Bench
    run: RunFacts
    setting: Setting | None = None
    name: str = "other build"

    @property
    def alike(self) -> bool:
        """Whether both are one installation: nothing has changed then."""
        return self.run.this.build == self.run.other.build

    def theirs(self, case: Case) -> Case:
        """Return the case as the other side runs it."""
        return case if self.setting is None else replace(case, setting=self.setting)

    def close(self) -> None:
        """End the other side's workers; this side's are the run's own."""
        self.other.pool.close()


def two_settings(bench: Bench, this: Setting, other: Setting, timed: int, name: str) -> Sides:
    """Hold two settings of one build against each other.

    Raises:
        WorkerError: a worker cannot be started.
    """
    run = RunFacts(
        this=_facts(bench.pool.hello(this)),
        other=_facts(bench.pool.hello(other)),
        product=version("pytest-applegpu"),
        timed=timed,
        seed=bench.config.seed,
    )
    return Sides(bench, bench, run, other, name)


def start_sides(config: Config, this: Bench, timed: int) -> Sides:
    """Start the other side's first worker; make its environment where a version is named.

    Raises:
        pytest.UsageError: it cannot be made or started, or has another backend.
    """
    option = config.named("versus")
    hello = this.pool.hello(config.settings[0])
    python = _interpreter(config, this.backend, hello)
    said = replace(config, python=python, backend=this.backend)
    try:
        other_plan = Plan(said)
        other_plan.check()
        other = start(said, other_plan, side="other")
    except pytest.UsageError as error:
        raise pytest.UsageError(f"{option}: {error}") from None
    run = RunFacts(
        this=_facts(hello),
        other=_facts(other.pool.hello(config.settings[0])),
        product=version("pytest-applegpu"),
        options=config.compared,
        timed=timed,
        seed=config.seed,
    )
    return Sides(this, other, run)


def _interpreter(config: Config, backend: str, hello: Message) -> str:
    """Return the other interpreter: the one that was named, or that of an environment.

    Raises:
        pytest.UsageError: the environment cannot be made.
    """
    asked = config.versus or ""
    name, equals, mlx = asked.partition("==")
    if not (equals and name == "mlx"):
        return asked
    python = ".".join(hello["python"].split(".")[:2])
    wanted = Wanted(mlx, backend, config.python, python, hello["numpy"])
    try:
        return made(wanted, cache_folder(os.environ))
    except EnvironmentFailedError as error:
        raise pytest.UsageError(f"{config.named('versus')}: {error}") from None


def _facts(hello: Message) -> SideFacts:
    return SideFacts(
        mlx=hello["mlx"],
        python=hello["python"],
        numpy=hello["numpy"],
        build=fingerprint(hello["mlx_file"]),
        executable=hello["executable"],
    )


def fingerprint(core: str | None) -> str | None:
    """Return what tells two builds apart: sizes and times of the files that a build makes.

    `core` is the path of MLX's extension module.
    """
    if core is None:
        return None
    folder = Path(core).resolve().parent
    files = sorted(one for pattern in BUILT for one in folder.glob(pattern))
    facts = [(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in files]
    return sha256(repr(facts).encode()).hexdigest()[:12]


def header(sides: Sides) -> list[str]:
    """Return which builds are held against each other, as lines for the top of a run."""
    this, other = sides.run.this, sides.run.other
    lines = [f"this build: {_told(this)}", f"the other build: {_told(other)}"]
    if sides.alike:
        lines.append("both are one installation: what differs is the machine's doing")
    return lines


def _told(side: SideFacts) -> str:
    return f"MLX {side.mlx}, Python {side.python}, NumPy {side.numpy} ({side.executable})"
