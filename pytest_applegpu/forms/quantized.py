"""Products with packed weights: `quantized_matmul`, and `gather_qmm` of stacks of them.

B is never handed over: its packed codes, scales and biases are. They lie as MLX's `quantize` lays
them: in groups along the rows of B transposed where the layout says `t`, else along those of B.
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
    matrix,
    operand,
)
from pytest_applegpu.forms.gathered import (
    GATHER_PARAMS,
    check_stacks,
    indices,
    named_indices,
    picks,
)

MODES: Final[dict[str, tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "affine": ((32, 64, 128), (1, 2, 3, 4, 5, 6, 8)),
    "mxfp4": ((32,), (4,)),
    "mxfp8": ((32,), (8,)),
    "nvfp4": ((16,), (4,)),
}
"""Each mode's group sizes and bits (MLX's table of quantization modes)."""

_WORD: Final = 32


def group_and_bits(sizes: Sizes) -> tuple[int, int]:
    """Return the group size and the bits of a code; 0 says the mode's own."""
    group, bits = own_packing(sizes.param("mode"))
    return int(sizes.param("group")) or group, int(sizes.param("bits")) or bits


def own_packing(mode: str) -> tuple[int, int]:
    """Return the group size and the bits that MLX takes for a mode where none are said.

    Raises:
        KeyError: there is no such mode.
    """
    groups, bits = MODES[mode]
    return (64, 4) if mode == "affine" else (groups[0], bits[0])


def stored_shape(sizes: Sizes) -> Shape:
    """Return the shape of the unpacked weights as they are stored: (*batch, rows, columns)."""
    if sizes.transpose[1] == "t":
        return (*sizes.batch_b, sizes.n, sizes.k)
    return (*sizes.batch_b, sizes.k, sizes.n)


def packed_operands(sizes: Sizes) -> tuple[Operand, ...]:
    """Return the operands that stand for B: codes in words, scales, and biases where there are."""
    *lead, columns = stored_shape(sizes)
    group, bits = group_and_bits(sizes)
    mode = sizes.param("mode")
    groups = (*lead, columns // group)
    scale = sizes.dtype.name if mode == "affine" else "uint8"
    found = [
        matrix("w", "uint32", sizes, (*lead, columns * bits // _WORD), transposed=False),
        matrix("scales", scale, sizes, groups, transposed=False),
    ]
    if mode == "affine":
        found.append(matrix("biases", scale, sizes, groups, transposed=False))
    return tuple(found)


def _named(sizes: Sizes) -> dict[str, Argument]:
    group, bits = group_and_bits(sizes)
    named: dict[str, Argument] = {"scales": operand("scales")}
    if sizes.param("mode") == "affine":
        named["biases"] = operand("biases")
    else:
        # Versions that have no other mode do not know the word.
        named["mode"] = sizes.param("mode")
    return named | {
        "transpose": sizes.transpose[1] == "t",
        "group_size": group,
        "bits": bits,
    }


def _check(sizes: Sizes) -> None:
    """Refuse weights that cannot be packed.

    Raises:
        ValueError: the mode has no such group or bits, or a row of weights is no whole groups.
    """
    group, bits = group_and_bits(sizes)
    mode = sizes.param("mode")
    groups, widths = MODES[mode]
    if group not in groups or bits not in widths:
        said = f"{'|'.join(map(str, groups))} and bits={'|'.join(map(str, widths))}"
        raise ValueError(f"mode={mode} takes group={said}")
    columns = stored_shape(sizes)[-1]
    if columns % group:
        axis = "K" if sizes.transpose[1] == "t" else "N"
        raise ValueError(f"{axis} = {columns} is no multiple of the group of {group}")
    if sizes.layout("b") != "plain":
        raise ValueError("b= has no layout, as B is packed: say w=, scales= or biases=")


def _check_gathered(sizes: Sizes) -> None:
    _check(sizes)
    check_stacks(sizes)


_PARAMS: Final = {
    "mode": Param("affine", tuple(MODES)),
    "group": Param("0", ("0", "16", "32", "64", "128")),
    "bits": Param("0", ("0", "1", "2", "3", "4", "5", "6", "8")),
}

_DTYPES: Final = ("float32", "float16", "bfloat16")

QUANTIZED_MATMUL: Final = Form(
    "quantized_matmul",
    _PARAMS,
    operands=lambda sizes: (pair(sizes)[0], *packed_operands(sizes)),
    batch=batch,
    invoke=lambda sizes: Invocation(
        "quantized_matmul", (operand("a"), operand("w")), _named(sizes)
    ),
    check=_check,
    dtypes=_DTYPES,
)

GATHER_QMM: Final = Form(
    "gather_qmm",
    _PARAMS | GATHER_PARAMS,
    operands=lambda sizes: (pair(sizes)[0], *packed_operands(sizes), *indices(sizes)),
    batch=picks,
    invoke=lambda sizes: Invocation(
        "gather_qmm",
        (operand("a"), operand("w")),
        _named(sizes) | named_indices(sizes),
    ),
    check=_check_gathered,
    dtypes=_DTYPES,
)
