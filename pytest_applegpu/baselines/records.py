"""What does a baseline file hold?

One file per hardware key. A record is one case under one setting: the case text, which ends with
the setting, is its name. What was true of a whole run (versions, operating system, day) stands
once under `runs`; each record's parts name the run they were measured in.
"""

from __future__ import annotations

import datetime as dt
from hashlib import sha256
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import fields

from pytest_applegpu.words import NUMBERS

SCHEMA: Final = 2
"""Version of the file's shape that is written, and the newest that can be read.

`text.UPGRADES` brings older files to it."""

_CASE: Final = r"^\S+( \S+)* tf32=(on|off)( \S+)*$"
KEY_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._+-]*$"
_RUN_ID: Final = r"^\d{4}-\d{2}-\d{2}-[0-9a-f]{8}$"
_ANSWER: Final = r"^(yes|no|unknown)$"
_BACKEND: Final = r"^(metal|cuda|cpu)$"
_VERDICT: Final = f"^({'|'.join(NUMBERS)})$"

_RIGHT: Final = frozenset({"exact", "within", "creeping"})
"""Verdicts on numbers that are right: no error exceeds its bound."""

BEST: Final = 10
"""How many times the time of an operation its fastest submission may seem to take, in earnest."""

MEANING: Final[dict[str, str]] = {
    _CASE: "a case with its setting, as in `matmul-f32-nn-64x64x64 tf32=off`",
    KEY_PATTERN: "letters, digits and ._+- only",
    _RUN_ID: "a day and eight hexadecimal digits, as in `2026-11-03-0f3a9c12`",
    _ANSWER: "one of yes, no, unknown",
    _BACKEND: "one of metal, cuda, cpu",
    _VERDICT: f"one of {', '.join(NUMBERS)}",
}
"""Every pattern that a text in the file must match, in words."""

Key = Annotated[str, Meta(pattern=KEY_PATTERN, max_length=100)]
CaseText = Annotated[str, Meta(pattern=_CASE, max_length=500)]
RunId = Annotated[str, Meta(pattern=_RUN_ID)]
Answer = Annotated[str, Meta(pattern=_ANSWER)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Amount = Annotated[float, Meta(ge=0, le=1e300)]
Positive = Annotated[float, Meta(gt=0, le=1e300)]
Seconds = Annotated[float, Meta(gt=0, le=1e6)]
Count = Annotated[int, Meta(ge=1, le=10**9)]


class BaselineError(Exception):
    """A baseline that cannot be used or written: one line naming the file, the field and why."""


class Hardware(Struct, frozen=True, forbid_unknown_fields=True):
    """The hardware that the file is about; `gpu_cores` is null where nothing tells it."""

    backend: Annotated[str, Meta(pattern=_BACKEND)]
    chip: Name
    gpu_cores: Count | None


class Run(Struct, frozen=True, forbid_unknown_fields=True):
    """What was true of a run under one setting: provenance, never a reason not to compare.

    `wheel` is the tag MLX was built under, `os` the system's version and build, `arch` the
    architecture that MLX reports, `tf32_measured` what the probe found; null is unknown.
    """

    date: dt.date
    mlx: Name
    wheel: Name | None
    os: Name
    nax: Answer
    tf32_measured: Answer
    arch: Name | None


class Numbers(Struct, frozen=True, forbid_unknown_fields=True):
    """How far off the result was: worst element in share of its bound, ULP, relative error.

    A figure is null where it has no meaning, as for a refusal that was due.
    """

    run: RunId
    verdict: Annotated[str, Meta(pattern=_VERDICT)]
    share: Amount | None
    ulp: Amount | None
    relative: Amount | None

    def __post_init__(self) -> None:
        """Refuse a verdict that its own figure denies.

        Raises:
            ValueError: a result that is right, with a share of its bound above 1.
        """
        if self.verdict in _RIGHT and self.share is not None and self.share > 1:
            raise ValueError(
                f"Expected a share up to 1 where the verdict is {self.verdict}, got {self.share:g}"
            )


class Speed(Struct, frozen=True, forbid_unknown_fields=True):
    """How long one operation took, in seconds, as `throughput.slope.Timing` says it.

    `runs` counts the runs behind `seconds`, [`low`, `high`] is the 95 % interval within one,
    from `repeats` pairs, `spread` their relative scatter. `between` is the relative standard
    deviation between runs, null until a second run agreed. `tflops` and `gbs` are 10**12
    operations and 10**9 bytes a second. `method` names the way of measuring.
    """

    run: RunId
    seconds: Seconds
    low: Seconds
    high: Seconds
    spread: Amount
    best: Seconds
    repeats: Count
    runs: Count
    between: Amount | None
    tflops: Amount
    gbs: Amount
    method: Name

    def __post_init__(self) -> None:
        """Refuse times that are out of order.

        Raises:
            ValueError: not low <= seconds <= high, or best far above high. A little above it may
                be, since a submission's overhead is part of it.
        """
        if not self.low <= self.seconds <= self.high:
            raise ValueError(
                f"Expected low <= seconds <= high, got {self.low:g}, "
                f"{self.seconds:g}, {self.high:g}"
            )
        if self.best > BEST * self.high:
            raise ValueError(
                f"Expected best up to {BEST} times high, got {self.best:g}, {self.high:g}"
            )


class Routed(Struct, frozen=True, forbid_unknown_fields=True):
    """Which kernels MLX launched: the path's short label, and their full names in order."""

    run: RunId
    path: Name
    kernels: tuple[Name, ...]


class Card(Struct, frozen=True, forbid_unknown_fields=True):
    """What the arithmetic of the route was like: answers by the names of what was asked."""

    run: RunId
    features: Annotated[dict[Name, Name], Meta(min_length=1)]


Part = Numbers | Speed | Routed | Card


class Record(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is known of one case: its numbers, speed, route, card; one of them at least."""

    numbers: Numbers | None = None
    speed: Speed | None = None
    route: Routed | None = None
    card: Card | None = None

    def __post_init__(self) -> None:
        """Refuse an empty record.

        Raises:
            ValueError: neither numbers nor speed nor a route nor a card.
        """
        if not self.parts:
            raise ValueError("Expected `numbers`, `speed`, `route` or `card`")

    @property
    def parts(self) -> tuple[Part, ...]:
        """Numbers, speed, route and card, those there are."""
        every = (self.numbers, self.speed, self.route, self.card)
        return tuple(part for part in every if part is not None)


class Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file: measured records of one hardware key, none of them written by hand."""

    schema: Annotated[int, Meta(ge=SCHEMA, le=SCHEMA)]
    key: Key
    hardware: Hardware
    runs: dict[RunId, Run]
    cases: dict[CaseText, Record]


def run_id(run: Run) -> str:
    """Return the name of a run in its file: its day, and a digest of all that it says.

    Equal provenance has one name wherever it is written, so that two branches that add runs to
    one file merge without a clash.
    """
    said = "\n".join(f"{field.name}={getattr(run, field.name)}" for field in fields(run))
    return f"{run.date.isoformat()}-{sha256(said.encode()).hexdigest()[:8]}"
