"""Calls and targets that the tests of the launch lint have in common."""

from typing import Any

from pytest_applegpu.lint.check import of_route
from pytest_applegpu.lint.finding import Finding
from pytest_applegpu.lint.rules import BY_NAME
from pytest_applegpu.routing.lines import call_of, target_of
from pytest_applegpu.routing.target import Gpu

NEWEST = "0.32.4"


def line(arch: str = "g17s", version: str = NEWEST, **fields: Any) -> dict[str, Any]:
    """Return a line for an architecture with accelerators as the version has them, TF32 on."""
    target = Gpu(f"applegpu_{arch}").target(tf32=True, version=version)
    plain = {"mlx": version, "arch": target.arch, "nax": target.nax, "tf32": True}
    return plain | {"op": "matmul", "dtype": "float16"} | fields


def matmul(m: int, n: int, k: int, layout: str = "nn", **fields: Any) -> dict[str, Any]:
    """Return a line for a product of two plain matrices."""
    ta, tb = (letter == "t" for letter in layout)
    shapes: dict[str, Any] = {
        "a_shape": [m, k],
        "b_shape": [k, n],
        "transpose_a": ta,
        "transpose_b": tb,
    }
    return line(**(shapes | fields))


def addmm(m: int, n: int, k: int, **fields: Any) -> dict[str, Any]:
    """Return a line for a product with a matrix added."""
    more: dict[str, Any] = {"op": "addmm", "c_shape": [m, n], "alpha": 1.0, "beta": 1.0}
    return matmul(m, n, k, **(more | fields))


def quantized(m: int, n: int, k: int, mode: str = "affine", **fields: Any) -> dict[str, Any]:
    """Return a line for a product with quantized weights, transposed unless said otherwise."""
    group, bits = {"affine": (64, 4), "nvfp4": (16, 4), "mxfp8": (32, 8)}[mode]
    transpose = fields.get("transpose", True)
    weights: dict[str, Any] = {
        "group_size": group,
        "bits": bits,
        "mode": mode,
        "transpose": transpose,
    }
    shapes: dict[str, Any] = {"x_shape": [m, k], "w_shape": [n, k] if transpose else [k, n]}
    return line(**({"op": "quantized_matmul"} | weights | shapes | fields))


def attention(length: int, keys: int, dim: int, **fields: Any) -> dict[str, Any]:
    """Return a line for attention of one head of one sequence."""
    shapes: dict[str, Any] = {"q_shape": [1, 1, length, dim], "k_shape": [1, 1, keys, dim]}
    shapes["v_shape"] = [1, 1, keys, dim]
    plain: dict[str, Any] = {"op": "sdpa", "mask": "", "sinks": False}
    return line(**(plain | shapes | fields))


def found(rule: str, case: dict[str, Any]) -> list[Finding]:
    """Return what one rule finds in a line."""
    return of_route(call_of(case), target_of(case), rules=(BY_NAME[rule],))
