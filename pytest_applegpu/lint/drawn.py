"""Random calls of every operation, the same ones for the same seed.

Sizes are drawn log-uniformly, half of them then moved to or beside a multiple of a tile; one in
sixteen calls has one size of millions. Operands and result fit into the memory of a large Mac.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from pytest_applegpu.lint.extents import operands, result_size
from pytest_applegpu.routing.arrays import ITEMSIZE
from pytest_applegpu.routing.calls import Call
from pytest_applegpu.routing.lines import call_of
from pytest_applegpu.routing.target import Gpu, Target

Line = dict[str, Any]

ARCHS: Final = tuple(
    f"applegpu_{name}"
    for name in (
        *("g13g", "g13s", "g13d", "g14g", "g14s", "g14d", "g14p", "g15g", "g15s", "g15d"),
        *("g16g", "g16s", "g16p", "g17p", "g17g", "g17s", "g17d", "g17c", "g18p", "g18g"),
        *("g17g", "g17s", "g17d", "g18p", "g18g"),
    )
)
"""Architectures that are drawn; those with accelerators are drawn twice as often."""

MEMORY: Final = 1 << 37
"""Bytes that operands and result take together at most: a Mac with 128 GiB."""

_HALF_AND_SINGLE: Final = ("float16", "bfloat16", "float16", "bfloat16", "float32")
_DTYPES: Final = (*_HALF_AND_SINGLE, *_HALF_AND_SINGLE, "complex64")
_TILES: Final = (8, 16, 32, 64, 128, 256, 512)
_LARGEST: Final = 14
"""Logarithm of the largest size that is drawn by default."""

_MODES: Final = (
    *(("affine", group, bits) for group in (32, 64, 128) for bits in (2, 3, 4, 5, 6, 8)),
    *(("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)) * 4,
)
_LONG: Final = 0.25
"""Share of products whose K is drawn as a multiple of the larger one of M and N."""

_HEAD_DIMS: Final = (64, 72, 80, 96, 128, 192, 256, 512)


def drawn(count: int, version: str, seed: int = 0) -> Iterator[tuple[Call, Target]]:
    """Yield `count` random calls, each with a random target of MLX `version`.

    Raises:
        ValueError: the version has no rules.
    """
    made = 0
    random = Random(f"{seed} {version}")  # noqa: S311 - problems, not secrets
    while made < count:
        call = call_of(_LINES[made % len(_LINES)](random))
        target = _target(random, version)
        if _bytes(call) <= MEMORY:
            made += 1
            yield call, target


def _bytes(call: Call) -> int:
    return operands(call) + result_size(call) * max(ITEMSIZE.values())


def _target(random: Random, version: str) -> Target:
    gpu = Gpu(random.choice(ARCHS), None if random.random() < 0.9 else False)
    return gpu.target(tf32=random.random() < 0.8, version=version)


def _size(random: Random, most: float = _LARGEST, step: int = 1) -> int:
    size = int(2 ** random.uniform(0, most))
    if random.random() < 0.5:
        tile = random.choice(_TILES)
        size = max(tile * round(size / tile), tile) + random.choice((0, 0, -1, 1))
    return max(-(-size // step) * step, step)


def _sizes(random: Random, count: int, most: float = _LARGEST) -> list[int]:
    """Return sizes of which, one time in sixteen, one is in the millions."""
    sizes = [_size(random, most) for _ in range(count)]
    if random.random() < 1 / 16:
        sizes[random.randrange(count)] = int(2 ** random.uniform(most, 25))
    return sizes


def _flag(random: Random) -> bool:
    return random.random() < 0.5


def _batch(random: Random) -> list[int]:
    return [_size(random, 6) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]


def _operand(random: Random, name: str, shape: list[int]) -> Line:
    """Return an operand's fields: mostly plain, sometimes with gaps, late, or broadcast."""
    transpose = _flag(random)
    plain = random.random() < 0.8
    gap = random.choice((1, 4, 8))
    word = "" if plain else random.choice((f"pad:{gap}", f"off:{gap}", "bc"))
    line: Line = {f"{name}_shape": shape, f"transpose_{name}": transpose}
    return line | ({f"{name}_layout": f"{'t' * transpose}{word}"} if word else {})


def _matmul(random: Random) -> Line:
    m, n, k = _sizes(random, 3)
    if random.random() < _LONG:
        m, n = (_size(random, _LARGEST + 1) for _ in range(2))
        k = int(max(m, n) * random.uniform(1, 8))
    batch = _batch(random)
    shared = batch if _flag(random) else []
    line = {"op": "matmul", "dtype": random.choice(_DTYPES)}
    a, b = _operand(random, "a", [*batch, m, k]), _operand(random, "b", [*shared, k, n])
    return line | a | b


def _addmm(random: Random) -> Line:
    line = _matmul(random) | {"op": "addmm"}
    m, n = line["a_shape"][-2], line["b_shape"][-1]
    c = random.choice(([m, n], [n], [1, n], [m, 1]))
    scale = {name: random.choice((0.0, 1.0, 1.0, 0.5)) for name in ("alpha", "beta")}
    return line | {"c_shape": c, "transpose_c": False} | scale


