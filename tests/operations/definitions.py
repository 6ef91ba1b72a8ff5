"""What each operation returns by MLX's documentation, element by element and in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pytest_applegpu.numerics.rounding import widen
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.problem import Problem

Array = npt.NDArray[Any]


def defined(problem: Problem, drawn: Drawn) -> Array:
    """Return the result of the operands that are handed over, shape (*batch, M, N)."""
    given = {one.name: x for one, x in zip(problem.operands, drawn.sent, strict=True)}
    return DEFINITIONS[problem.op](problem, given)


def _matmul(problem: Problem, given: dict[str, Array]) -> Array:
    b = widen(given["b"])
    inner = problem.op == "matmul" and problem.param("via") == "inner"
    return np.asarray(widen(given["a"]) @ (np.swapaxes(b, -1, -2) if inner else b))


def _addmm(problem: Problem, given: dict[str, Array]) -> Array:
    alpha, beta = (float(problem.param(name)) for name in ("alpha", "beta"))
    return alpha * _matmul(problem, given) + beta * widen(given["c"])


def _stack(x: Array) -> Array:
    return widen(x).reshape(-1, *x.shape[-2:])


def _gather_mm(_: Problem, given: dict[str, Array]) -> Array:
    a, b = _stack(given["a"]), _stack(given["b"])
    return _gathered(a, b, given)


def _gathered(a: Array, b: Array, given: dict[str, Array]) -> Array:
    """Multiply the matrices that indices pick; an operand without them is taken in order."""
    shape = next(given[name] for name in ("lhs", "rhs") if name in given).shape
    result = np.zeros((*shape, a.shape[-2], b.shape[-1]))
    for place, index in enumerate(np.ndindex(shape)):
        left, right = (int(given[name][index]) if name in given else place for name in PICKS)
        result[index] = a[left] @ b[right]
    return result


PICKS = ("lhs", "rhs")


def _masked(x: Array, mask: Array | None, block: int) -> Array:
    result = widen(x).copy()
    if mask is None:
        return result
    for row in range(x.shape[-2]):
        for col in range(x.shape[-1]):
            result[..., row, col] *= widen(1 * mask)[..., row // block, col // block]
    return result


def _block_masked_mm(problem: Problem, given: dict[str, Array]) -> Array:
    block = int(problem.param("block"))
    left = _masked(given["a"], given.get("mask_lhs"), block)
    right = _masked(given["b"], given.get("mask_rhs"), block)
    return _masked(left @ right, given.get("mask_out"), block)


def _segmented_mm(_: Problem, given: dict[str, Array]) -> Array:
    a, b = widen(given["a"]), widen(given["b"])
    parts = [a[:, start:stop] @ b[start:stop] for start, stop in given["segments"]]
    return np.array(parts).reshape(-1, a.shape[0], b.shape[1])


def _bits(words: Array, bits: int, columns: int) -> Array:
    """Take codes out of 32-bit words one by one, the lowest bits of a row first."""
    *lead, _ = words.shape
    codes = np.zeros((*lead, columns), np.int64)
    for index in np.ndindex(*lead):
        stream = sum(int(word) << (32 * place) for place, word in enumerate(words[index]))
        for column in range(columns):
            codes[*index, column] = (stream >> (column * bits)) & (2**bits - 1)
    return codes


def _e2m1(code: int) -> float:
    exponent, mantissa = (code >> 1) & 3, code & 1
    size = mantissa * 0.5 if exponent == 0 else (1 + mantissa / 2) * 2.0 ** (exponent - 1)
    return -size if code & 8 else size


def _e4m3(code: int) -> float:
    exponent, mantissa = (code >> 3) & 15, code & 7
    size = mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
    return -size if code & 128 else size


def weights(problem: Problem, given: dict[str, Array]) -> Array:
    """Return B as it is unpacked, shape (*batch_b, K, N)."""
    mode = problem.param("mode")
    bits = int(problem.param("bits")) or {"affine": 4, "mxfp8": 8}.get(mode, 4)
    group = int(problem.param("group")) or {"affine": 64, "nvfp4": 16}.get(mode, 32)
    turned = problem.transpose[1] == "t"
    columns = problem.k if turned else problem.n
    codes = _bits(given["w"], bits, columns)
    unpacked = np.zeros(codes.shape)
    for index in np.ndindex(codes.shape):
        at = (*index[:-1], index[-1] // group)
        code, scale = int(codes[index]), given["scales"][at]
        if mode == "affine":
            unpacked[index] = float(scale) * code + float(given["biases"][at])
        else:
            value = _e4m3(code) if mode == "mxfp8" else _e2m1(code)
            power = _e4m3(int(scale)) if mode == "nvfp4" else 2.0 ** (int(scale) - 127)
            unpacked[index] = value * power
    return np.swapaxes(unpacked, -1, -2) if turned else unpacked


def _quantized_matmul(problem: Problem, given: dict[str, Array]) -> Array:
    return np.asarray(widen(given["a"]) @ weights(problem, given))


def _gather_qmm(problem: Problem, given: dict[str, Array]) -> Array:
    return _gathered(_stack(given["a"]), _stack(weights(problem, given)), given)


def _linear(_: Problem, given: dict[str, Array]) -> Array:
    """Return x W^T + c, as MLX's documentation of `nn.Linear` has it."""
    product = widen(given["a"]) @ widen(given["b"]).T
    return np.asarray(product + (widen(given["c"]) if "c" in given else 0.0))


def _quantized_linear(problem: Problem, given: dict[str, Array]) -> Array:
    product = widen(given["a"]) @ weights(problem, given)
    return np.asarray(product + (widen(given["c"]) if "c" in given else 0.0))


DEFINITIONS = {
    "matmul": _matmul,
    "addmm": _addmm,
    "gather_mm": _gather_mm,
    "block_masked_mm": _block_masked_mm,
    "segmented_mm": _segmented_mm,
    "quantized_matmul": _quantized_matmul,
    "gather_qmm": _gather_qmm,
    "linear": _linear,
    "quantized_linear": _quantized_linear,
}
