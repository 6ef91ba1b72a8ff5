"""Layers of `mlx.nn` that are one product: `linear`, and `quantized_linear` with packed weights.

`linear-f16-nt-9x32x64-b2:_` calls an `nn.Linear` of 64 inputs and 32 outputs with two stacks of 9
rows: a W^T + c. B is W^T: in `nt` the weight lies row by row as MLX makes it, (N, K), and in `nn`
it is the transpose of another array. Operands are a, the weight b (or its packed w, scales and
biases) and, unless `bias=no`, the bias c.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_applegpu.forms.dense import pair
from pytest_applegpu.forms.form import (
    Argument,
    Form,
    Invocation,
    Layer,
    Operand,
    Param,
    Sizes,
    matrix,
    operand,
    vector,
)
from pytest_applegpu.forms.quantized import QUANTIZED_MATMUL, group_and_bits, packed_operands

BIAS: Final = ("yes", "no")

_DTYPES: Final = ("float32", "float16", "bfloat16")


def has_bias(sizes: Sizes) -> bool:
    """Tell whether the layer adds a bias."""
    return sizes.param("bias") == "yes"


def _bias(sizes: Sizes) -> tuple[Operand, ...]:
    return (vector("c", sizes.dtype.name, sizes, (sizes.n,), None),) if has_bias(sizes) else ()


def _operands(sizes: Sizes) -> tuple[Operand, ...]:
    plain = sizes.transpose[1] == "n"
    weight = matrix("b", sizes.dtype.name, sizes, (sizes.n, sizes.k), transposed=plain)
    return (pair(sizes)[0], weight, *_bias(sizes))


def _packed(sizes: Sizes) -> tuple[Operand, ...]:
    return (pair(sizes)[0], *packed_operands(sizes), *_bias(sizes))


def _called(
    sizes: Sizes, name: str, named: dict[str, Argument], given: dict[str, Any]
) -> Invocation:
    bias = {"bias": operand("c")} if has_bias(sizes) else {}
    layer = Layer((sizes.k, sizes.n), {"bias": has_bias(sizes), **named}, given | bias)
    return Invocation(name, (operand("a"),), layer=layer)


def _linear(sizes: Sizes) -> Invocation:
    return _called(sizes, "Linear", {}, {"weight": operand("b")})


def _quantized_linear(sizes: Sizes) -> Invocation:
    group, bits = group_and_bits(sizes)
    named: dict[str, Argument] = {"group_size": group, "bits": bits}
    if sizes.param("mode") != "affine":
        # Versions that have no other mode do not know the word.
        named["mode"] = sizes.param("mode")
    names = {one.name for one in packed_operands(sizes)} - {"w"}
    given = {"weight": operand("w")} | {name: operand(name) for name in sorted(names)}
    return _called(sizes, "QuantizedLinear", named, given)


def _check(sizes: Sizes) -> None:
    """Refuse what no layer has: a stack of weights, one that is a vector, and no inputs.

    Raises:
        ValueError: the message names the part.
    """
    if sizes.batch_b:
        raise ValueError("a layer has one weight, without a batch, as in -b2x3:_")
    if sizes.layout("b") == "vec":
        raise ValueError("b=vec: the weight of a layer is a matrix")
    if not sizes.k:
        raise ValueError("K = 0: MLX makes no layer without inputs")


def _check_packed(sizes: Sizes) -> None:
    QUANTIZED_MATMUL.check(sizes)
    _check(sizes)


LINEAR: Final = Form(
    "linear",
    {"bias": Param("yes", BIAS)},
    operands=_operands,
    batch=lambda sizes: sizes.batch_a,
    invoke=_linear,
    check=_check,
    vectors=True,
    dtypes=_DTYPES,
)

QUANTIZED_LINEAR: Final = Form(
    "quantized_linear",
    {**QUANTIZED_MATMUL.params, "bias": Param("yes", BIAS)},
    operands=_packed,
    batch=lambda sizes: sizes.batch_a,
    invoke=_quantized_linear,
    check=_check_packed,
    transposes=("nt", "tt"),
    dtypes=_DTYPES,
)
