"""How do a few sizes and choices become a case of an operation?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_applegpu.survey.asked import Line

Sizes = Mapping[str, int]
Choices = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A case that can be made smaller: its operation, sizes by name, and everything else."""

    op: str
    sizes: Mapping[str, int]
    choices: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> Line:
        """Return the case as a line of the recordings, without whom it is for."""
        return {"op": self.op, **_MAKERS[self.op](self.sizes, self.choices)}


def _batch(sizes: Sizes) -> list[int]:
    return [sizes["batch"]] if sizes.get("batch", 1) > 1 else []


def _dense(sizes: Sizes, choices: Choices) -> Line:
    outer = _batch(sizes)
    b_outer = [] if choices.get("shared") else outer
    return {
        "dtype": choices["dtype"],
        "a_shape": [*outer, sizes["m"], sizes["k"]],
        "b_shape": [*b_outer, sizes["k"], sizes["n"]],
        **_layouts(choices),
    }


def _layouts(choices: Choices) -> Line:
    said: Line = {}
    for name, letter, layout in zip(
        "ab", choices["transpose"], choices.get("layouts", ("", "")), strict=True
    ):
        said[f"transpose_{name}"] = letter == "t"
        if layout:
            transposed = letter == "t" and layout != "step"
            said[f"{name}_layout"] = f"t{layout}" if transposed else layout
    return said


def _addmm(sizes: Sizes, choices: Choices) -> Line:
    c_shape = [sizes["n"]] if choices["row"] else [*_batch(sizes), sizes["m"], sizes["n"]]
    alpha, beta = choices["scales"]
    return {**_dense(sizes, choices), "c_shape": c_shape, "alpha": alpha, "beta": beta}


def _gathered(sizes: Sizes, choices: Choices) -> Line:
    """Return the shapes of indices: `rows` of them, for the right side, or both."""
    said: Line = {"rhs_shape": [sizes["rows"]], "sorted": choices["sorted"]}
    return said | ({"lhs_shape": [sizes["rows"]]} if choices["both"] else {})


def _gather_mm(sizes: Sizes, choices: Choices) -> Line:
    return {
        "dtype": choices["dtype"],
        "a_shape": [sizes["rows"], sizes["m"], sizes["k"]],
        "b_shape": [sizes["experts"], sizes["k"], sizes["n"]],
        **_layouts(choices),
        **_gathered(sizes, choices),
    }


def _segmented(sizes: Sizes, choices: Choices) -> Line:
    return _dense(sizes, choices) | {"segments_shape": [sizes["segments"], 2]}


def _masked(sizes: Sizes, choices: Choices) -> Line:
    masks = ("block_size", "mask_out", "mask_op", "mask_bool")
    return _dense(sizes, choices) | {name: choices[name] for name in masks}


def _weights(sizes: Sizes, choices: Choices, outer: list[int]) -> Line:
    """Return quantized weights.

    K is counted in `unit`s, so that groups stay whole, and so is N, but for a `tail`.
    """
    mode, group_size, bits = choices["format"]
    transpose = choices["weights"] == "t"
    k = sizes["k"] * choices["unit"]
    n = sizes["n"] * (1 if transpose and choices["tail"] else choices["unit"])
    return {
        "dtype": choices["dtype"],
        "w_shape": [*outer, *((n, k) if transpose else (k, n))],
        "group_size": group_size,
        "bits": bits,
        "mode": mode,
        "transpose": transpose,
    }


def _quantized(sizes: Sizes, choices: Choices) -> Line:
    outer = _batch(sizes)
    weights = _weights(sizes, choices, [] if choices["shared"] else outer)
    return {**weights, "x_shape": [*outer, sizes["m"], sizes["k"] * choices["unit"]]}


def _gather_qmm(sizes: Sizes, choices: Choices) -> Line:
    return {
        **_weights(sizes, choices, [sizes["experts"]]),
        "x_shape": [sizes["rows"], sizes["m"], sizes["k"] * choices["unit"]],
        **_gathered(sizes, choices),
    }


def _qqmm(sizes: Sizes, choices: Choices) -> Line:
    weights = _weights(sizes, choices, [])
    x_shape = [sizes["m"], sizes["k"] * choices["unit"]]
    return {**weights, "x_shape": x_shape, "w_quantized": choices["w_quantized"]}


def _attention(sizes: Sizes, choices: Choices) -> Line:
    batch, kv = sizes["batch"], sizes["kv_heads"]
    head, value = choices["dims"]
    return {
        "dtype": choices["dtype"],
        "q_shape": [batch, kv * sizes["gqa"], sizes["queries"], head],
        "k_shape": [batch, kv, sizes["keys"], head],
        "v_shape": [batch, kv, sizes["keys"], value],
        "mask": choices["mask"],
        "sinks": choices["sinks"],
    }


_MAKERS: Final[dict[str, Callable[[Sizes, Choices], Line]]] = {
    "matmul": _dense,
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "segmented_mm": _segmented,
    "block_masked_mm": _masked,
    "quantized_matmul": _quantized,
    "gather_qmm": _gather_qmm,
    "qqmm": _qqmm,
    "sdpa": _attention,
}
