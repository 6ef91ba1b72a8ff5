"""Which dispatch rules lie between two neighbours, of which one case is right and one fails?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pytest_applegpu.cases.shrinking.edges import Crossing
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.routing.launch import Reason, Route

_CHOSEN: Final = ("partitions", "partition_size", "swizzle_log")
"""Numbers handed to a kernel that dispatch chooses; the others follow from the sizes."""

_VARIANT: Final = re.compile(r"(?:MN|K)_n?t?aligned|align_[MNK]_[nt]")
"""What a kernel's name says of whole tiles."""


def crossed(crossings: Iterable[Crossing], routes: Routes) -> tuple[str, ...]:
    """Say for each step in a size which rules decide otherwise, or that none does, where one could.

    Where nothing changes at the smallest sizes, it may still do so at those that were asked for.
    """
    steps: dict[tuple[str, str], dict[str, list[str]]] = {}
    for one in crossings:
        change = _change(one, routes)
        if change is not None:
            found = steps.setdefault(_step(one, routes), {})
            found.setdefault(change, []).append(str(one.wrong.problem))
    return tuple(said for step, found in steps.items() for said in _said(*step, found, routes))


def _said(arch: str, step: str, found: Mapping[str, list[str]], routes: Routes) -> Iterator[str]:
    here = "" if routes.here else "not run here: "
    for change, problems in found.items():
        if change:
            where = ", ".join(problems)
            yield f"{here}dispatch of {arch} changes {step}: {change} ({where})"
    if routes.here and not any(found):
        yield f"dispatch of {arch} does not change {step}"


def _step(one: Crossing, routes: Routes) -> tuple[str, str]:
    """Return whose dispatch it is, and the step in words."""
    own = routes.gpu.arch if routes.gpu else None
    arch = one.wrong.setting.dispatched(own) or own or "no known GPU"
    low, high = one.axis.of(one.right), one.axis.of(one.wrong)
    return arch, f"from {one.axis.name} = {low} to {high}"


def _change(one: Crossing, routes: Routes) -> str | None:
    """Return what changes, empty where nothing does; None where no rules are known."""
    right, wrong = (routes.route(case.problem, case.setting) for case in (one.right, one.wrong))
    if right is None or wrong is None:
        return None
    return "" if _decided(right) == _decided(wrong) else "; ".join(_changes(right, wrong, one))


def _decided(route: Route) -> tuple[object, ...]:
    return tuple(
        (one.kernel, one.suffix, *(one.params.get(name) for name in _CHOSEN))
        for one in route.launches
    )


def _changes(right: Route, wrong: Route, one: Crossing) -> Iterator[str]:
    """Yield the rules taken on one side alone, else values of the same rules, else variants."""
    if [reason.rule for reason in right.reasons] != [reason.rule for reason in wrong.reasons]:
        yield f"{_alone(right, wrong)} -> {_alone(wrong, right)}"
        return
    changed = [
        f"{first.rule}: {first.values} -> {second.values}"
        for first, second in zip(right.reasons, wrong.reasons, strict=True)
        if _without(first, one.axis.of(one.right)) != _without(second, one.axis.of(one.wrong))
    ]
    yield from changed
    for first, second in zip(right.kernels, wrong.kernels, strict=False):
        yield from _variants(first, second)


def _alone(route: Route, other: Route) -> str:
    """Return the reasons of a route whose rules the other one did not come to."""
    rules = {reason.rule for reason in other.reasons}
    own = [str(reason) for reason in route.reasons if reason.rule not in rules]
    return f"{route.path} ({'; '.join(own)})" if own else route.path


def _without(reason: Reason, size: int) -> str:
    """Return the values of a reason but for the size that differs between the two anyway."""
    return re.sub(rf"\b{size}\b", "", reason.values)


def _variants(first: str, second: str) -> Iterator[str]:
    """Yield what two kernels' names say otherwise of whole tiles, else the names."""
    words = [_VARIANT.findall(name) for name in (first, second)]
    changed = [f"{old} -> {new}" for old, new in zip(*words, strict=False) if old != new]
    yield from changed or ([f"{first} -> {second}"] if first != second else [])
