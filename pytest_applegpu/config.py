"""What did the user ask for? Read once, checked once, and never changed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from packaging.version import InvalidVersion, Version

from pytest_applegpu.device.arch import architectures, newest_with_nax
from pytest_applegpu.device.chips import chips_named
from pytest_applegpu.dtypes import DTYPES, DType, parse_dtype
from pytest_applegpu.options import BACKENDS, BY_NAME, NAX_CHOICES, TF32_CHOICES, TIERS, Option
from pytest_applegpu.setting import ARCHITECTURE, Setting

Lookup = Callable[[Option], Any]
"""Gives an option's value as it was written, or None where nothing was said."""

Source = Callable[[Option], str]
"""Gives the name by which an option was set: its flag, or its name in an ini file."""

_COMPARED: Final = (
    *("backend", "tf32", "arch", "nax", "mlx", "shapes-for", "tier", "dtypes", "timeout"),
    *("known-issues", "rounds", "search"),
)
"""Options that bear on which cases a versus run has, and on how each ends."""

LEAST_ROUNDS: Final = 6
"""The fewest whose extremes are a 95 % interval of the median."""

_MOST_SEED: Final = 2**63


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


class _WrongError(Exception):
    """An option's name, its value and what is allowed."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(name, value, allowed)
        self.name, self.text = name, f"{value!r} is not {allowed}"


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
    except _WrongError as error:
        raise pytest.UsageError(f"{source(BY_NAME[error.name])}: {error.text}") from None


def _read(lookup: Lookup, root: Path, here: Path, names: Mapping[str, str]) -> Config:
    def text(name: str) -> str:
        option = BY_NAME[name]
        value = lookup(option)
        return str(option.default if value is None else value).strip()

    update = _flag(lookup(BY_NAME["update-baselines"]))
    versus = _versus(text, here, update=update)
    resume = _resume(text("resume"), here, versus)
    report_log = here / Path(text("report-log")).expanduser() if text("report-log") else resume
    return Config(
        backend=_one_of("backend", text("backend"), BACKENDS),
        settings=_settings(text("tf32"), _arches(text), text("nax")),
        mlx=_version(text("mlx")),
        shapes_for=_shapes_for(text("shapes-for")),
        tier=_one_of("tier", text("tier"), TIERS),
        dtypes=_dtypes(text("dtypes")),
        baselines=_folder(text("baselines"), root, update=update),
        update_baselines=update,
        report_log=report_log,
        seed=_seed(text("seed")),
        timeout=_seconds(text("timeout")),
        cases=_lines(lookup(BY_NAME["case"])),
        shapes=_shapes(_lines(lookup(BY_NAME["shapes"])), here),
        blame=_count("blame", text("blame")),
        bundle=_bundle(text, here),
        shrink=_flag(lookup(BY_NAME["shrink"])),
        search=_count("search", text("search")),
        known_issues=_known_issues(text("known-issues"), here),
        versus=versus,
        rounds=_rounds(text("rounds")),
        resume=resume,
        compared=(
            *_repeated(text, _COMPARED),
            *_each("case", _lines(lookup(BY_NAME["case"]))),
            *_each("shapes", _lines(lookup(BY_NAME["shapes"]))),
        ),
        python=_interpreter("python", text("python"), here),
        rerun=_repeated(
            text,
            (
                *("backend", "mlx", "shapes-for", "seed", "timeout", "python", "baselines"),
                *("known-issues", "versus", "rounds"),
            ),
        ),
        choice=(
            *_repeated(text, ("tier", "dtypes", "tf32", "arch", "nax", "search")),
            *_each("shapes", _lines(lookup(BY_NAME["shapes"]))),
        ),
        names=names,
    )


def _folder(value: str, root: Path, *, update: bool) -> Path:
    """Return the folder of baselines: it is there, or the default, or an update makes it."""
    folder = root / Path(value).expanduser()
    default = value == BY_NAME["baselines"].default
    if not value or (folder.exists() and not folder.is_dir()):
        raise _WrongError("baselines", value, "a folder")
    if not (folder.is_dir() or default or update):
        allowed = "a folder that is there; --applegpu-update-baselines makes it"
        raise _WrongError("baselines", value, allowed)
    return folder


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise _WrongError(name, value, f"one of {', '.join(allowed)}")
    return value


def _settings(tf32: str, arches: tuple[str | None, ...], nax: str) -> tuple[Setting, ...]:
    def modes(name: str, value: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        chosen = _one_of(name, value, allowed)
        return ("on", "off") if chosen == "both" else (chosen,)

    return tuple(
        Setting(mode, arch, accelerators)
        for arch in arches
        for accelerators in modes("nax", nax, NAX_CHOICES)
        for mode in modes("tf32", tf32, TF32_CHOICES)
    )


def _arches(text: Callable[[str], str]) -> tuple[str | None, ...]:
    """Return the architectures to force; None is the GPU's own."""
    emulated = text("backend") == "emulated"
    if not text("arch"):
        return (_shapes_for(text("shapes-for")),) if emulated else (None,)
    found: dict[str | None, None] = {}
    for word in text("arch").split(","):
        found |= dict.fromkeys(_arch(word.strip(), emulated=emulated))
    return tuple(found)


