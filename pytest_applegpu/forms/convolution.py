"""Convolutions that are products of matrices: `conv1d` and `conv2d`, of stride 1 and one group.

M is the number of places of the output, N that of its channels, and K what is added up for each:
the taps of the kernel times the channels of the input. `conv2d-f32-nt-35x16x72-b2 taps=3 width=7`
makes two images of 5 by 7 places by a kernel of 3 by 3 taps over 8 channels. Operands are input and
weight. The sums are those of a product; an algorithm that trades products for sums of the input
(Winograd's) has larger errors, and is no product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from pytest_applegpu.forms.form import (
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    matrix,
    operand,
)


@dataclass(frozen=True, slots=True)
class _Space:
    """Shapes of a convolution over one axis of space, or two."""

    dimensions: int

    def places(self, sizes: Sizes) -> Shape:
        """Return the output's places along each axis."""
        if self.dimensions == 1:
            return (sizes.m,)
        width = int(sizes.param("width"))
        return sizes.m // width, width

    def taps(self, sizes: Sizes) -> Shape:
        """Return the kernel's taps along each axis."""
        return (int(sizes.param("taps")),) * self.dimensions

    def input(self, sizes: Sizes) -> Shape:
        """Return the input's shape, (images, *places, channels)."""
        more = int(sizes.param("taps")) - 1 - 2 * int(sizes.param("pad"))
        places = (size + more for size in self.places(sizes))
        return (*sizes.batch_a, *places, sizes.k // prod(self.taps(sizes)))

    def weight(self, sizes: Sizes) -> Shape:
        """Return the weight's shape, (output channels, *taps, channels)."""
        taps = self.taps(sizes)
        return (sizes.n, *taps, sizes.k // prod(taps))

    def operands(self, sizes: Sizes) -> tuple[Operand, ...]:
        """Return input and weight."""
        dtype = sizes.dtype.name
        return (
            matrix("input", dtype, sizes, self.input(sizes), transposed=False),
            matrix("weight", dtype, sizes, self.weight(sizes), transposed=False),
        )

    def result(self, sizes: Sizes) -> Shape:
        """Return the result's shape, (images, *places, output channels)."""
        return (*sizes.batch_a, *self.places(sizes), sizes.n)

    def invoke(self, sizes: Sizes) -> Invocation:
        """Return the call."""
        given = (operand("input"), operand("weight"))
        padding = {"padding": int(sizes.param("pad"))}
        return Invocation(f"conv{self.dimensions}d", given, padding)

    def check(self, sizes: Sizes) -> None:
        """Refuse sizes that no input and kernel give.

        Raises:
            ValueError: the message names the part.
        """
        if len(sizes.batch_a) != 1 or sizes.batch_a != sizes.batch_b:
            raise ValueError("a convolution has a batch of images, as in -b2")
        if {sizes.layout("a"), sizes.layout("b")} != {"plain"}:
            raise ValueError("a convolution has no operands a and b: say input= or weight=")
        if sizes.layout("weight") == "bc":
            raise ValueError("weight=bc would make all kernels the same, and the result's columns")
        taps, width = prod(self.taps(sizes)), self.places(sizes)[-1]
        if sizes.k % taps:
            raise ValueError(f"K = {sizes.k} is no multiple of the kernel's {taps} taps")
        if width and sizes.m % width:
            raise ValueError(f"M = {sizes.m} is no multiple of width={width}")
        if int(sizes.param("pad")) >= int(sizes.param("taps")):
            raise ValueError(f"pad={sizes.param('pad')} makes windows of nothing but padding")
        if not sizes.m:
            raise ValueError("M = 0: a kernel gives a place at least where it fits, and must fit")
        if min(self.input(sizes)[1:-1]) < 1:
            raise ValueError(f"pad={sizes.param('pad')} leaves nothing of the input")


_WORDS: Final = {"taps": Param("3", low=1, high=64), "pad": Param("0", low=0, high=63)}


def _form(name: str, space: _Space, more: dict[str, Param]) -> Form:
    return Form(
        name,
        _WORDS | more,
        operands=space.operands,
        batch=lambda sizes: sizes.batch_a,
        invoke=space.invoke,
        check=space.check,
        transposes=("nt",),
        dtypes=("float32", "float16", "bfloat16"),
        result=space.result,
    )


CONV1D: Final = _form("conv1d", _Space(1), {})
CONV2D: Final = _form("conv2d", _Space(2), {"width": Param("8", low=1, high=2**16)})
