"""What does a vision transformer multiply for one image? From the sizes of its parts.

Patches do not overlap, so that their embedding, a convolution, is a product of matrices: M patches,
K numbers in each. A linear layer with bias is `addmm`, the bias a row (MLX's `nn.Linear`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.shapes.shapes import Shape


@dataclass(frozen=True, slots=True)
class Vision:
    """Sizes of a vision transformer, as `models.toml` names them."""

    dtype: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    patch: int
    image: int
    channels: int
    projection: int

    @property
    def patches(self) -> int:
        """Return the number of patches of an image."""
        return (self.image // self.patch) ** 2


def vision_shapes(model: Vision) -> Iterator[Shape]:
    """Yield what one image takes; a token that stands for all of it comes to its patches."""
    short, hidden, tokens = DTYPES[model.dtype].short, model.hidden, model.patches + 1

    def shape(text: str, count: int, part: str) -> Shape:
        return Shape(parse_problem(text), count, "prefill", part)

    def linear(n: int, k: int, each: int, part: str) -> Shape:
        text = f"addmm-{short}-nt-{tokens}x{n}x{k} addend=row"
        return shape(text, each * model.layers, part)

    pixels = model.channels * model.patch**2
    yield shape(f"matmul-{short}-nt-{model.patches}x{hidden}x{pixels}", 1, "patch embedding")
    yield linear(hidden, hidden, 3, "queries, keys and values")
    heads = f"{tokens}x{tokens}x{hidden // model.heads}-b1x{model.heads}"
    yield shape(f"sdpa-{short}-nt-{heads}", model.layers, "attention")
    yield linear(hidden, hidden, 1, "attention's output")
    yield linear(model.intermediate, hidden, 1, "up")
    yield linear(hidden, model.intermediate, 1, "down")
    yield shape(f"matmul-{short}-nt-1x{model.projection}x{hidden}", 1, "projection")