def _gather(random: Random, rows: int) -> tuple[list[int], list[int], Line]:
    """Return the batch of the rows, that of the matrices, and the indices."""
    matrices = _size(random, 7)
    if rows == 1:
        count = _size(random, 12)
        return [count], [matrices], {"rhs_shape": [count], "sorted": _flag(random)}
    count = _size(random, 6)
    lhs = {"lhs_shape": [count]} if _flag(random) else {}
    return [count], [matrices], {"rhs_shape": [count], "sorted": False} | lhs


def _gather_mm(random: Random) -> Line:
    m, n, k = _sizes(random, 3, 12)
    m = 1 if _flag(random) else m
    a, b, indices = _gather(random, m)
    line: Line = {"op": "gather_mm", "dtype": random.choice(_HALF_AND_SINGLE)}
    line |= {"a_shape": [*a, m, k], "transpose_a": False}
    return line | {"b_shape": [*b, k, n], "transpose_b": _flag(random)} | indices


def _segmented_mm(random: Random) -> Line:
    m, n, k = _sizes(random, 3)
    line: Line = {"op": "segmented_mm", "dtype": random.choice(_HALF_AND_SINGLE)}
    line |= {"a_shape": [m, k], "transpose_a": _flag(random)}
    line |= {"b_shape": [k, n], "transpose_b": _flag(random)}
    return line | {"segments_shape": [_size(random, 7), 2]}


def _block_masked_mm(random: Random) -> Line:
    line = _matmul(random) | {"op": "block_masked_mm", "dtype": random.choice(_HALF_AND_SINGLE)}
    masks = {name: _flag(random) for name in ("mask_out", "mask_op", "mask_bool")}
    return line | masks | {"block_size": random.choice((32, 64))}


def _weights(random: Random, n: int, k: int, batch: list[int]) -> tuple[Line, int]:
    """Return the weights' fields, and K as it comes out."""
    mode, group, bits = random.choice(_MODES)
    transpose = random.random() < 0.7
    whole = max(group, 32) if mode != "nvfp4" or _flag(random) else group
    packed = -(-(k if transpose else n) // whole) * whole
    shape = [n, packed] if transpose else [k, packed]
    line = {"group_size": group, "bits": bits, "mode": mode, "transpose": transpose}
    return line | {"w_shape": [*batch, *shape]}, packed if transpose else k


def _quantized_matmul(random: Random) -> Line:
    m, n, k = _sizes(random, 3)
    batch = _batch(random)
    weights, k = _weights(random, n, k, batch if _flag(random) else [])
    line: Line = {"op": "quantized_matmul", "dtype": random.choice(_HALF_AND_SINGLE)}
    m = min(m, 1 << random.choice((4, 8, 12)))
    return line | {"x_shape": [*batch, m, k], "transpose_x": False} | weights


def _gather_qmm(random: Random) -> Line:
    m, n, k = _sizes(random, 3, 12)
    m = 1 if _flag(random) else m
    x, w, indices = _gather(random, m)
    weights, k = _weights(random, n, k, w)
    line: Line = {"op": "gather_qmm", "dtype": random.choice(_HALF_AND_SINGLE)}
    return line | {"x_shape": [*x, m, k], "transpose_x": False} | weights | indices


def _qqmm(random: Random) -> Line:
    m, n, k = _sizes(random, 3)
    mode, group, bits = random.choice((("mxfp4", 32, 4), ("mxfp8", 32, 8), ("nvfp4", 16, 4)))
    k = -(-k // 32) * 32
    line: Line = {"op": "qqmm", "dtype": random.choice(_HALF_AND_SINGLE)}
    line |= {"x_shape": [m, k], "transpose_x": False, "w_shape": [n, k], "transpose": True}
    quantized = {"group_size": group, "bits": bits, "mode": mode, "w_quantized": _flag(random)}
    return line | quantized


def _sdpa(random: Random) -> Line:
    key_heads = random.choice((1, 2, 4, 8))
    heads = key_heads * random.choice((1, 1, 2, 4, 8, 12, 16))
    length = random.choice((1, 1, 2, 8, _size(random, 13), _size(random, 13)))
    keys = length if _flag(random) else _size(random, 17)
    dim = random.choice(_HEAD_DIMS)
    value_dim = dim if random.random() < 0.9 else random.choice(_HEAD_DIMS)
    batch = random.choice((1, 1, 2, 4))
    line: Line = {"op": "sdpa", "dtype": random.choice(_HALF_AND_SINGLE)}
    line |= {"q_shape": [batch, heads, length, dim], "k_shape": [batch, key_heads, keys, dim]}
    line |= {"v_shape": [batch, key_heads, keys, value_dim]}
    mask = random.choice(("", "", "causal", "causal", "bool", "float"))
    return line | {"mask": mask, "sinks": random.random() < 0.1}


_LINES: Final[tuple[Callable[[Random], Line], ...]] = (
    _matmul,
    _addmm,
    _gather_mm,
    _segmented_mm,
    _block_masked_mm,
    _quantized_matmul,
    _gather_qmm,
    _qqmm,
    _sdpa,
)
"""How a line of each operation is drawn; operations take turns."""
