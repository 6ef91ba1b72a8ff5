"""Can few rows share one pass over a transposed matrix, and how many rows a pass?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.copies import ceil_div
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.launch import Launch, Tape, Triple

FIRST_GEN: Final = 15
"""Older GPUs are limited by how fast loads are issued: they keep the other kernels."""

MOST_ROWS: Final = 5
"""Rows that a pass takes."""

MOST_PASSES: Final = 3
VOCABULARY: Final = 65536
"""N from which the columns alone fill the GPU: the passes run one after another."""


@dataclass(frozen=True, slots=True)
class WideConfig:
    """`nv` rows a pass, `kl` threads along K for each column, `passes` threadgroups along M."""

    nv: int
    kl: int
    passes: int

    @property
    def group(self) -> Triple:
        """Threads of a threadgroup."""
        return 32, self.kl // 8, 1

    def grid(self, n: int, batch: int) -> Triple:
        """Return the threadgroups for N columns: 4 columns each."""
        return self.passes, ceil_div(n, 4), batch

    def __str__(self) -> str:
        """Text as it stands in kernel names."""
        return f"nv{self.nv}_kl{self.kl}"


def why_not_wide(  # noqa: PLR0917 - a product and how its operands lie
    gen: int,
    dtype: str,
    m: int,
    n: int,
    k: int,
    offsets: Iterable[int],
    strides: Iterable[int],
) -> str:
    """Return the condition that fails, empty where none does.

    `offsets` are those of both operands in bytes, `strides` their leading dimensions and all
    batch strides in elements.
    """
    if gen < FIRST_GEN:
        return f"generation {gen} < {FIRST_GEN}"
    if dtype not in {"float16", "bfloat16"}:
        return f"format {dtype}"
    if m < 2 or n < 2 or ceil_div(m, MOST_ROWS) > MOST_PASSES:
        return f"M {m} not in 2..{MOST_ROWS * MOST_PASSES}, or N {n} < 2"
    if k % 4:
        return f"K {k} % 4 = {k % 4}"
    if any(offset % 8 for offset in offsets) or any(stride % 4 for stride in strides):
        return "not aligned to 4 elements"
    return ""


def wide_config(m: int, n: int) -> WideConfig:
    """Return how M rows are cut into passes; few columns, or one pass, take whole SIMD-groups."""
    passes = ceil_div(m, MOST_ROWS)
    kl = 32 if passes == 1 or n <= 64 else 16
    return WideConfig(ceil_div(m, passes), kl, 1 if n >= VOCABULARY else passes)


def gemv_wide(tape: Tape, product: Product, gen: int) -> bool:
    """Write down the kernel that takes up to 5 rows a pass, if the product fits it."""
    a, b = product.a, product.b
    if a.transposed or not b.transposed:
        return False
    offsets = (x.array.offset * x.array.itemsize for x in (a, b))
    strides = (a.ld, b.ld, *product.strides[0], *product.strides[1])
    why_not = why_not_wide(gen, product.dtype, product.m, product.n, product.k, offsets, strides)
    if why_not:
        tape.because("not gemv_wide", why_not)
        return False
    config = wide_config(product.m, product.n)
    tape.because(
        "few rows times a transposed 16-bit matrix: gemv_wide",
        f"M {product.m}, {config.nv} rows in each of {ceil_div(product.m, config.nv)} passes",
    )
    several = len(product.batch_shape) != 1
    tape.add(
        Launch(
            f"gemv_wide_{product.dtype}_{config}",
            "matmul",
            config.grid(product.n, product.batch),
            config.group,
            suffix=f"_nc{several:d}_axpby{product.adds:d}",
            label="gemv_wide",
            staged=0,
        )
    )
    return True
