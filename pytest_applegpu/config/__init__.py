"""What did the user ask for? Read once, checked once, and never changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from pytest_applegpu.config import places, switches, values
from pytest_applegpu.config.values import WrongError
from pytest_applegpu.dtypes import DType
from pytest_applegpu.options import BACKENDS, BY_NAME, TIERS, Option
from pytest_applegpu.setting import Setting

Lookup = Callable[[Option], Any]
"""Gives an option's value as it was written, or None where nothing was said."""

Source = Callable[[Option], str]
"""Gives the name by which an option was set: its flag, or its name in an ini file."""

_COMPARED: Final = (
    *("backend", "tf32", "arch", "nax", "mlx", "shapes-for", "tier", "dtypes", "timeout"),
    *("known-issues", "rounds", "search"),
)
"""Options that bear on which cases a versus run has, and on how each ends."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every option, read and checked."""

    backend: str
    settings: tuple[Setting, ...]
    mlx: str | None
    """The MLX whose dispatch is predicted; None: the installed one."""
    shapes_for: str
    """The architecture that shapes are chosen for where the backend is not metal."""
    tier: str
    dtypes: tuple[DType, ...] | None
    """None: whatever the backend has."""
    baselines: Path
    update_baselines: bool
    report_log: Path | None
    seed: int
    timeout: float
    cases: tuple[str, ...]
    shapes: tuple[str, ...]
    """Names of shipped sets of shapes, and paths of files that hold one."""
    blame: int
    """How many failures are run elsewhere."""
    bundle: Path | None
    """Where failures are written to, each in a folder of its own."""
    shrink: bool
    """Whether the smallest case that still fails is searched for."""
    search: int
    """How many cases are drawn at random beside those that are planned."""
    known_issues: Path | Literal["shipped", "none"]
    """The file of known issues, the one that is shipped, or none."""
    versus: str | None
    """The interpreter of the other build, or `mlx==VERSION` where one is to be made."""
    rounds: int | None
    """Rounds of a timed case in a versus run; None: as many as are due."""
    resume: Path | None
    """The report log of the versus run that is gone on with."""
    compared: tuple[str, ...]
    """Words that a run must have been started with to be gone on with by this one."""
    python: str
    rerun: tuple[str, ...]
    """Words that a rerun of a single case must repeat, beside the case itself."""
    choice: tuple[str, ...]
    """Words that choose what is run, which a rerun of the whole must repeat too."""
    names: Mapping[str, str]
    """By what name each option was set, for messages."""

    def named(self, name: str) -> str:
        """Return the name that a message about the option `name` starts with."""
        return self.names[name]

    @property
    def is_chosen(self) -> bool:
        """Whether the cases were asked for, in place of those that are planned."""
        return bool(self.cases or self.shapes)


def _flag_of(option: Option) -> str:
    return option.flag


def read_config(lookup: Lookup, root: Path, here: Path, source: Source = _flag_of) -> Config:
    """Build the configuration from `lookup`; `root` anchors the baselines, `here` other paths.

    Raises:
        pytest.UsageError: a value is not allowed; the message names the option, as `source` does,
            and what is.
    """
    try:
        return _read(lookup, root, here, {name: source(one) for name, one in BY_NAME.items()})
    except WrongError as error:
        raise pytest.UsageError(f"{source(BY_NAME[error.name])}: {error.text}") from None


def _read(lookup: Lookup, root: Path, here: Path, names: Mapping[str, str]) -> Config:
    def text(name: str) -> str:
        option = BY_NAME[name]
        value = lookup(option)
        return str(option.default if value is None else value).strip()

    update = values.flag(lookup(BY_NAME["update-baselines"]))
    versus = places.versus(text, here, update=update)
    resume = places.resume(text("resume"), here, versus)
    report_log = here / Path(text("report-log")).expanduser() if text("report-log") else resume
    return Config(
        backend=values.one_of("backend", text("backend"), BACKENDS),
        settings=switches.settings(text("tf32"), switches.arches(text), text("nax")),
        mlx=values.version(text("mlx")),
        shapes_for=switches.shapes_for(text("shapes-for")),
        tier=values.one_of("tier", text("tier"), TIERS),
        dtypes=values.dtypes(text("dtypes")),
        baselines=places.folder(text("baselines"), root, update=update),
        update_baselines=update,
        report_log=report_log,
        seed=values.seed(text("seed")),
        timeout=values.seconds(text("timeout")),
        cases=values.lines(lookup(BY_NAME["case"])),
        shapes=places.shapes(values.lines(lookup(BY_NAME["shapes"])), here),
        blame=values.count("blame", text("blame")),
        bundle=places.bundle(text, here),
        shrink=values.flag(lookup(BY_NAME["shrink"])),
        search=values.count("search", text("search")),
        known_issues=places.known_issues(text("known-issues"), here),
        versus=versus,
        rounds=values.rounds(text("rounds")),
        resume=resume,
        compared=(
            *values.repeated(text, _COMPARED),
            *values.each("case", values.lines(lookup(BY_NAME["case"]))),
            *values.each("shapes", values.lines(lookup(BY_NAME["shapes"]))),
        ),
        python=places.interpreter("python", text("python"), here),
        rerun=values.repeated(
            text,
            (
                *("backend", "mlx", "shapes-for", "seed", "timeout", "python", "baselines"),
                *("known-issues", "versus", "rounds"),
            ),
        ),
        choice=(
            *values.repeated(text, ("tier", "dtypes", "tf32", "arch", "nax", "search")),
            *values.each("shapes", values.lines(lookup(BY_NAME["shapes"]))),
        ),
        names=names,
    )
