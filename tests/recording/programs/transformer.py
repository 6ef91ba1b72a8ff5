"""A small transformer of random weights: attention, packed weights, experts.

It prints what it computes, so that two runs can be compared.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

mx: Any = importlib.import_module("mlx.core")
nn: Any = importlib.import_module("mlx.nn")


class Experts(nn.Module):  # type: ignore[misc]
    """Two experts of four for each token, without and with packed weights."""

    def __init__(self, size: int, experts: int, active: int) -> None:
        """Draw the experts' weights."""
        super().__init__()
        self.router = nn.Linear(size, experts, bias=False)
        self.up = mx.random.normal((experts, size, size)) * size**-0.5
        self.down = mx.quantize(mx.random.normal((experts, size, size)) * size**-0.5)
        self.active = active

    def __call__(self, x: Any) -> Any:
        """Mix what the picked experts make of each token, shape (batch, tokens, size)."""
        scores = mx.softmax(self.router(x), axis=-1)
        picks = mx.argpartition(-scores, kth=self.active - 1, axis=-1)[..., : self.active]
        rows = mx.expand_dims(x, (-2, -3))
        up = mx.gather_mm(rows, self.up.swapaxes(-1, -2), rhs_indices=picks)
        codes, scales, biases = self.down
        down = mx.gather_qmm(nn.silu(up), codes, scales, biases, rhs_indices=picks)
        weights = mx.take_along_axis(scores, picks, axis=-1)
        return (down.squeeze(-2) * weights[..., None]).sum(axis=-2)


class Block(nn.Module):  # type: ignore[misc]
    """Attention, packed linear layers, and experts."""

    def __init__(self, size: int, heads: int) -> None:
        """Draw the weights."""
        super().__init__()
        self.attention = nn.MultiHeadAttention(size, heads, bias=True)
        self.narrow = nn.Linear(size, size // 2)
        self.wide = nn.QuantizedLinear(size // 2, size, bias=True, group_size=32, bits=8)
        self.experts = Experts(size, experts=4, active=2)

    def __call__(self, x: Any) -> Any:
        """Return a stack of tokens of the same shape, (batch, tokens, size)."""
        mask = nn.MultiHeadAttention.create_additive_causal_mask(x.shape[1])
        x = x + self.attention(x, x, x, mask)
        x = x + self.wide(nn.relu(self.narrow(x)))
        return x + self.experts(x)


def main() -> None:
    """Run a prompt, a single token, and a gradient through one block."""
    mx.random.seed(3)
    block = Block(64, heads=4)
    prompt = mx.random.normal((1, 6, 64))
    print(block(prompt).sum().item())  # noqa: T201
    compiled = mx.compile(block)
    print([compiled(prompt[:, -1:]).sum().item() for _ in range(3)])  # noqa: T201
    gradient = mx.grad(lambda x: (x[:, :16] @ x[:, :16].T).sum())(prompt[0])
    print(gradient.sum().item())  # noqa: T201


if __name__ == "__main__":
    main()
    sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
