"""Which kernels do `matmul` and `addmm` launch?"""

from __future__ import annotations

from ctypes import c_float

from pytest_applegpu.routing.arrays import Array, dense
from pytest_applegpu.routing.broadcasting import batches_together
from pytest_applegpu.routing.calls import AddMM, Matmul
from pytest_applegpu.routing.checks import REAL, as_matrices, inner_sizes
from pytest_applegpu.routing.copies import fill, general_copy, vector_copy
from pytest_applegpu.routing.dense.addend import addend, adjusted
from pytest_applegpu.routing.dense.given import given
from pytest_applegpu.routing.dense.kernels import launch_product
from pytest_applegpu.routing.dense.product import product
from pytest_applegpu.routing.dense.rules import RULES
from pytest_applegpu.routing.elementwise import arithmetic, binary_into, number
from pytest_applegpu.routing.formats import INEXACT, converted, dtype_words, promoted
from pytest_applegpu.routing.launch import Refused, Tape
from pytest_applegpu.routing.reshape import flattened
from pytest_applegpu.routing.target import Target


def matmul(call: Matmul, target: Target, tape: Tape) -> Array:
    """Write down what MLX launches for a @ b, and return the row-major result.

    Raises:
        Refused: operands without axes, sizes that do not fit, or integers.
    """
    a, b = as_matrices("matmul", call.a, call.b)
    inner_sizes("matmul", a, b)
    dtype = _inexact(a, b)
    a = converted(tape, a, dtype)
    if call.a.ndim > 2 and call.b.ndim <= 2:
        tape.because("one b for a batch of a: rows of a are flattened", f"{a.shape}")
        a = flattened(tape, a)
    a, b = batches_together(a, converted(tape, b, dtype))
    _matrices(call, target, tape, a, b)
    return dense(_result_shape(call.a, call.b, a, b), dtype)


def _matrices(call: Matmul, target: Target, tape: Tape, a: Array, b: Array) -> None:
    if a.size and b.size:
        launch_product(tape, product(tape, a, b), given(call.a, call.b), target)
        return
    tape.because("an operand without elements: zeros", f"{a.shape} @ {b.shape}")
    out = dense((*a.shape[:-1], b.shape[-1]), a.dtype)
    fill(tape, out)


def _inexact(a: Array, b: Array) -> str:
    dtype = promoted(a.dtype, b.dtype)
    if dtype not in INEXACT:
        one, other, both = map(dtype_words, (a.dtype, b.dtype, dtype))
        raise Refused(
            f"[matmul] Only inexact types are supported but {one} and {other} were provided "
            f"which results in {both}, which is not a floating point type."
        )
    return dtype


def _result_shape(given_a: Array, given_b: Array, a: Array, b: Array) -> tuple[int, ...]:
    """Return the shape of the result: flattened rows unfolded, axes put in for vectors gone."""
    if given_a.ndim > 2 and given_b.ndim <= 2:
        return given_a.shape[:-1] + given_b.shape[1:]
    return adjusted((*a.shape[:-1], b.shape[-1]), given_a.ndim, given_b.ndim)


def addmm(call: AddMM, target: Target, tape: Tape) -> Array:
    """Write down what MLX launches for alpha * (a @ b) + beta * c, and return the result.

    Raises:
        Refused: operands without axes, sizes that do not fit, integers, or a c that does not
            broadcast to the result.
    """
    as_matrices("addmm", call.a, call.b)
    dtype = promoted(promoted(call.a.dtype, call.b.dtype), call.c.dtype)
    if dtype == "complex64":
        return _unfused(call, target, tape)
    a, b = as_matrices("addmm", call.a, call.b)
    inner_sizes("addmm", a, b)
    _real(call, dtype)
    a, b, c = addend(tape, call, *(converted(tape, x, dtype) for x in (a, b, call.c)))
    _fused(call, target, tape, a, b, c)
    return dense(_result_shape(call.a, call.b, a, b), dtype)


def _real(call: AddMM, dtype: str) -> None:
    if dtype not in REAL:
        c, a, b, result = map(dtype_words, (call.c.dtype, call.a.dtype, call.b.dtype, dtype))
        raise Refused(
            f"[addmm] Only real floating point types are supported but {c}, {a} and {b} were "
            f"provided which results in {result}, which is not a real floating point type."
        )


def _unfused(call: AddMM, target: Target, tape: Tape) -> Array:
    """Write down a matmul, two multiplications and a sum: complex numbers have no fused kernel."""
    tape.because("complex: product, alpha, beta and sum one after another")
    product_ab = matmul(Matmul(call.a, call.b), target, tape)
    scaled = arithmetic(tape, "Multiply", product_ab, number("float32"))
    scaled = converted(tape, scaled, "complex64")
    added = arithmetic(tape, "Multiply", number("float32"), call.c)
    return arithmetic(tape, "Add", scaled, added)


def _fused(  # noqa: PLR0917 - a call, its target, and its operands as they meet
    call: AddMM, target: Target, tape: Tape, a: Array, b: Array, c: Array
) -> None:
    alpha, beta = c_float(call.alpha).value, c_float(call.beta).value
    if c.size == 0:
        tape.because("a result without elements: nothing to do", f"{c.shape}")
    elif a.shape[-1] == 0:
        _without_k(tape, c, beta, scales=RULES.at(target.version).scales_c)
    else:
        summed = product(tape, a, b, c, alpha, beta)
        launch_product(tape, summed, given(call.a, call.b), target)


def _without_k(tape: Tape, c: Array, beta: float, *, scales: bool) -> None:
    """Write down beta * c, or a copy of c, for a product of nothing."""
    tape.because("K = 0: c alone", f"beta {beta}")
    if scales and beta != 1.0:
        binary_into(tape, "Multiply", c, number(c.dtype))
    elif c.row_contiguous:
        tape.add(vector_copy(c, c.dtype))
    else:
        tape.add(general_copy(c, dense(c.shape, c.dtype)))
