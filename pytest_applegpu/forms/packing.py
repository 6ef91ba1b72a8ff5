"""Weights packed and unpacked by themselves: `quantize` and `dequantize`; and `qqmm`.

`quantize-f16-nt-1x64x512 bits=8` packs 64 rows of 512 weights, N rows of length K as those of B
transposed; M is 1. `qqmm` multiplies A, which it packs on the way, with weights packed before, or
with `given=plain` packed on the way too.
"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.forms.dense import batch, pair
from pytest_applegpu.forms.form import (
    Argument,
    Form,
    Invocation,
    Operand,
    Param,
    Shape,
    Sizes,
    dtype_named,
    matrix,
    operand,
)
from pytest_applegpu.forms.quantized import (
    MODES,
    QUANTIZED_MATMUL,
    group_and_bits,
    packed_operands,
    stored_shape,
)

_DTYPES: Final = ("float32", "float16", "bfloat16")

_PARAMS: Final = {name: QUANTIZED_MATMUL.params[name] for name in ("mode", "group", "bits")}


def _weights(sizes: Sizes) -> Operand:
    return matrix("w", sizes.dtype.name, sizes, stored_shape(sizes), transposed=False)


def _named(sizes: Sizes) -> dict[str, Argument]:
    group, bits = group_and_bits(sizes)
    named: dict[str, Argument] = {"group_size": group, "bits": bits}
    if sizes.param("mode") != "affine":
        named["mode"] = sizes.param("mode")
    return named


def _dequantize(sizes: Sizes) -> Invocation:
    names = [one.name for one in packed_operands(sizes)]
    named = _named(sizes)
    if sizes.param("mode") != "affine":
        # Their scales do not tell the format of the result.
        named["dtype"] = dtype_named(sizes.dtype.name)
    return Invocation("dequantize", tuple(operand(name) for name in names), named)


def _check_alone(sizes: Sizes) -> None:
    """Refuse what is no stack of weights by itself.

    Raises:
        ValueError: the message names the part.
    """
    QUANTIZED_MATMUL.check(sizes)
    if sizes.m != 1:
        raise ValueError(f"M = {sizes.m}: weights by themselves have N rows of K, and M is 1")
    if sizes.batch_a != sizes.batch_b:
        raise ValueError("weights by themselves have one batch, as in -b3")
    if sizes.layout("a") != "plain":
        raise ValueError("there is no operand a: say w=, scales= or biases=")


def _check_both(sizes: Sizes) -> None:
    """Refuse what cannot be packed on both sides, and stacks.

    Raises:
        ValueError: the message names the part.
    """
    QUANTIZED_MATMUL.check(sizes)
    if sizes.param("mode") == "affine":
        raise ValueError(f"mode=affine is not one of {', '.join(_FLOATING)}, which qqmm takes")
    if sizes.batch_a or sizes.batch_b:
        raise ValueError("qqmm multiplies two matrices, and takes no batch")


def _qqmm_operands(sizes: Sizes) -> tuple[Operand, ...]:
    right = (_weights(sizes),) if sizes.param("given") == "plain" else packed_operands(sizes)
    return (pair(sizes)[0], *right)


def _qqmm(sizes: Sizes) -> Invocation:
    given = tuple(operand(one.name) for one in _qqmm_operands(sizes))
    return Invocation("qqmm", given, _named(sizes))


def _shape(sizes: Sizes) -> Shape:
    return stored_shape(sizes)


_FLOATING: Final = tuple(mode for mode in MODES if mode != "affine")

QUANTIZE: Final = Form(
    "quantize",
    _PARAMS,
    operands=lambda sizes: (_weights(sizes),),
    batch=batch,
    invoke=lambda sizes: Invocation("quantize", (operand("w"),), _named(sizes)),
    check=_check_alone,
    transposes=("nt",),
    dtypes=_DTYPES,
    result=_shape,
    grid=_shape,
)

DEQUANTIZE: Final = Form(
    "dequantize",
    _PARAMS,
    operands=packed_operands,
    batch=batch,
    invoke=_dequantize,
    check=_check_alone,
    transposes=("nt",),
    dtypes=_DTYPES,
    result=_shape,
    grid=_shape,
)

QQMM: Final = Form(
    "qqmm",
    _PARAMS | {"mode": Param("nvfp4", _FLOATING), "given": Param("packed", ("packed", "plain"))},
    operands=_qqmm_operands,
    batch=batch,
    invoke=_qqmm,
    check=_check_both,
    transposes=("nt", "tt"),
    dtypes=_DTYPES,
)
