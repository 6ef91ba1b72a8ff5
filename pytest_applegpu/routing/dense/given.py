"""Which numbers does a kernel get that the operands' shapes alone do not tell?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.routing.arrays import Array
from pytest_applegpu.routing.dense.product import Product, int32


@dataclass(frozen=True, slots=True)
class Given:
    """The operands as the caller gave them: rows of a, which ones are transposed views."""

    rows: int
    a_transposed: bool
    b_transposed: bool

    def params(self, product: Product, swizzle_log: int = 0) -> dict[str, int]:
        """Return M where the batch joined it, leading dimensions with gaps, and batch strides."""
        said = {"M": product.m} if product.m != self.rows else {}
        sizes = product.m, product.n, product.k
        said |= self.leading(sizes, product.a.ld, product.b.ld)
        batch = {"bsa": product.strides[0][-1], "bsb": product.strides[1][-1]}
        said |= {name: stride for name, stride in batch.items() if stride}
        if swizzle_log:
            said["swizzle_log"] = swizzle_log
        return said

    def leading(self, sizes: tuple[int, int, int], lda: int, ldb: int) -> dict[str, int]:
        """Return those leading dimensions that matrices without gaps, lying so, would not have.

        `sizes` are M, N and K of the kernel, with all rows where a batch has joined M.
        """
        m, n, k = sizes
        params = {}
        if lda != (m if self.a_transposed else k):
            params["lda"] = int32(lda)
        if ldb != (k if self.b_transposed else n):
            params["ldb"] = int32(ldb)
        return params


def given(a: Array, b: Array) -> Given:
    """Return what the operands of a call, of any number of axes, look like."""
    rows = a.shape[-2] if a.ndim > 1 else 1
    return Given(rows, _transposed(a), _transposed(b))


def _transposed(array: Array) -> bool:
    if array.ndim < 2:
        return False
    outer, inner = array.strides[-2:]
    return outer < inner or (outer == inner and array.shape[-2] == 1)
