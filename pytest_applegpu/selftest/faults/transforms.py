"""Transforms of the library that give another result than the calls that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .fault import filled, transform_fault
from .sizes import Sizes

Transform = Callable[..., Any]


def _shared(sizes: Sizes) -> bool:
    """Tell whether a matrix of B serves several of a batch."""
    return filled(sizes) and sizes.batch_b != sizes.batch and bool(sizes.batch)


def _square_enough(sizes: Sizes) -> bool:
    return filled(sizes) and sizes.m > 1 and sizes.n > 1


@transform_fault("vmap", checks=("vmap",))
def mapped_axis_moved(vmap: Transform) -> Transform:
    """Leave the new axis of a mapped result behind the first of the others."""

    def mapping(function: Transform, **axes: Any) -> Transform:
        call = vmap(function, **axes)
        return lambda *given: _swapped(call(*given))

    return mapping


def _swapped(result: Any) -> Any:
    return result if result.ndim < 2 else result.swapaxes(0, 1)


@transform_fault("vmap", checks=("vmap",))
def mapped_once(vmap: Transform) -> Transform:
    """Compute the first of the mapped calls, and repeat what it gives."""

    def mapping(function: Transform, **axes: Any) -> Transform:
        call = vmap(function, **axes)

        def first(*given: Any) -> Any:
            result = call(*given)
            return result[0:1] + 0 * result

        return first

    return mapping


@transform_fault("vmap", checks=("vmap",))
def mapped_last_axis_reversed(vmap: Transform) -> Transform:
    """Take what is mapped along another axis than the first in reverse."""

    def mapping(function: Transform, in_axes: Any = 0, out_axes: Any = 0) -> Transform:
        call = vmap(function, in_axes=in_axes, out_axes=out_axes)
        other = any(axis not in {None, 0} for axis in in_axes)
        return lambda *given: call(*given)[::-1] if other else call(*given)

    return mapping


@transform_fault("vjp", _shared, checks=("gradient",))
def gradient_not_added_up(vjp: Transform) -> Transform:
    """Leave all but the first of a batch out of the gradient of an operand that serves all."""

    def pulled(function: Transform, primals: Any, cotangents: Any) -> Any:
        outputs, gradients = vjp(function, primals, cotangents)
        one = cotangents[0]
        if one.ndim < 3 or one.shape[0] < 2:
            return outputs, gradients
        rest = one.at[1:].multiply(0)
        _, first = vjp(function, primals, [rest])
        shared = [primal.ndim < one.ndim or primal.shape[0] == 1 for primal in primals]
        kept = zip(gradients, first, shared, strict=True)
        return outputs, [few if is_shared else whole for whole, few, is_shared in kept]

    return pulled


@transform_fault("vjp", checks=("gradient",))
def gradient_sign(vjp: Transform) -> Transform:
    """Flip the sign of the last operand's gradient."""

    def pulled(function: Transform, primals: Any, cotangents: Any) -> Any:
        outputs, gradients = vjp(function, primals, cotangents)
        return outputs, [*gradients[:-1], -gradients[-1]]

    return pulled


@transform_fault("vjp", _square_enough, checks=("gradient",))
def gradient_of_last_row_lost(vjp: Transform) -> Transform:
    """Leave the last row of the cotangent out."""

    def pulled(function: Transform, primals: Any, cotangents: Any) -> Any:
        one = cotangents[0]
        if one.ndim < 2 or one.shape[-2] < 2:
            return vjp(function, primals, cotangents)
        outputs, _ = vjp(function, primals, cotangents)
        _, gradients = vjp(function, primals, [one.at[..., -1, :].multiply(0)])
        return outputs, gradients

    return pulled


@transform_fault("compile", checks=("compiled",))
def compiled_keeps_numbers(compile_: Transform) -> Transform:
    """Give the first result of a compiled call again, whatever it is called with."""
    return lambda function, **named: _first_kept(compile_(function, **named), _alike)


@transform_fault("compile", checks=("shapeless",))
def shapeless_keeps_size(compile_: Transform) -> Transform:
    """Give the first result of what was compiled without shapes at every size."""

    def compiling(function: Transform, **named: Any) -> Transform:
        call = compile_(function, **named)
        return _first_kept(call, lambda *_: True) if named.get("shapeless") else call

    return compiling


def _alike(first: Any, now: Any) -> bool:
    return all(one.shape == other.shape for one, other in zip(first, now, strict=True))


def _first_kept(call: Transform, same: Callable[[Any, Any], bool]) -> Transform:
    kept: list[tuple[Any, Any]] = []

    def again(*given: Any) -> Any:
        if not (kept and same(kept[0][0], given)):
            kept[:] = [(given, call(*given))]
        return kept[0][1]

    return again


@transform_fault("import_function", _square_enough, checks=("exported",))
def imported_loses_last_row(import_: Transform) -> Transform:
    """Lose the last row of what an imported function gives."""

    def importing(path: str) -> Transform:
        call = import_(path)

        def lost(*given: Any) -> Any:
            (result,) = call(*given)
            if result.ndim < 2:
                return (result,)
            return (result.at[..., -1, :].multiply(0),)

        return lost

    return importing
