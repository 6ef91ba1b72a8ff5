"""What is the program that fails by itself? One that needs MLX and NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Final

import numpy as np

from pytest_applegpu.bundle.operand import INDENT, Held, literal, view_lines
from pytest_applegpu.dtypes import DTYPES

TEMPLATE: Final = Path(__file__).with_name("repro.template")

ARRAYS: Final = "operands.npz"
"""Where numbers lie that are too many for the program's own text."""

TINY: Final = 4096
"""Bytes of all numbers up to which they stand in the program's own text."""

NN: Final = "nn."
"""What the name of a layer begins with in a call: `mlx.nn` is imported where one is made."""

RIGHT: Final = "right"
"""The reference where the right result is stored, since no short expression gives it."""

EVERY_NAN: Final = "np.isnan(got) & np.isnan(want)"
"""NaN is right where NaN is expected."""

EVERY_SPECIAL: Final = "~np.isfinite(got) & ~np.isfinite(want)"
"""Complex numbers that are not finite are all alike."""


@dataclass(frozen=True, slots=True)
class Repro:
    """All that a program is made of.

    Attributes:
        case: what it is about, in one line.
        operands: the arrays, by whose names `call` and `reference` are written.
        call: the expression that calls MLX, as in `mx.matmul(a, b)` or `nn.Linear(3, 4)(a)`.
        reference: the expression that NumPy computes the right result by, on the same operands
            in float64 or complex128; or `RIGHT`.
        dtype: MLX's name of the result's format.
        shape: shape of the result.
        allowed: how far off each element may be, shape `shape`; None: the reference, rounded to
            the format once, is the only right result.
        right: the right result in float64 or complex128, where `reference` is `RIGHT`.
        both: which elements are right whatever they hold, by `got` and `want`.
        calls: how often it is called.
        limit: seconds that the calls may take.
        device: MLX's name of the device: cpu or gpu.
        environment: variables that are set before MLX is imported; no other MLX_* one stays.
    """

    case: str
    operands: tuple[Held, ...]
    call: str
    reference: str
    dtype: str
    shape: tuple[int, ...]
    allowed: np.ndarray | None = None
    right: np.ndarray | None = None
    both: str = EVERY_NAN
    calls: int = 1
    limit: float = 60.0
    device: str = "gpu"
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers, by the names that they are kept under."""
        more = {"right": self.right, "allowed": self.allowed}
        found = {one.name: one.raw for one in self.operands}
        return found | {name: array for name, array in more.items() if array is not None}

    @property
    def tiny(self) -> bool:
        """Whether the numbers stand in the program's own text."""
        return sum(array.nbytes for array in self.arrays.values()) <= TINY


def script(repro: Repro) -> str:
    """Return the text of the program."""
    names = [one.name for one in repro.operands]
    beside = "nothing else is needed." if repro.tiny else f"{ARRAYS} must lie beside it."
    known = DTYPES[repro.dtype]
    return Template(TEMPLATE.read_text("utf-8")).substitute(
        case=repro.case,
        needs=beside,
        layers="import mlx.nn as nn\n" if repro.call.startswith(NN) else "",
        limit=f"{repro.limit:.4g}",
        environment=dict(repro.environment),
        device=repro.device,
        calls=repro.calls,
        dtype=repro.dtype,
        shape=repro.shape,
        stored=stored_lines(repro.operands, repro.arrays, tiny=repro.tiny),
        allowed="" if repro.allowed is not None else "allowed = 0.0\n",
        views="\n\n\n".join(map(view_function, repro.operands)),
        names=", ".join(names),
        call=repro.call,
        reference=repro.reference,
        wide="complex128" if known.is_complex else "float64",
        operands=", ".join(f'"{n.name}": ({", ".join(entry(n))})' for n in repro.operands),
        rounding="\n".join(INDENT + line for line in _rounding(repro)),
        both=repro.both,
    )


def stored_lines(operands: Iterable[Held], arrays: Mapping[str, np.ndarray], *, tiny: bool) -> str:
    """Define every array: by its numbers, or by the file that holds them."""
    names = {one.name: f"{one.name}_stored" for one in operands}
    here = "os.path.dirname(os.path.abspath(__file__))"
    lines = [] if tiny else [f'numbers = np.load(os.path.join({here}, "{ARRAYS}"))']
    for name, array in arrays.items():
        value = literal(array) if tiny else f'numbers["{name}"]'
        lines.append(f"{names.get(name, name)} = {value}")
    return "\n".join(lines)


def entry(held: Held) -> tuple[str, str, str]:
    """Return the expressions of an operand's storage, of its format and of its view."""
    dtype = "bool_" if held.dtype == "bool" else held.dtype
    return f"{held.name}_stored", f"mx.{dtype}", f"{held.name}_view"


def view_function(held: Held) -> str:
    """Return the function that takes an operand from its storage."""
    lines = [
        f"def {held.name}_view(x, lib):",
        f'{INDENT}"""Take operand {held.name} from its storage x; lib is mx or np."""',
        *(INDENT + line for line in view_lines(held)),
        f"{INDENT}return x",
    ]
    return "\n".join(lines)


def _rounding(repro: Repro) -> Iterator[str]:
    if repro.allowed is not None or repro.dtype == "float64":
        yield "return want"
    elif repro.dtype == "bfloat16":
        # To nearest, ties to even; float32 holds exact results as they are.
        yield "word = want.astype(np.float32).view(np.uint32)"
        yield "word = (word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000"
        yield "return word.view(np.float32)"
    else:
        yield f"return want.astype(np.{repro.dtype})"
