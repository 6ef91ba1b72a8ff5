"""What is being multiplied, and the one text that says it.

`matmul-f16-nt-64x64x4096-b2x3 a=pad:8 via=operator` reads: MLX's matmul in float16, the second
operand transposed, M = N = 64 and K = 4096, a batch of 2 by 3, rows of A lying 8 elements apart,
called as `a @ b`. `-b2x1:1x3` gives the operands different batches that broadcast, and `_` in
place of one says that it is a plain matrix. Parsing the text gives the equal value back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final

from pytest_applegpu.dtypes import DType, parse_dtype
from pytest_applegpu.views import Placement, place

OPERATIONS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "matmul": {"via": ("function", "operator")},
}
"""Each operation with its parameters; the first value of one is its default, and unwritten."""

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

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        if self.op not in OPERATIONS:
            raise ValueError(f"operation {self.op!r} is not one of {', '.join(OPERATIONS)}")
        if self.transpose not in TRANSPOSES:
            raise ValueError(f"layout {self.transpose!r} is not one of {', '.join(TRANSPOSES)}")
        _check_params(self.op, self.params)
        largest = max(self.m, self.n, self.k, *self.batch_a, *self.batch_b)
        if largest > MOST:
            raise ValueError(f"a size is above {MOST}, the largest that MLX's shapes can hold")
        if max(len(self.batch_a), len(self.batch_b)) > MOST_AXES:
            raise ValueError(f"a batch has more than {MOST_AXES} axes")
        try:
            _ = self.batch
        except ValueError:
            raise ValueError(
                f"batches {self.batch_a} and {self.batch_b} do not broadcast"
            ) from None
        _ = self.placement_a, self.placement_b
        for name, layout, size in (("a", self.layout_a, self.m), ("b", self.layout_b, self.n)):
            if layout == "vec" and size != 1:
                raise ValueError(f"{name}=vec needs {'M' if name == 'a' else 'N'} = 1, not {size}")

    @cached_property
    def batch(self) -> Batch:
        """Batch of the result: both batches broadcast against each other."""
        a, b = self.batch_a, self.batch_b
        longest = max(len(a), len(b))
        pairs = zip((1,) * (longest - len(a)) + a, (1,) * (longest - len(b)) + b, strict=True)
        return tuple(_broadcast(*pair) for pair in pairs)

    @cached_property
    def placement_a(self) -> Placement:
        """How A lies in memory."""
        transposed = self.transpose[0] == "t"
        return place(self.layout_a, self.batch_a, self.m, self.k, transposed=transposed)

    @cached_property
    def placement_b(self) -> Placement:
        """How B lies in memory."""
        transposed = self.transpose[1] == "t"
        return place(self.layout_b, self.batch_b, self.k, self.n, transposed=transposed)

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
        rows = () if self.layout_a == "vec" else (self.m,)
        cols = () if self.layout_b == "vec" else (self.n,)
        return (*self.batch, *rows, *cols)

    @property
    def flops(self) -> int:
        """Floating-point operations: 2 M N K a product, four times that in complex numbers."""
        return 2 * prod(self.batch) * self.m * self.n * self.k * (4 if self.dtype.is_complex else 1)

    @property
    def bytes(self) -> int:
        """Bytes that must move at the least: both storages read once, the result written once."""
        read = prod(self.placement_a.storage) + prod(self.placement_b.storage)
        return (read + prod(self.shape_c)) * self.dtype.itemsize

    def param(self, name: str) -> str:
        """Value of the operation's parameter `name`, its default where nothing is said."""
        return dict(self.params).get(name, OPERATIONS[self.op][name][0])

    def __str__(self) -> str:
        """Text that parses back to the equal problem."""
        head = f"{self.op}-{self.dtype.short}-{self.transpose}-{self.m}x{self.n}x{self.k}"
        return " ".join((head + _batch_text(self.batch_a, self.batch_b), *self._words()))

    def _words(self) -> list[str]:
        layouts = (("a", self.layout_a), ("b", self.layout_b))
        words = [f"{name}={layout}" for name, layout in layouts if layout != "plain"]
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
        }


def _broadcast(one: int, other: int) -> int:
    """Return the size that two axes have together (NumPy's rule)."""
    if one != other and 1 not in {one, other}:
        raise ValueError(f"{one} and {other} do not broadcast")
    return other if one == 1 else one


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
    said = _words(words)
    batch_a, batch_b = _parse_batch(match["batch"])
    op = match["op"]
    return Problem(
        op=op,
        dtype=parse_dtype(match["dtype"]),
        m=int(match["m"]),
        n=int(match["n"]),
        k=int(match["k"]),
        transpose=match["transpose"],
        batch_a=batch_a,
        batch_b=batch_b,
        layout_a=said.pop("a", "plain"),
        layout_b=said.pop("b", "plain"),
        params=_unsaid_defaults(op, said),
    )


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


def _unsaid_defaults(op: str, said: dict[str, str]) -> tuple[tuple[str, str], ...]:
    known = OPERATIONS.get(op, {})
    return tuple(
        (name, value)
        for name, value in sorted(said.items())
        if name not in known or value != known[name][0]
    )


def _check_params(op: str, params: tuple[tuple[str, str], ...]) -> None:
    known = OPERATIONS[op]
    for name, value in params:
        if name not in known:
            allowed = ", ".join(("a", "b", *known))
            raise ValueError(f"{name}= is not one of {op}'s words: {allowed}")
        if value not in known[name]:
            raise ValueError(f"{name}={value} is not one of {', '.join(known[name])}")
        if value == known[name][0]:
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
