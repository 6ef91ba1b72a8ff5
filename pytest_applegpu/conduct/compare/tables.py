"""How is a comparison said in tables? Products, geometric means, and passes of models.

A speed-up is the second side's time over the first one's: above 1, the first side is faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tabulate import tabulate

from pytest_applegpu.conduct.compare.groups import Pass, by_group, by_route, route_of
from pytest_applegpu.conduct.compare.product import Compared
from pytest_applegpu.conduct.compare.run import Comparison
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.numerics.bits import Bits
from pytest_applegpu.report.phrases import duration, escaped, number
from pytest_applegpu.throughput.paired import Geometric

PLAIN: Final = "plain"
MARKDOWN: Final = "github"

CASE: Final = 64
"""Characters of a case in a table."""

NONE: Final = "-"

Ratio = tuple[float, float, float]


def comparison_text(found: Comparison, form: str = PLAIN) -> str:
    """Return all that is said of a comparison; `form` is one of tabulate's."""
    first, second = found.toggle.names
    lines = [
        f"{found.device}: {first} against {second}",
        f"speed-up: time of {second} over time of {first}; above 1, {first} is faster",
        *([f"note: {found.null}"] if found.null else []),
    ]
    return "\n\n".join(
        [
            "\n".join(lines),
            _products(found, form),
            *_notes(found.products),
            *_means("route", by_route(found.products), form),
            *_means("group", by_group(found.products), form),
            *_passes(found, form),
        ]
    )


def _products(found: Comparison, form: str) -> str:
    first, second = found.toggle.names
    routed = any(any(one.routes) for one in found.products)
    errors = (f"error {first}", f"error {second}")
    head = ("product", first, second, "speed-up", "95 %", "bits", *errors)
    rows = [_product(one, routed=routed) for one in found.products]
    return _table((*head, *(("route",) if routed else ())), rows, form)


def _product(one: Compared, *, routed: bool) -> tuple[str, ...]:
    time = one.paired
    times = (duration(time.seconds), duration(time.other_seconds)) if time else (NONE, NONE)
    doubt = " unstable" if one.doubt else ""
    ratio = _speed_up((time.ratio, time.low, time.high)) if time else (_word(one), NONE)
    text = f"{one.case.problem}" + (f" fill={one.case.fill}" if one.case.fill != "normal" else "")
    return (
        escaped(text, CASE),
        *times,
        f"{ratio[0]}{doubt}",
        ratio[1],
        bits_text(one.numbers.bits),
        *(NONE if error is None else number(error) for error in one.numbers.errors),
        *((route_of(one) or NONE,) if routed else ()),
    )


def _word(one: Compared) -> str:
    return one.time.verdict if isinstance(one.time, Ended) else ""


def bits_text(bits: Bits | None) -> str:
    """Return how far two results are apart: `same`, or `12 of 4096, 2 ULP`."""
    if bits is None:
        return NONE
    if bits.misfit is not None:
        return escaped(bits.misfit)
    if bits.identical:
        return "same"
    far = "" if bits.ulp is None else f", {number(bits.ulp)} ULP"
    return f"{bits.differing} of {bits.total}{far}"


def _notes(products: Sequence[Compared]) -> Iterator[str]:
    """Yield why products have no time, or an unstable one, each reason once; wrong results too."""
    said: dict[str, None] = {}
    for one in products:
        if isinstance(one.time, Ended):
            said[f"{one.time.verdict}: {escaped(one.time.message)}"] = None
        elif one.doubt:
            said[f"unstable: {one.case.problem}: {escaped(one.doubt)}"] = None
        if {"over", "misshapen"} & set(one.numbers.verdicts):
            words = " and ".join(one.numbers.verdicts)
            said[f"wrong: {one.case.problem}: {words}, first side and second"] = None
    if said:
        yield "\n".join(said)


def _means(name: str, means: Mapping[str, Geometric], form: str) -> Iterator[str]:
    if means:
        rows = [
            (escaped(key, CASE), str(one.cases), *_speed_up((one.ratio, one.low, one.high)))
            for key, one in means.items()
        ]
        yield _table((name, "products", "geometric mean", "95 %"), rows, form)


def _passes(found: Comparison, form: str) -> Iterator[str]:
    if not found.passes:
        return
    first, second = found.toggle.names
    speeds = (f"tokens/s {first}", f"tokens/s {second}")
    head = ("pass", "tokens", first, second, *speeds, "speed-up", "95 %")
    yield _table(head, [_pass(one) for one in found.passes], form)
    yield "a pass is its products alone, one after another, without what a model does in between"
    for one in found.passes:
        yield from _parts(one, found.toggle.names, form)


def _pass(one: Pass) -> tuple[str, ...]:
    tokens = str(one.tokens) if one.tokens else NONE
    if one.whole is None:
        return (pass_name(one), tokens, *[NONE] * 6)
    both = (one.whole.seconds, one.whole.other_seconds)
    speeds = (number(one.tokens / each) if one.tokens else NONE for each in both)
    ratio = _speed_up((one.whole.ratio, one.whole.low, one.whole.high))
    return (pass_name(one), tokens, *map(duration, both), *speeds, *ratio)


def pass_name(one: Pass) -> str:
    """Return the set and the phase: `llama-2-7b-4bit prefill`; a star where products lack."""
    return f"{one.name} {one.phase}".strip() + ("*" if one.untimed else "")


def _parts(one: Pass, names: tuple[str, str], form: str) -> Iterator[str]:
    """Yield a pass product by product: how often, how long, and which share of the whole."""
    if one.whole is not None:
        shares = zip(one.whole.shares, one.whole.other_shares, strict=True)
        rows = []
        for (shape, each), both in zip(one.timed, shares, strict=True):
            time = each.paired
            assert time is not None
            rows.append(
                (
                    escaped(str(shape.problem), CASE),
                    escaped(shape.part, CASE) or NONE,
                    str(shape.count),
                    duration(time.seconds),
                    duration(time.other_seconds),
                    *(f"{100 * share:.1f} %" for share in both),
                    _speed_up((time.ratio, time.low, time.high))[0],
                )
            )
        head = (pass_name(one), "part", "count", *names, *(f"share {name}" for name in names))
        yield _table((*head, "speed-up"), rows, form)
    if one.untimed:
        texts = ", ".join(f"{shape.count} x {shape.problem}" for shape in one.untimed)
        yield f"* {pass_name(one).removesuffix('*')} is without what has no time: {texts}"


def _speed_up(ratio: Ratio) -> tuple[str, str]:
    """Return the speed-up and its interval, of a ratio of times, first side over second."""
    middle, low, high = ratio
    return f"{1 / middle:.3f}x", f"{1 / high:.3f}-{1 / low:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    if form == MARKDOWN:
        return tabulate(rows, head, tablefmt=form, disable_numparse=True)
    return tabulate([head, *rows], tablefmt=form, disable_numparse=True)
