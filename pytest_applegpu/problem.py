"""What is being multiplied, and the one text that says it.

`matmul-f16-nt-64x64x4096-b2x3 a=pad:8 via=operator` reads: MLX's matmul in float16, the second
operand transposed, M = N = 64 and K = 4096, a batch of 2 by 3, rows of A lying 8 elements apart,
called as `a @ b`. Further operands have layouts of their own (`c=off:1`), and every parameter
of the operation has a word. `-b2x1:1x3` gives the operands different batches that broadcast, and
`_` in place of one says that it is a plain matrix. Parsing the text gives the equal value back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Final

from pytest_applegpu.dtypes import DTYPES, DType, parse_dtype
from pytest_applegpu.forms.form import Form, Invocation, Operand
from pytest_applegpu.forms.table import FORMS

TRANSPOSES: Final = ("nn", "nt", "tn", "tt")

MOST: Final = 2**31 - 1
"""The largest size of one axis: MLX keeps the sizes of a shape in 32 bits."""

MOST_AXES: Final = 16
"""The most axes of a batch: NumPy's arrays have 32 at the least, and no one needs so many."""

Batch = tuple[int, ...]

_SHAPE = re.compile(
    r"(?P<op>[a-z_0-9]+)-(?P<dtype>[a-z0-9]+)-(?P<transpose>[nt]{2})"
    r"-(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?:-b(?P<batch>[\dx_]+(?::[\dx_]+)?))?",
    re.ASCII,
)


