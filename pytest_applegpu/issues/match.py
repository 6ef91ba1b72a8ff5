"""Which cases does a rule mean? Those in which everything is as it says; what is unsaid is free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_args

from msgspec import Struct, field

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.forms.flaws.table import NAMES
from pytest_applegpu.forms.form import Param
from pytest_applegpu.forms.table import FORMS
from pytest_applegpu.issues.comparison import looks_like_one, parse_comparisons
from pytest_applegpu.issues.subject import SIZES, Subject, names_in, size_of
from pytest_applegpu.numerics.fills import FILLS
from pytest_applegpu.problem import TRANSPOSES, Problem
from pytest_applegpu.report.records import Kind
from pytest_applegpu.setting import NAX, TF32
from pytest_applegpu.views import LAYOUTS, parse_layout

Words = str | list[str]
"""One word, or any of several."""

ANY: Final = "any"
"""Stands for whichever operand."""

OPERANDS: Final = (
    *("a", "b", "c", "w", "scales", "biases"),
    *("lhs", "rhs", "segments", "mask_out", "mask_lhs", "mask_rhs"),
    *("q", "k", "v", "mask", "sinks", "input", "weight"),
    *("wq", "wk", "wv", "wo", "bq", "bk", "bv", "bo"),
)
"""Names of operands, of all operations."""


class Match(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule: the cases of `op` that are as every other field says.

    Where a field takes several words, any of them will do. `layouts` is by the name of an operand,
    or `any`; a layout without its number (`off`) means each number. `params` holds a parameter's
    value, or comparisons of a number. `sizes` holds comparisons, by m, n, k, batch, batch_a and
    batch_b (how many matrices), axes_a and axes_b (of the batches), or a product such as `n*k`.
    Cases of `check=refusal` are meant by rules that name their `flaw`, and by no other.

    Raises:
        ValueError: a field holds what no case can have; the message names it and what is allowed.
    """

    op: Words
    dtype: Words | None = None
    transpose: Words | None = None
    layouts: dict[str, Words] = field(default_factory=dict)
    params: dict[str, Words] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    fill: Words | None = None
    check: Words | None = None
    flaw: Words | None = None
    tf32: Words | None = None
    nax: Words | None = None

    def __post_init__(self) -> None:
        """Refuse words that no case could have."""
        for name, allowed in _ALLOWED.items():
            check_said(name, getattr(self, name))
            _check_words(name, words(getattr(self, name)), allowed)
        _check_layouts(self.layouts)
        for name, value in self.params.items():
            for op in words(self.op):
                _check_param(op, name, words(value))
        for name, text in self.sizes.items():
            for one in names_in(name):
                _check_words("sizes", [one], SIZES)
            _compare(f"sizes.{name}", text)

    def holds(self, subject: Subject) -> bool:
        """Tell whether a case is one of those that the rule means."""
        return (
            (self.flaw is None) == (not subject.flaw)
            and all(_free(getattr(self, name), read(subject)) for name, read in _READ.items())
            and all(_lies(subject.problem, *one) for one in self.layouts.items())
            and all(_is(subject.problem.param(name), value) for name, value in self.params.items())
            and all(
                _fits(text, size_of(name, subject.problem)) for name, text in self.sizes.items()
            )
        )


_ALLOWED: Final[dict[str, Iterable[str]]] = {
    "op": FORMS,
    "dtype": DTYPES,
    "transpose": TRANSPOSES,
    "fill": FILLS,
    "check": get_args(Kind),
    "flaw": NAMES,
    "tf32": TF32,
    "nax": NAX,
}

_READ: Final[Mapping[str, Callable[[Subject], str]]] = {
    "op": lambda subject: subject.problem.op,
    "dtype": lambda subject: subject.problem.dtype.name,
    "transpose": lambda subject: subject.problem.transpose,
    "fill": lambda subject: subject.fill,
    "check": lambda subject: subject.check,
    "flaw": lambda subject: subject.flaw,
    "tf32": lambda subject: subject.setting.tf32,
    "nax": lambda subject: subject.setting.nax,
}


def words(value: Words | None) -> list[str]:
    """Return the words of a field, none where it is unsaid."""
    return [] if value is None else [value] if isinstance(value, str) else value


def check_said(name: str, value: Words | None) -> None:
    """Refuse an empty list, which nothing could match.

    Raises:
        ValueError: the message names the field.
    """
    if value is not None and not words(value):
        raise ValueError(f"{name} is an empty list: leave it out where anything will do")


def _check_words(name: str, said: list[str], allowed: Iterable[str]) -> None:
    for word in said:
        if word not in allowed:
            raise ValueError(f"{name} {word!r} is not one of {', '.join(allowed)}")


def _check_layouts(layouts: dict[str, Words]) -> None:
    for name, value in layouts.items():
        _check_words("layouts", [name], (ANY, *OPERANDS))
        check_said(f"layouts.{name}", value)
        for word in words(value):
            if word not in LAYOUTS:
                parse_layout(word)


def _check_param(op: str, name: str, said: list[str]) -> None:
    """Refuse a parameter that the operation does not have, or a value that it cannot be.

    Raises:
        ValueError: the message names both.
    """
    known = FORMS[op].params
    if name not in known:
        raise ValueError(f"params {name!r} is not one of {op}'s: {', '.join(known) or 'none'}")
    check_said(f"params.{name}", said)
    for word in said:
        _check_value(f"params.{name}", word, known[name])


def _check_value(name: str, word: str, param: Param) -> None:
    if looks_like_one(word):
        _compare(name, word)
    elif not param.takes(word):
        raise ValueError(f"{name} {word!r} is not one of {param.allowed}, nor a comparison")


def _compare(name: str, text: str) -> Any:
    try:
        return parse_comparisons(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _free(said: Words | None, word: str) -> bool:
    return said is None or word in words(said)


def _lies(problem: Problem, name: str, said: Words) -> bool:
    names = [one.name for one in problem.operands] if name == ANY else [name]
    layouts = [problem.layout(one) for one in (*names, *(("a", "b") if name == ANY else ()))]
    return any(_is_layout(layout, word) for layout in layouts for word in words(said))


def _is_layout(layout: str, word: str) -> bool:
    return word in {layout, layout.partition(":")[0]}


def _is(value: str, said: Words) -> bool:
    return any(
        value.isdigit() and _fits(word, int(value)) if looks_like_one(word) else value == word
        for word in words(said)
    )


def _fits(text: str, size: int) -> bool:
    return all(one.holds(size) for one in parse_comparisons(text))
