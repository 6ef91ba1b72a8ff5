"""What product do the operands make once batch axes are merged, and may they join the rows?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from pytest_applegpu.routing.arrays import Array, Shape
from pytest_applegpu.routing.copies import collapsed
from pytest_applegpu.routing.dense.matrices import Matrix, matrix
from pytest_applegpu.routing.launch import Tape


def int32(number: int) -> int:
    """Return `number` as 32-bit arithmetic leaves it."""
    return (number + 2**31) % 2**32 - 2**31


@dataclass(frozen=True, slots=True)
class Product:
    """M x K times K x N, `batch` times, and for addmm: alpha times that, plus beta times `c`.

    `batch_shape` holds the merged batch axes (one of size 1 for none), `strides` those of a, b and
    c along them.
    """

    a: Matrix
    b: Matrix
    c: Array | None
    m: int
    n: int
    k: int
    batch: int
    batch_shape: Shape
    strides: tuple[Shape, ...]
    alpha: float
    beta: float

    @property
    def dtype(self) -> str:
        """Format of the operands and of the result."""
        return self.a.array.dtype

    @property
    def forms(self) -> str:
        """Both operands' letters in kernel names: n, or t for transposed."""
        return self.a.letter + self.b.letter

    @property
    def longest(self) -> int:
        """The larger one of M and N."""
        return max(self.m, self.n)

    @property
    def adds(self) -> bool:
        """Whether there is a matrix to be added."""
        return self.c is not None

    @property
    def scales(self) -> bool:
        """Whether kernels that scale and add are asked for: not where they would change nothing."""
        return self.adds and (self.alpha != 1.0 or self.beta != 0.0)


def product(  # noqa: PLR0917 - operands as the operation takes them
    tape: Tape, a: Array, b: Array, c: Array | None = None, alpha: float = 1.0, beta: float = 0.0
) -> Product:
    """Bring operands into form, with copies where they need them, and merge their batch axes.

    `a`, `b` and `c` have as many axes each and the same batch axes.
    """
    left = matrix(tape, a, vector=a.shape[-2] == 1)
    right = matrix(tape, b, vector=b.shape[-1] == 1)
    arrays = (left.array, right.array) if c is None else (left.array, right.array, c)
    shape, strides = _merged(arrays)
    m, n, k = a.shape[-2], b.shape[-1], a.shape[-1]
    batch = prod(a.shape[:-2])
    apart = Product(left, right, c, m, n, k, batch, shape, strides, alpha, beta)
    return _joined(tape, apart)


def _merged(arrays: tuple[Array, ...]) -> tuple[Shape, tuple[Shape, ...]]:
    if arrays[0].ndim == 2:
        return (1,), ((0,),) * len(arrays)
    return collapsed(arrays[0].shape[:-2], *(x.strides[:-2] for x in arrays))


def _joined(tape: Tape, apart: Product) -> Product:
    """Return the product with its batch put under the rows of a, where a and c lie like that."""
    if apart.batch == 1 or not _joins(apart):
        return apart
    tape.because(
        "one b for the whole batch, and the rows of a lie one after another: batch joins M",
        f"M {apart.m} * {apart.batch}",
    )
    none: tuple[Shape, ...] = ((0,),) * len(apart.strides)
    return replace(apart, m=apart.m * apart.batch, batch=1, batch_shape=(1,), strides=none)


def _joins(apart: Product) -> bool:
    if apart.a.transposed or len(apart.batch_shape) != 1:
        return False
    a, b, *rest = (one[-1] for one in apart.strides)
    dense = apart.a.array.strides[-2] == apart.k and a == int32(apart.m * apart.k) and b == 0
    if apart.c is None or not dense:
        return dense
    return rest == [apart.m * apart.c.strides[-2]]
