"""Which one-step simplifications has a case, apart from its sizes? The boldest come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any, Final

from pytest_applegpu.cases.case import DEFAULT_FILL, Case
from pytest_applegpu.problem import Batch, Problem
from pytest_applegpu.views import parse_layout

Said = tuple[str, Case]
"""What is simplified, as `a=plain instead of a=pad:8`, and the case that is left."""

_NUMBERS: Final = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of a layout that are tried in the place of a larger one."""


def plainest(case: Case) -> Case | None:
    """Return the case with everything simplified that can be; None where nothing is left to do."""
    fields: tuple[Mapping[str, Any], ...] = (
        {"params": ()},
        {"layouts": (), "layout_a": "plain", "layout_b": "plain", "batch_a": (), "batch_b": ()},
        {"transpose": "nn"},
    )
    plain = case
    for changed in fields:
        plain = _changed(plain, changed) or plain
    plain = next((one for _, one in _filled(plain)), plain)
    return None if plain == case else plain


def plainer(case: Case) -> Iterator[Said]:
    """Yield each single simplification: of batch, layouts, transposes, parameters and fill."""
    for said, changed in _changes(case.problem):
        found = _changed(case, changed)
        if found is not None and found != case:
            yield said, found
    yield from _filled(case)


def _changed(case: Case, changed: Mapping[str, Any]) -> Case | None:
    """Return the case with its problem changed; None where the parts would not fit together."""
    try:
        return replace(case, problem=replace(case.problem, **changed))
    except ValueError:
        return None


Change = tuple[str, dict[str, Any]]


def _changes(problem: Problem) -> Iterator[Change]:
    yield from _batches(problem)
    yield from _layouts(problem)
    for transpose in dict.fromkeys(("nn", "n" + problem.transpose[1], problem.transpose[0] + "n")):
        yield f"{transpose} instead of {problem.transpose}", {"transpose": transpose}
    for name, value in problem.params:
        default = problem.form.params[name].default
        kept = tuple(pair for pair in problem.params if pair[0] != name)
        yield f"{name}={default} instead of {name}={value}", {"params": kept}


def _batches(problem: Problem) -> Iterator[Change]:
    a, b = problem.batch_a, problem.batch_b
    whole = problem.batch
    if not (a or b):
        return
    yield "no batch", {"batch_a": (), "batch_b": ()}
    if len(whole) > 1:
        one = (prod(whole),)
        yield f"a batch of {one[0]}", {"batch_a": one, "batch_b": one}
    if a != b:
        yield "the same batch for both operands", {"batch_a": whole, "batch_b": whole}
    for place in range(len(whole), 0, -1) if len(whole) > 1 else ():
        left, right = _without(a, place), _without(b, place)
        yield f"no batch axis {len(whole) - place}", {"batch_a": left, "batch_b": right}


def _without(batch: Batch, place: int) -> Batch:
    """Leave out the axis that is `place` from the last one, where there is one."""
    at = len(batch) - place
    return (*batch[:at], *batch[at + 1 :]) if at >= 0 else batch


def _layouts(problem: Problem) -> Iterator[Change]:
    fields: dict[str, Callable[[str], dict[str, Any]]] = {
        "a": lambda layout: {"layout_a": layout},
        "b": lambda layout: {"layout_b": layout},
    }
    for name, _ in problem.layouts:
        fields[name] = lambda layout, name=name: {"layouts": _other(problem, name, layout)}  # type: ignore[misc]
    for name, field in fields.items():
        for layout in _plainer_layouts(problem.layout(name)):
            yield f"{name}={layout} instead of {name}={problem.layout(name)}", field(layout)


def _other(problem: Problem, name: str, layout: str) -> tuple[tuple[str, str], ...]:
    pairs = {**dict(problem.layouts), name: layout}
    return tuple((one, said) for one, said in pairs.items() if said != "plain")


def _plainer_layouts(layout: str) -> Iterator[str]:
    if layout == "plain":
        return
    yield "plain"
    name, number = parse_layout(layout)
    yield from (f"{name}:{less}" for less in _NUMBERS if less < number)


def _filled(case: Case) -> Iterator[Said]:
    """Yield plainer fills: exact integers, then the plainest of the check that is made."""
    rank = [("exact", "integer")] if case.check != "repeat" else []
    rank.append((case.check, DEFAULT_FILL[case.check]))
    for check, fill in dict.fromkeys(rank):
        if (check, fill) == (case.check, case.fill):
            return
        words = f"fill={fill} check={check}" if check != case.check else f"fill={fill}"
        yield f"{words} instead of fill={case.fill}", replace(case, fill=fill, check=check)
