"""Which leading dimensions are not told by the shapes alone?"""

from __future__ import annotations

from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.product import int32


def leading(seen: Given, sizes: tuple[int, int, int], lda: int, ldb: int) -> dict[str, int]:
    """Return those of a and b that matrices without gaps, lying as seen, would not have.

    `sizes` are M, N and K of the kernel, with all rows where a batch has joined M.
    """
    m, n, k = sizes
    params = {}
    if lda != (m if seen.a_transposed else k):
        params["lda"] = int32(lda)
    if ldb != (k if seen.b_transposed else n):
        params["ldb"] = int32(ldb)
    return params
