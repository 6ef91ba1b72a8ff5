"""What is known of one case when it is over? The one record that every report is made from.

A record is one object of the report log. Fields that do not apply are null. Numbers are plain
JSON numbers; the three that JSON lacks are the texts `inf`, `-inf` and `nan`.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final, Literal

from msgspec import Struct, convert, field, to_builtins

from pytest_applegpu.report.versus_records import VersusFacts
from pytest_applegpu.words import CARD, NUMBERS, ROUTE, SPEED

SCHEMA: Final = 4
"""Version of the record; it rises whenever a field changes its meaning, comes or goes."""

Kind = Literal[
    "exact",
    "bounded",
    "projection",
    "isolation",
    "repeat",
    "scaling",
    "rows",
    "view",
    "transposed",
    "gradient",
    "vmap",
    "compiled",
    "shapeless",
    "exported",
    "refusal",
    "throughput",
    "card",
]
"""Which question the case asks."""

WORDS: Final = {"throughput": SPEED, "card": CARD}
"""Verdicts of the kinds that are not about the numbers of a result."""


class ProblemFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was multiplied: C = A B with A of (*batch_a, m, k) and B of (*batch_b, k, n)."""

    op: str
    dtype: str
    m: int
    n: int
    k: int
    transpose: Literal["nn", "nt", "tn", "tt"] = "nn"
    batch_a: tuple[int, ...] = ()
    batch_b: tuple[int, ...] = ()
    layout_a: str = "plain"
    layout_b: str = "plain"
    params: dict[str, str] = field(default_factory=dict)
    layouts: dict[str, str] = field(default_factory=dict)
    """Of further operands, where they are not plain."""


class SettingFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The switches that the worker ran under; `arch` is null where none was forced.

    `nax` off keeps MLX from the neural accelerators of a GPU that has them.
    """

    tf32: Literal["on", "off"]
    arch: str | None = None
    nax: Literal["on", "off"] = "on"


class RouteFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which kernels MLX launches for the problem, as predicted from its dispatch rules.

    `arch` and `mlx` say for which GPU and version, `path` is the short label, `kernels` the full
    names in order, `rule` the rules that chose them with the values that decided, `basis` how the
    rules of that version are known. `here` tells whether they ran in this case: where the backend
    is not Metal, the route is the one that the same problem takes on `arch`. `verdict` compares it
    with the stored one, whose path and kernels are `before` where they differ.
    """

    arch: str
    mlx: str
    path: str
    kernels: tuple[str, ...] = ()
    rule: str = ""
    basis: str = ""
    here: bool = False
    verdict: str | None = None
    before: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a verdict that is not about routes."""
        if self.verdict is not None:
            _check_word("route.verdict", self.verdict, ROUTE)


class BudgetFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the bound of the worst element is made of, as shares of it that add up to 1.

    `operand` is what cutting the operands may cost, `accumulate` what the sums may, `output` the
    rounding of the result, `rest` underflow and the reference's own error. `model` says the same in
    words: what the route is taken to do. `typical` is the worst error in units of the calibrated
    band below the bound, and `before` the stored `share` that a creeping one is held to.
    """

    operand: float
    accumulate: float
    output: float
    rest: float = 0.0
    model: str = ""
    typical: float | None = None
    before: float | None = None


class ErrorMapFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the wrong elements of one matrix of the result lie, coarsely.

    The matrix at index `batch` of the stack has `rows` by `cols` elements. `cells` is a grid laid
    evenly over it, a text a row: `.` no element of the cell is wrong, `1` to `9` so many tenths
    of them are (`1` also where fewer are), `#` all of them.
    """

    rows: int
    cols: int
    batch: tuple[int, ...] = ()
    cells: tuple[str, ...] = ()


class BlameFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the same case gave elsewhere: `where` it was run again, and the `verdict` there.

    `verdict` is null where it could not be run; `note` says why, or what else was seen.
    """

    where: str
    verdict: str | None = None
    note: str | None = None


class ShrunkFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The smallest case that still fails, and where along each size it begins to.

    `starts` are sentences such as `fails from K = 4097 on, right at K = 4096`, `rules` the dispatch
    rules that are crossed there, `tried` how many cases were run to find it.
    """

    case: str
    starts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    tried: int = 0


class ErrorFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far off the result was, and what is known of why.

    `share` is the worst error in units of its own bound (above 1 fails), `ulp` in units in the
    last place of the result's dtype, `relative` by the largest magnitude of the exact result,
    `frobenius` that of the whole result in the Frobenius norm;
    `bias` is the mean of |got| - |expected| in ULP, near -0.5 where results are truncated.
    `worst` is the index of the worst element, `got` and `expected` its values as text, since they
    may be complex. `cause` is the product's own reading of the evidence, `message` what MLX or the
    system said. `matched` names tile sizes and boundaries of the route that the pattern fits.
    """

    share: float | None = None
    ulp: float | None = None
    relative: float | None = None
    frobenius: float | None = None
    bias: float | None = None
    wrong: int | None = None
    total: int | None = None
    worst: tuple[int, ...] = ()
    got: str | None = None
    expected: str | None = None
    pattern: str | None = None
    cause: str | None = None
    message: str | None = None
    budget: BudgetFacts | None = None
    map: ErrorMapFacts | None = None
    matched: tuple[str, ...] = ()
    blame: tuple[BlameFacts, ...] = ()
    shrunk: ShrunkFacts | None = None


class TimeFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long one operation took, in seconds, without the overhead of a submission.

    It rests on `pairs` pairs of submissions, of `count` operations and of twice as many.
    `low` and `high` are the ends of the interval of `seconds`, `spread` is relative, `peak_share`
    is the share of the chip's peak where one is known. `condition` says what the machine was in
    (power, heat, load) while it was measured.
    """

    seconds: float
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    overhead_seconds: float | None = None
    best: float | None = None
    count: int | None = None
    pairs: int | None = None
    samples: tuple[float, ...] | None = None
    tflops: float | None = None
    gbs: float | None = None
    peak_share: float | None = None
    condition: dict[str, Any] | None = None


class BaselineFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the time compares with the stored one.

    `ratio` is the time now over the time before, so above 1 is slower; `low` and `high` are the
    ends of its interval, `limit` is the ratio from which a confirmed slowdown fails, and
    `smallest_seen` the smallest slowdown that could have been seen.
    `reasons` say why there is no comparison or no decision, `likely_causes` what has changed
    since. `run` is the provenance of the stored time.
    """

    verdict: str
    seconds: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    smallest_seen: float | None = None
    reasons: tuple[str, ...] = ()
    likely_causes: tuple[str, ...] = ()
    run: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse a verdict that is not about speed."""
        _check_word("baseline.verdict", self.verdict, SPEED)


class CardFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was found of a route's arithmetic, and how it compares with what is stored.

    `features` has the answers by name; `times` is how many times they were asked for. `changed`
    says what is not as stored, or not the same when asked again: a sentence a feature.
    `likely_causes` say what else has changed since, `run` is the provenance of the stored card.
    """

    features: dict[str, str]
    times: int = 1
    changed: tuple[str, ...] = ()
    likely_causes: tuple[str, ...] = ()
    run: dict[str, Any] | None = None


class KnownFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known issue that the case is to show, and whether it did.

    `state` is `happened` where it did, so that the case does not fail; `gone` where the case passed
    and each one is to fail, which fails it; `spared` where it passed and only some fail; `other`
    where it ended otherwise, so that the verdict stands as it is. `what` and `source` (a link, or
    what shows the issue) are those of the file of known issues.
    """

    id: str
    state: Literal["happened", "gone", "spared", "other"]
    what: str = ""
    source: str = ""


class BugFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A public bug that the case asks for, on the backend that it ran on.

    `source` is where it was discussed, or what shows it, `mlx` the versions that have it (`none`:
    no release). `affected` tells whether it was known to be there where the case ran: a failure
    elsewhere is a regression.
    """

    id: str
    source: str
    mlx: str
    affected: bool


class WorkerFacts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was measured or found in the worker: arithmetic in use, the user's MLX_* variables."""

    tf32_measured: str | None = None
    switches: dict[str, str] = field(default_factory=dict)


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case, as it ended.

    Raises:
        ValueError: `verdict` is not a word for cases of this `kind`.
    """

    schema: Literal[4] = SCHEMA
    case: str
    kind: Kind
    problem: ProblemFacts
    setting: SettingFacts
    route: RouteFacts | None = None
    verdict: str
    error: ErrorFacts | None = None
    time: TimeFacts | None = None
    baseline: BaselineFacts | None = None
    card: CardFacts | None = None
    known: tuple[KnownFacts, ...] = ()
    bugs: tuple[BugFacts, ...] = ()
    versus: VersusFacts | None = None
    device: str | None = None
    backend: str | None = None
    mlx: str | None = None
    worker: WorkerFacts = WorkerFacts()
    seed: int | None = None
    nodeid: str | None = None

    def __post_init__(self) -> None:
        """Refuse a verdict that cannot belong to this kind of case."""
        _check_word("verdict", self.verdict, WORDS.get(self.kind, NUMBERS))


def _check_word(name: str, word: str, allowed: dict[str, Any]) -> None:
    if word not in allowed:
        raise ValueError(f"{name} {word!r} is not one of {', '.join(allowed)}")


def as_builtins(record: Record) -> dict[str, Any]:
    """Return the record as dictionaries, lists, texts and finite numbers, ready for JSON."""
    plain: dict[str, Any] = _finite(to_builtins(record))
    return plain


def from_builtins(plain: dict[str, Any]) -> Record:
    """Build the record that `plain` describes: the inverse of `as_builtins`.

    Raises:
        msgspec.ValidationError: a field is missing, unknown or of the wrong type.
    """
    # Lax conversion is what reads the texts inf, -inf and nan back into numbers.
    return convert(plain, Record, strict=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
