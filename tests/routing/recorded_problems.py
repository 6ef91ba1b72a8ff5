"""Which problem is a recorded line? None where a problem cannot say what the line does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_applegpu.dtypes import parse_dtype
from pytest_applegpu.problem import Problem, parse_problem

Line = dict[str, Any]
Words = dict[str, str]


class Unsaid(Exception):  # noqa: N818 - no fault: a line that is no problem
    """The line asks something that no problem says."""


LAYOUTS: Final = {
    "": "plain",
    "pad": "pad:{}",
    "tpad": "pad:{}",
    "off": "off:{}",
    "toff": "off:{}",
    "step": "step",
    "bc": "bc",
    "tbc": "bc",
    "headt": "heads",
}
"""A problem's layout for each word of the recordings."""


def problem_of(line: Line) -> Problem | None:
    """Return the problem that asks what `line` does."""
    try:
        text = _text(line)
        return parse_problem(text)
    except Unsaid:
        return None
    except ValueError:  # sizes or formats that the operation's form does not allow
        return None


def _text(line: Line) -> str:
    sizes, words = _READERS[line["op"]](line)
    dtype = parse_dtype(line["dtype"]).short
    # A layout that is plain is left unsaid; that weights are given plain is no layout.
    said = (
        f"{name}={value}" for name, value in words.items() if value != "plain" or name == "given"
    )
    return " ".join((f"{line['op']}-{dtype}-{sizes}", *said))


def _layout(line: Line, name: str) -> str:
    word, _, number = (line.get(f"{name}_layout") or "").partition(":")
    if word not in LAYOUTS:
        raise Unsaid(word)
    return LAYOUTS[word].format(number or 8)


def _sizes(line: Line, a: str = "a", b: Any = None) -> tuple[str, Words]:
    """Return layout, sizes and batches of both operands, and how they lie."""
    left, right = list(line[f"{a}_shape"]), list(b or line["b_shape"])
    words = {"a": _layout(line, a), "b": _layout(line, "b")}
    if len(left) == 1:
        left, words["a"] = [1, *left], "vec"
    if len(right) == 1:
        right, words["b"] = [*right, 1], "vec"
    letters = "".join("nt"[bool(line.get(f"transpose_{name}"))] for name in (a, "b"))
    batches = ["x".join(map(str, one[:-2])) or "_" for one in (left, right)]
    sizes = f"{letters}-{left[-2]}x{right[-1]}x{left[-1]}-b{':'.join(batches)}"
    if left[-1] != right[-2]:
        raise Unsaid("K")
    return sizes, words


def _addmm(line: Line) -> tuple[str, Words]:
    sizes, words = _sizes(line)
    words |= {name: f"{line.get(name, 1.0):g}" for name in ("alpha", "beta")}
    c, m, n = line["c_shape"], line["a_shape"][-2], line["b_shape"][-1]
    if line.get("transpose_c") or (len(c) < 2 and len(line["a_shape"]) > 2):
        raise Unsaid("c")
    kinds = {(n,): "row", (1, n): "row", (m, 1): "column", (1, 1): "one", (m, n): "matrix"}
    kind = kinds.get(tuple(c), "full")
    if kind == "matrix" and len(line["a_shape"]) == len(line["b_shape"]) == 2:
        kind = "full"
    return sizes, words | {"addend": kind, "c": _layout(line, "c")}


def _picks(line: Line, stack: list[int]) -> Words:
    """Return the words of indices; `stack` is the batch of the operand without any."""
    lhs, rhs = line.get("lhs_shape"), line.get("rhs_shape")
    if lhs is not None and rhs is not None:
        if lhs != rhs or len(lhs) != 1 or line.get("sorted"):
            raise Unsaid("picks")
        return {"by": "both", "picks": str(lhs[0])}
    if (rhs if lhs is None else lhs) != stack:
        raise Unsaid("picks")
    return {"by": "rhs" if lhs is None else "lhs", "order": _order(line)}


def _order(line: Line) -> str:
    return "sorted" if line.get("sorted") else "random"


def _gather_mm(line: Line) -> tuple[str, Words]:
    sizes, words = _sizes(line)
    own = "a" if line.get("lhs_shape") is None else "b"
    return sizes, words | _picks(line, line[f"{own}_shape"][:-2])


def _block_masked_mm(line: Line) -> tuple[str, Words]:
    sizes, words = _sizes(line)
    masks = "o" * line["mask_out"] + "lr" * line["mask_op"]
    kind = "bool" if line["mask_bool"] else "float"
    return sizes, words | {"block": str(line["block_size"]), "masks": masks, "kind": kind}


def _segmented_mm(line: Line) -> tuple[str, Words]:
    sizes, words = _sizes(line)
    if len(line["segments_shape"]) != 2 or line["segments_shape"][1] != 2:
        raise Unsaid("segments")
    parts = str(line["segments_shape"][0])
    return sizes, words | {"parts": parts, "segments": _layout(line, "segments")}


def _quantized_matmul(line: Line) -> tuple[str, Words]:
    *batch, rows, columns = line["w_shape"]
    b = [*batch, columns, rows] if line["transpose"] else [*batch, rows, columns]
    sizes, words = _sizes(line | {"transpose_b": line["transpose"]}, "x", b)
    said = {name: str(line[f"{name}{tail}"]) for name, tail in (("group", "_size"), ("bits", ""))}
    return sizes, words | said | {"mode": line["mode"]}


def _gather_qmm(line: Line) -> tuple[str, Words]:
    sizes, words = _quantized_matmul(line)
    return sizes, words | _picks(line, line["x_shape"][:-2])


def _qqmm(line: Line) -> tuple[str, Words]:
    rows, columns = line["w_shape"]
    sizes, words = _sizes(line | {"transpose_b": True}, "x", [columns, rows])
    given = "packed" if line.get("w_quantized") else "plain"
    return sizes.removesuffix("-b_:_"), {"a": words["a"], "mode": line["mode"], "given": given}


MASKED: Final = {"": "none", "causal": "causal", "bool": "bool", "float": "add"}


def _sdpa(line: Line) -> tuple[str, Words]:
    (batch, heads, m, k), (_, kept, n, _) = line["q_shape"], line["k_shape"]
    mask, value = MASKED[line["mask"]], line["v_shape"][-1]
    words = {"mask": mask, "sinks": "yes" if line.get("sinks") else "no"}
    if mask in {"bool", "add"}:
        words["over"] = "matrix"
    if value > k or any(line.get(f"{name}_layout") for name in "qkv"):
        raise Unsaid("v")
    if value != k:
        words["dv"] = str(value)
    return f"nt-{m}x{n}x{k}-b{batch}x{heads}:{batch}x{kept}", words


_READERS: Final[dict[str, Callable[[Line], tuple[str, Words]]]] = {
    "matmul": _sizes,
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "block_masked_mm": _block_masked_mm,
    "segmented_mm": _segmented_mm,
    "quantized_matmul": _quantized_matmul,
    "gather_qmm": _gather_qmm,
    "qqmm": _qqmm,
    "sdpa": _sdpa,
}

OPERATIONS: Final = tuple(_READERS)
