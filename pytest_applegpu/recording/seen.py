"""What did a program call? The lines that its processes left, read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "matmul": ("a", "b"),
    "@": ("a", "b"),
    "inner": ("a", "b"),
    "einsum": ("subscripts", "a", "b"),
    "tensordot": ("a", "b", "axes"),
    "addmm": ("c", "a", "b", "alpha", "beta"),
    "gather_mm": ("a", "b", "lhs_indices", "rhs_indices"),
    "block_masked_mm": ("a", "b", "block_size", "mask_out", "mask_lhs", "mask_rhs"),
    "segmented_mm": ("a", "b", "segments"),
    "quantized_matmul": (
        *("x", "w", "scales", "biases", "transpose", "group_size", "bits", "mode"),
    ),
    "gather_qmm": (
        *("x", "w", "scales", "biases", "lhs_indices", "rhs_indices", "transpose"),
        *("group_size", "bits", "mode", "global_scale"),
    ),
    "qqmm": ("x", "w", "scales", "group_size", "bits", "mode", "global_scale_x", "global_scale_w"),
    "conv1d": ("input", "weight", "stride", "padding", "dilation", "groups"),
    "conv2d": ("input", "weight", "stride", "padding", "dilation", "groups"),
    "fast.scaled_dot_product_attention": ("q", "k", "v"),
}
"""The parameters of MLX's functions that may be given by their places."""

UNENDED: Final = "a process ended without saying how often it made its calls: they count once"


@dataclass(frozen=True, slots=True)
class Array:
    """An array that was handed over; strides in elements, as its views were followed."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...]

    def __str__(self) -> str:
        """Name format and shape."""
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Call:
    """One kind of call: a function of MLX's, its arguments by their names, and how often."""

    name: str
    given: Mapping[str, Any]
    within: tuple[str, ...] = ()
    count: int = 1
    unread: str = ""

    def __str__(self) -> str:
        """Write it as Python does."""
        words = (f"{name}={_said(value)}" for name, value in self.given.items())
        return f"{self.name}({', '.join(words)})"

    def get(self, name: str, default: Any = None) -> Any:
        """Return an argument, the default where it was not given or is None."""
        value = self.given.get(name)
        return default if value is None else value


@dataclass(frozen=True, slots=True)
class Seen:
    """All that the processes of a program called, and what is known of them."""

    calls: tuple[Call, ...]
    facts: tuple[str, ...] = ()
    unended: bool = False


def read_seen(folder: Path) -> Seen:
    """Read what the processes left in `folder`, in the order in which they began."""
    files = sorted(folder.glob("*.jsonl"), key=lambda one: int(one.stem.rpartition("-")[2]))
    parts = [_process(list(_lines(file))) for file in files]
    facts = dict.fromkeys(fact for part in parts for fact in part.facts)
    calls = tuple(call for part in parts for call in part.calls)
    return Seen(calls, tuple(facts), any(part.unended for part in parts))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # cut short with its process
            return


def _process(lines: list[dict[str, Any]]) -> Seen:
    calls = [line["call"] for line in lines if "call" in line]
    ends = [line["counts"] for line in lines if "counts" in line]
    counts = ends[-1] if ends else []
    # A call that was met after the counts were written was made once at the least.
    counts += [1] * (len(calls) - len(counts))
    facts = (f"MLX {line['mlx']}, {line['device']}" for line in lines if "mlx" in line)
    made = (_call(*pair) for pair in zip(calls, counts, strict=True))
    return Seen(tuple(made), tuple(facts), unended=bool(calls) and not ends)


def _call(said: Mapping[str, Any], count: int) -> Call:
    name = said["name"]
    if "unread" in said:
        return Call(name, {}, (), count, said["unread"])
    values = [_value(one) for one in said["arguments"]]
    given = dict(zip(_names(name, len(values)), values, strict=True))
    named = {key: _value(one) for key, one in said["named"].items()}
    return Call(name, given | named, tuple(said["within"]), count)


def _names(function: str, count: int) -> Iterable[str]:
    """Return the names of parameters that are given by their places, numbers beyond them."""
    names = PARAMETERS.get(function, ())[:count]
    return (*names, *(str(number) for number in range(len(names), count)))


def _value(said: Any) -> Any:
    if isinstance(said, list):
        return tuple(_value(one) for one in said)
    if not isinstance(said, dict):
        return said
    if "shape" in said:
        return Array(tuple(said["shape"]), said["dtype"], tuple(said["strides"]))
    return said.get("dtype", said.get("other"))


def _said(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_said, value))}]"
    return repr(value) if isinstance(value, str) else str(value)