def _arch(word: str, *, emulated: bool) -> Iterable[str | None]:
    if word == "all":
        return architectures() if emulated else (None, *architectures(nax=False))
    if word == "own" and not emulated:
        return (None,)
    named = chips_named(word)
    if named:
        return (named[0].architecture,)
    if not ARCHITECTURE.fullmatch(word):
        own = "" if emulated else "own, "
        raise _WrongError(
            "arch", word, f"{own}all, an architecture such as applegpu_g16s, or a chip"
        )
    return (word,)


def _shapes_for(value: str) -> str:
    if value == "newest":
        return newest_with_nax()
    if not ARCHITECTURE.fullmatch(value):
        raise _WrongError("shapes-for", value, "newest, or an architecture such as applegpu_g17s")
    return value


def _version(value: str) -> str | None:
    if not value:
        return None
    try:
        return str(Version(value))
    except InvalidVersion:
        raise _WrongError("mlx", value, "a version such as 0.32.4") from None


def _dtypes(value: str) -> tuple[DType, ...] | None:
    if value == "all":
        return None
    found: dict[str, DType] = {}
    for word in value.split(","):
        try:
            dtype = parse_dtype(word.strip())
        except ValueError:
            names = ", ".join(f"{dtype.name} ({dtype.short})" for dtype in DTYPES.values())
            raise _WrongError("dtypes", word.strip(), f"one of {names}, or all") from None
        found[dtype.name] = dtype
    return tuple(found.values())


def _flag(value: object) -> bool:
    return value is True


def _seed(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) < _MOST_SEED):
        raise _WrongError("seed", value, "a whole number from 0 to 2**63 - 1")
    return int(value)


def _count(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise _WrongError(name, value, "a whole number from 0 on")
    return int(value)


def _bundle(text: Callable[[str], str], here: Path) -> Path | None:
    """Return the folder of bundles, which is made with the first of them."""
    value = text("bundle")
    if not value:
        return None
    if text("backend") == "emulated":
        allowed = "of use on an emulated device, whose results no program of MLX's has"
        raise _WrongError("bundle", value, allowed)
    folder = here / Path(value).expanduser()
    there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise _WrongError("bundle", value, f"a folder that can be written: see {str(there)!r}")
    return folder


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1
    if not 0 < seconds < float("inf"):
        raise _WrongError("timeout", value, "a number of seconds above 0")
    return seconds


def _lines(value: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(line.strip() for line in value or () if line.strip())


def _known_issues(value: str, here: Path) -> Path | Literal["shipped", "none"]:
    if value == "shipped":
        return "shipped"
    if value == "none":
        return "none"
    file = here / Path(value).expanduser()
    if not value or not file.is_file():
        raise _WrongError("known-issues", value, "shipped, none, or a file that is there")
    return file


def _shapes(lines: tuple[str, ...], here: Path) -> tuple[str, ...]:
    """Return names as they are, and paths from `here`."""
    words = (word.strip() for line in lines for word in line.split(","))
    paths = (str(here / Path(word).expanduser()) if _is_file(word) else word for word in words)
    return tuple(dict.fromkeys(paths))


def _is_file(word: str) -> bool:
    return word.endswith(".toml")


def _each(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for value in values for word in (BY_NAME[name].flag, value))


def _versus(text: Callable[[str], str], here: Path, *, update: bool) -> str | None:
    """Return the other interpreter, or the MLX to make one with; None where none is asked for."""
    value = text("versus")
    if not value:
        return None
    if text("backend") == "emulated":
        raise _WrongError("versus", value, "of use on an emulated device, which has one build")
    if update:
        allowed = "to be joined with --applegpu-update-baselines: times taken in turns are no"
        raise _WrongError("versus", value, f"{allowed} baseline")
    name, equals, version = value.partition("==")
    if not equals:
        return _interpreter("versus", value, here)
    try:
        if name.strip() == "mlx":
            return f"mlx=={Version(version.strip())}"
    except InvalidVersion:
        pass
    raise _WrongError("versus", value, "mlx==VERSION, as in mlx==0.31.2, or an interpreter's path")


def _rounds(value: str) -> int | None:
    if value == "auto":
        return None
    if not (value.isascii() and value.isdigit() and LEAST_ROUNDS <= int(value) < 10**6):
        raise _WrongError("rounds", value, f"auto, or a whole number from {LEAST_ROUNDS} on")
    return int(value)


def _resume(value: str, here: Path, versus: str | None) -> Path | None:
    if not value:
        return None
    if versus is None:
        raise _WrongError("resume", value, "of use without --applegpu-versus")
    file = here / Path(value).expanduser()
    if not file.is_file():
        raise _WrongError("resume", value, "a report log that is there")
    return file


def _interpreter(option: str, value: str, here: Path) -> str:
    if not value:
        return sys.executable
    # A name without a folder is looked up; a path is kept as written, since resolving the link
    # in a virtual environment would leave that environment.
    found = shutil.which(str(here / Path(value).expanduser()) if "/" in value else value)
    if found is None:
        raise _WrongError(option, value, "an interpreter that can be run: give the path of one")
    return found


def _repeated(text: Callable[[str], str], names: tuple[str, ...]) -> tuple[str, ...]:
    words: list[str] = []
    for name in names:
        if text(name) != str(BY_NAME[name].default):
            words += [BY_NAME[name].flag, text(name)]
    return tuple(words)
