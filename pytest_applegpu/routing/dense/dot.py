"""Which kernels make a single number out of two dense vectors?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.routing.copies import ceil_div, scalar_copy
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.launch import Launch, Tape, Triple

GROUP: Final = 512
PER_THREAD: Final = 32
READS: Final = 4
"""Elements that a thread of a reduction reads at once."""


def dot(tape: Tape, product: Product) -> bool:
    """Write down products summed by group, the sum of those, and its copy; if it is such a case."""
    if max(product.m, product.n, product.batch) != 1 or product.dtype == "complex64":
        return False
    if not (product.a.array.row_contiguous and product.b.array.row_contiguous):
        return False
    groups = ceil_div(ceil_div(product.k, PER_THREAD), GROUP)
    tape.because("M = N = 1, both dense: dot product", f"K {product.k}, {groups} partial sums")
    kernel = f"dot_product_{product.dtype}_it{PER_THREAD}_tg{GROUP}_sg{GROUP // 32}"
    grid = groups * GROUP, 1, 1
    tape.add(Launch(kernel, "matmul", grid, (GROUP, 1, 1), "threads", label="dot", staged=0))
    all_reduce(tape, "sum", "float32", groups)
    tape.add(scalar_copy("float32", product.dtype))
    return True


def all_reduce(tape: Tape, op: str, dtype: str, size: int) -> None:
    """Write down the reduction of `size` elements to one: in two passes if one group is too few.

    The first pass of two leaves 128 sums, for K up to 2**31 the most that the sums of a dot product
    need.
    """
    kernel = f"all_reduce_{op}{dtype}"
    if size <= READS * 1024:
        threads = _whole_simdgroups(ceil_div(size, READS))
        tape.add(_reduce(kernel, (threads, 1, 1), (threads, 1, 1)))
        return
    rows = 32 * READS
    threads = _whole_simdgroups(min(ceil_div(ceil_div(size, rows), READS), 1024))
    tape.because("more than 4096 to add up: two passes", f"{size}")
    tape.add(_reduce(kernel, (threads, rows, 1), (threads, 1, 1)))
    tape.add(_reduce(kernel, (32, 1, 1), (32, 1, 1)))


def _whole_simdgroups(threads: int) -> int:
    return ceil_div(threads, 32) * 32


def _reduce(kernel: str, grid: Triple, group: Triple) -> Launch:
    return Launch(kernel, "reduce", grid, group, "threads", label="reduce", staged=0)