@dataclass(frozen=True)
class Problem:
    """One multiplication C = A B, with A of shape (*batch_a, M, K) and B (*batch_b, K, N).

    Raises:
        ValueError: the parts do not fit together; the message names the part.
    """

    op: str
    dtype: DType
    m: int
    n: int
    k: int
    transpose: str = "nn"
    batch_a: Batch = ()
    batch_b: Batch = ()
    layout_a: str = "plain"
    layout_b: str = "plain"
    params: tuple[tuple[str, str], ...] = ()
    layouts: tuple[tuple[str, str], ...] = ()
    """Layouts of further operands that are not plain, by the operands' names, sorted."""

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        if self.op not in FORMS:
            raise ValueError(f"operation {self.op!r} is not one of {', '.join(FORMS)}")
        _check_allowed(self.form, self.dtype, self.transpose)
        _check_params(self.form, self.params)
        largest = max(self.m, self.n, self.k, *self.batch_a, *self.batch_b)
        if largest > MOST:
            raise ValueError(f"a size is above {MOST}, the largest that MLX's shapes can hold")
        if max(len(self.batch_a), len(self.batch_b)) > MOST_AXES:
            raise ValueError(f"a batch has more than {MOST_AXES} axes")
        self.form.check(self)
        try:
            _ = self.batch
        except ValueError:
            raise ValueError(
                f"batches {self.batch_a} and {self.batch_b} do not broadcast"
            ) from None
        _check_layouts(self)
        for name, layout, size in (("a", self.layout_a, self.m), ("b", self.layout_b, self.n)):
            if layout == "vec" and not self.form.vectors:
                raise ValueError(f"{name}=vec: {self.op} takes no vectors")
            if layout == "vec" and size != 1:
                raise ValueError(f"{name}=vec needs {'M' if name == 'a' else 'N'} = 1, not {size}")

    @property
    def form(self) -> Form:
        """What the operation is made of."""
        return FORMS[self.op]

    @cached_property
    def batch(self) -> Batch:
        """Batch of the result: of a product, both batches broadcast against each other."""
        return self.form.batch(self)

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        """The arrays that are handed to MLX, in the order in which they are stored."""
        return self.form.operands(self)

    @property
    def invocation(self) -> Invocation:
        """How MLX is called."""
        return self.form.invoke(self)

    @property
    def shape_a(self) -> tuple[int, ...]:
        """Logical shape of A, as a matrix or stack of matrices."""
        return (*self.batch_a, self.m, self.k)

    @property
    def shape_b(self) -> tuple[int, ...]:
        """Logical shape of B, as a matrix or stack of matrices."""
        return (*self.batch_b, self.k, self.n)

    @property
    def shape_c(self) -> tuple[int, ...]:
        """Shape of the result; a one-dimensional operand takes its axis away."""
        if self.form.result is not None:
            return self.form.result(self)
        rows = () if self.layout_a == "vec" else (self.m,)
        cols = () if self.layout_b == "vec" else (self.n,)
        return (*self.batch, *rows, *cols)

    @property
    def grid(self) -> tuple[int, ...]:
        """Shape by which elements of the result are named: (*batch, M, N) of a product."""
        return (*self.batch, self.m, self.n) if self.form.grid is None else self.form.grid(self)

    @property
    def flops(self) -> int:
        """Floating-point operations: 2 M N K a product, four times that in complex numbers."""
        terms = self.m * self.n * self.k * self.form.products
        if self.form.terms is not None:
            terms = self.form.terms(self)
        return 2 * prod(self.batch) * terms * (4 if self.dtype.is_complex else 1)

    @property
    def bytes(self) -> int:
        """Bytes that must move at the least: all storages read once, the result written once."""
        read = sum(prod(one.placement.storage) * itemsize(one.dtype) for one in self.operands)
        return read + prod(self.shape_c) * self.dtype.itemsize

    def param(self, name: str) -> str:
        """Value of the operation's parameter `name`, its default where nothing is said."""
        return dict(self.params).get(name, self.form.params[name].default)

    def layout(self, name: str) -> str:
        """Layout of the operand `name`."""
        own = {"a": self.layout_a, "b": self.layout_b}
        return own.get(name) or dict(self.layouts).get(name, "plain")

    def laid(self, name: str, layout: str) -> Problem:
        """Return the problem with the operand `name` laid out otherwise.

        Raises:
            ValueError: the layout does not fit.
        """
        if name == "a":
            return replace(self, layout_a=layout)
        if name == "b":
            return replace(self, layout_b=layout)
        pairs = sorted({**dict(self.layouts), name: layout}.items())
        return replace(self, layouts=tuple(one for one in pairs if one[1] != "plain"))

    def __str__(self) -> str:
        """Text that parses back to the equal problem."""
        head = f"{self.op}-{self.dtype.short}-{self.transpose}-{self.m}x{self.n}x{self.k}"
        return " ".join((head + _batch_text(self.batch_a, self.batch_b), *self._words()))

    def _words(self) -> list[str]:
        layouts = (("a", self.layout_a), ("b", self.layout_b))
        words = [
            f"{name}={layout}" for name, layout in (*layouts, *self.layouts) if layout != "plain"
        ]
        return words + [f"{name}={value}" for name, value in self.params]

    def as_json(self) -> dict[str, Any]:
        """Return the object that stands under `problem` in the report log."""
        return {
            "op": self.op,
            "dtype": self.dtype.name,
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "transpose": self.transpose,
            "batch_a": list(self.batch_a),
            "batch_b": list(self.batch_b),
            "layout_a": self.layout_a,
            "layout_b": self.layout_b,
            "params": dict(self.params),
            "layouts": dict(self.layouts),
        }


def itemsize(dtype: str) -> int:
    """Return the bytes of an element of MLX's `dtype`."""
    return DTYPES[dtype].itemsize if dtype in DTYPES else _SIZES[dtype]


_SIZES: Final = {"bool": 1, "uint8": 1, "uint32": 4}


def _check_allowed(form: Form, dtype: DType, transpose: str) -> None:
    if transpose not in TRANSPOSES:
        raise ValueError(f"layout {transpose!r} is not one of {', '.join(TRANSPOSES)}")
    if transpose not in form.transposes:
        raise ValueError(f"{form.name} takes {', '.join(form.transposes)}, not {transpose}")
    if dtype.name not in form.dtypes:
        raise ValueError(f"{form.name} takes {', '.join(form.dtypes)}, not {dtype.name}")


