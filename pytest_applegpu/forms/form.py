"""What is an operation made of? Its parameters, its operands in memory, and the call to MLX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_applegpu.dtypes import DType
from pytest_applegpu.views import Placement, place, place_vector

Shape = tuple[int, ...]


class Sizes(Protocol):
    """What a form needs to know of a problem."""

    @property
    def dtype(self) -> DType: ...
    @property
    def m(self) -> int: ...
    @property
    def n(self) -> int: ...
    @property
    def k(self) -> int: ...
    @property
    def transpose(self) -> str: ...
    @property
    def batch_a(self) -> Shape: ...
    @property
    def batch_b(self) -> Shape: ...
    def param(self, name: str) -> str: ...
    def layout(self, name: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: its default, which is left unsaid, and the texts or numbers that it may be.

    `low` and `high` are the ends of a whole number, where `values` names none.
    """

    default: str
    values: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def allowed(self) -> str:
        """Say what the parameter may be."""
        return ", ".join(self.values) or f"whole numbers from {self.low} to {self.high}"

    def takes(self, text: str) -> bool:
        """Tell whether the parameter may be `text`, as it is written in a case."""
        if self.values:
            return text in self.values
        plain = text.isascii() and text.isdigit() and str(int(text)) == text
        return plain and self.low <= int(text) <= self.high


@dataclass(frozen=True, slots=True)
class Operand:
    """One array that is handed to MLX.

    Attributes:
        name: what it is called in a case's text and in reports: a, b, c, lhs, ...
        dtype: MLX's name of its elements.
        shape: logical shape.
        placement: how it lies in memory.
        guard: what stands where its storage is no part of it; None is NaN.
    """

    name: str
    dtype: str
    shape: Shape
    placement: Placement
    guard: int | None = None


Argument = Any
"""A JSON value, {"operand": NAME}, or {"dtype": NAME} for a format of MLX's."""


@dataclass(frozen=True, slots=True)
class Layer:
    """How a layer of `mlx.nn` is built, and which operands take the place of its parameters.

    `parameters` is nested as `nn.Module.update` takes it: {"query_proj": {"weight": ...}}.
    """

    arguments: tuple[Argument, ...]
    named: Mapping[str, Argument]
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call to MLX: a function of `mlx.core` or an operator, and what it is given.

    Where there is a `layer`, the name is that of a class of `mlx.nn`, and the layer is called.
    """

    name: str
    arguments: tuple[Argument, ...]
    named: Mapping[str, Argument] = field(default_factory=dict)
    layer: Layer | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """One operation: what can be said of it, and what follows from a problem's sizes.

    `check` raises ValueError where parts of a problem do not fit together.
    """

    name: str
    params: Mapping[str, Param]
    operands: Callable[[Sizes], tuple[Operand, ...]]
    batch: Callable[[Sizes], Shape]
    invoke: Callable[[Sizes], Invocation]
    check: Callable[[Sizes], None] = lambda _: None
    transposes: tuple[str, ...] = ("nn", "nt", "tn", "tt")
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16", "complex64", "float64")
    vectors: bool = False
    """Whether A and B may have one dimension."""
    result: Callable[[Sizes], Shape] | None = None
    """Shape of what MLX returns, where it is another than (*batch, M, N)."""
    grid: Callable[[Sizes], Shape] | None = None
    """Shape (*, rows, columns) by which elements are named, where it is not (*batch, M, N)."""
    products: int = 1
    """How many products of M N K terms are made."""
    terms: Callable[[Sizes], int] | None = None
    """How many terms all products have for one index of the batch, where sizes differ."""


def matrix(name: str, dtype: str, sizes: Sizes, shape: Shape, *, transposed: bool) -> Operand:
    """Return an operand of shape (*batch, rows, cols) in the layout that `sizes` says.

    Raises:
        ValueError: the layout does not fit the shape.
    """
    *batch, rows, cols = shape
    placement = place(sizes.layout(name), tuple(batch), rows, cols, transposed=transposed)
    guard = None if dtype in FLOATS else GUARDS[dtype]
    return Operand(name, dtype, shape, placement, guard)


def vector(name: str, dtype: str, sizes: Sizes, shape: Shape, guard: int | None = 0) -> Operand:
    """Return an operand of any shape, laid out by its last axis.

    Raises:
        ValueError: the layout does not fit the shape.
    """
    return Operand(name, dtype, shape, place_vector(sizes.layout(name), shape), guard)


def operand(name: str) -> Argument:
    """Return the argument that stands for an operand."""
    return {"operand": name}


def dtype_named(name: str) -> Argument:
    """Return the argument that stands for one of MLX's formats."""
    return {"dtype": name}


FLOATS = frozenset({"float32", "float16", "bfloat16", "complex64", "float64"})

GUARDS = {"bool": 1, "uint8": 0xFF, "uint32": 0xFFFFFFFF}
"""What guards hold where there is no NaN: a code that is NaN in eight bits, the largest weights."""


def broadcast(a: Shape, b: Shape) -> Shape:
    """Return the shape that two batches have together (NumPy's rule).

    Raises:
        ValueError: they do not broadcast.
    """
    longest = max(len(a), len(b))
    pairs = zip((1,) * (longest - len(a)) + a, (1,) * (longest - len(b)) + b, strict=True)
    return tuple(_one(*pair) for pair in pairs)


def _one(one: int, other: int) -> int:
    if one != other and 1 not in {one, other}:
        raise ValueError(f"{one} and {other} do not broadcast")
    return other if one == 1 else one
