"""What is asked of a route, and in which order?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_applegpu.numerics.card import accumulator, fused, products, steps
from pytest_applegpu.numerics.card.accumulator import Width, width
from pytest_applegpu.numerics.card.alike import CALLS_NAME, ROWS_NAME, calls, order, rows
from pytest_applegpu.numerics.card.answer import Feature, unknown
from pytest_applegpu.numerics.card.ask import Ask, UnansweredError
from pytest_applegpu.numerics.card.complexes import complexes
from pytest_applegpu.numerics.card.losses import losses
from pytest_applegpu.numerics.card.operands import operand
from pytest_applegpu.numerics.card.results import NAME as RESULTS
from pytest_applegpu.numerics.card.results import results
from pytest_applegpu.numerics.card.subnormals import NAME as SUBNORMAL
from pytest_applegpu.numerics.card.subnormals import subnormals


def features(ask: Ask) -> tuple[Feature, ...]:
    """Ask everything; a question that gets no answer says why in its line."""
    return (
        *_factors(ask),
        *_sums(ask),
        *_tried(SUBNORMAL, lambda: subnormals(ask)),
        *_tried("order of terms", lambda: [order(ask)]),
        *_tried(ROWS_NAME, lambda: [rows(ask)]),
        *_tried(CALLS_NAME, lambda: [calls(ask)]),
        *_tried("complex product", lambda: complexes(ask)),
    )


def _tried(name: str, question: Callable[[], Sequence[Feature]]) -> Sequence[Feature]:
    try:
        return question()
    except UnansweredError as error:
        return [unknown(name, str(error))]


def _factors(ask: Ask) -> Sequence[Feature]:
    """Ask what becomes of operands, and of products of the bits that are kept of both."""
    try:
        kept = [operand(ask, side) for side in "AB"]
    except UnansweredError as error:
        return [unknown(name, str(error)) for name in ("operand A", "operand B", products.NAME)]
    bits = min(one.bits for one in kept)
    lines = [one.feature for one in kept]
    if not bits:
        return [*lines, unknown(products.NAME, "what is kept of operands is not known")]
    return [*lines, *_tried(products.NAME, lambda: [products.products(ask, bits)])]


def _sums(ask: Ask) -> Sequence[Feature]:
    """Ask what becomes of sums: how wide they are, how rounded, of how many terms at once."""
    try:
        found = losses(ask)
        wide = width(ask, found)
    except UnansweredError as error:
        names = (accumulator.NAME, steps.ROUNDING, steps.EXTRA, fused.NAME, RESULTS)
        return [unknown(name, str(error)) for name in names]
    return [
        wide.feature,
        *_rounded(ask, wide),
        fused.fused(found),
        *_tried(RESULTS, lambda: [results(ask, wide.bits)]),
    ]


def _rounded(ask: Ask, wide: Width) -> Sequence[Feature]:
    way = wide.way
    if way is None:
        why = "no sum was seen to be rounded"
        return [unknown(steps.ROUNDING, why), unknown(steps.EXTRA, why)]
    try:
        return steps.steps(ask, wide.bits, way)
    except UnansweredError as error:
        return [unknown(steps.ROUNDING, str(error)), unknown(steps.EXTRA, str(error))]