def _check_layouts(problem: Problem) -> None:
    """Refuse layouts of operands that there are not, that say nothing, or that do not fit."""
    names = [one.name for one in problem.operands]
    if [name for name, _ in problem.layouts] != sorted({name for name, _ in problem.layouts}):
        raise ValueError("layouts of further operands stand once each, sorted by their names")
    for name, layout in problem.layouts:
        if name not in names or name in {"a", "b"}:
            raise ValueError(f"{name}= is not one of {problem.op}'s words: {_words_of(problem)}")
        if layout == "vec":
            raise ValueError(f"{name}=vec: only a and b may be vectors")
        if layout == "plain":
            raise ValueError(f"{name}=plain is the default and is left unsaid")


def _words_of(problem: Problem) -> str:
    return ", ".join((*(one.name for one in problem.operands), *problem.form.params))


def parse_problem(text: str) -> Problem:
    """Read a problem back from its text.

    Raises:
        ValueError: the text is not a problem; the message names the part that is wrong.
    """
    head, *words = text.split() or [""]
    match = _SHAPE.fullmatch(head)
    if match is None:
        raise ValueError(
            f"{head!r} is not a problem: write OP-DTYPE-LAYOUT-MxNxK[-bBATCH], "
            "as in matmul-f16-nt-64x64x4096-b2x3"
        )
    sizes = int(match["m"]), int(match["n"]), int(match["k"])
    said, batches = _words(words), _parse_batch(match["batch"])
    return problem_of(
        match["op"], parse_dtype(match["dtype"]), sizes, match["transpose"], batches, said
    )


def problem_of(  # noqa: PLR0917 - what every problem is made of
    op: str,
    dtype: DType,
    sizes: tuple[int, int, int],
    transpose: str,
    batches: tuple[Batch, Batch],
    said: Mapping[str, str],
) -> Problem:
    """Return a problem from its parts; `said` holds layouts and parameters, defaults too.

    Raises:
        ValueError: the parts do not fit together; the message names the part.
    """
    rest = {name: value for name, value in said.items() if name not in {"a", "b"}}
    params, layouts = _sorted_out(op, rest)
    own = said.get("a", "plain"), said.get("b", "plain")
    return Problem(op, dtype, *sizes, transpose, *batches, *own, params, layouts)


def _words(words: list[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise ValueError(f"{word!r} is not a NAME=VALUE pair")
        if name in said:
            raise ValueError(f"{name}= stands twice")
        said[name] = value
    return said


Pairs = tuple[tuple[str, str], ...]


def _sorted_out(op: str, said: dict[str, str]) -> tuple[Pairs, Pairs]:
    """Tell parameters from layouts of further operands, and leave out what is said for nothing."""
    known = FORMS[op].params if op in FORMS else {}
    params = ((name, value) for name, value in sorted(said.items()) if name in known)
    layouts = ((name, value) for name, value in sorted(said.items()) if name not in known)
    return (
        tuple((name, value) for name, value in params if value != known[name].default),
        tuple((name, value) for name, value in layouts if value != "plain"),
    )


def _check_params(form: Form, params: Pairs) -> None:
    for name, value in params:
        if name not in form.params:
            raise ValueError(f"{name}= is not one of {form.name}'s words: {', '.join(form.params)}")
        if not form.params[name].takes(value):
            raise ValueError(f"{name}={value} is not one of {form.params[name].allowed}")
        if value == form.params[name].default:
            raise ValueError(f"{name}={value} is the default and is left unsaid")


def _one_batch(text: str) -> Batch:
    if text == "_":
        return ()
    try:
        return tuple(int(size) for size in text.split("x"))
    except ValueError:
        raise ValueError(f"batch {text!r} is not sizes joined by x, as in 2x3") from None


def _parse_batch(text: str | None) -> tuple[Batch, Batch]:
    if text is None:
        return (), ()
    first, colon, second = text.partition(":")
    a = _one_batch(first)
    return a, _one_batch(second) if colon else a


def _batch_text(a: Batch, b: Batch) -> str:
    def one(batch: Batch) -> str:
        return "x".join(map(str, batch)) or "_"

    if a == b:
        return f"-b{one(a)}" if a else ""
    return f"-b{one(a)}:{one(b)}"
