"""How is it said at which sizes a case fails?"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.shrinking.extent import Extent, Seen

_EXAMPLES: Final = 4
"""Sizes of each kind that a sentence names."""


def sentence(name: str, extent: Extent | None, seen: Seen) -> str:
    """Say a rule and the sizes that it rests on."""
    failing = sorted(size for size, failed in seen.items() if failed)
    right = sorted(size for size, failed in seen.items() if not failed)
    if extent is None:
        return f"{_examples(name, failing, right)}: no simple rule"
    if extent.period > 1:
        return f"{_period_words(name, extent)} ({_periodic_examples(extent, seen)})"
    tried = f"(tried from {name} = {min(seen)} to {max(seen)})"
    if extent.first is not None and extent.first == extent.last:
        return f"fails at {name} = {extent.first} alone {tried}"
    parts = [_from(name, extent.first, right), _to(name, extent.last, right)]
    return f"{', '.join(part for part in parts if part)} {tried}"


def _from(name: str, first: int | None, right: list[int]) -> str:
    if first is None:
        return ""
    below = [size for size in right if size < first]
    return f"fails from {name} = {first} on, right at {name} = {below[-1]}"


def _to(name: str, last: int | None, right: list[int]) -> str:
    if last is None:
        return ""
    above = [size for size in right if size > last]
    return f"fails up to {name} = {last}, right at {name} = {above[0]}"


def _period_words(name: str, extent: Extent) -> str:
    start = f", from {name} = {extent.first} on, right below" if extent.first is not None else ""
    no, period, residue = extent.outside, extent.period, extent.residue
    if residue == 0:
        return f"fails where {name} is {'no' if no else 'a'} multiple of {period}{start}"
    return f"fails where {name} is {'not ' if no else ''}{residue} modulo {period}{start}"


def _periodic_examples(extent: Extent, seen: Seen) -> str:
    """Name the members of the class, and what was tried nearest to them."""
    inside = [size for size in sorted(seen) if size >= (extent.first or 0)]
    members = [size for size in inside if size % extent.period == extent.residue]
    others = [size for size in inside if size % extent.period != extent.residue]
    near = [size for size in others if {size - 1, size + 1} & set(members)]
    smallest = [size for size in others if size < extent.period + (extent.first or 0)][:1]
    chosen = sorted({*smallest, *near[: _EXAMPLES - 1]})
    failing, right = (chosen, members) if extent.outside else (members, chosen)
    verb = "fails" if len(failing[:_EXAMPLES]) == 1 else "fail"
    is_right = "is right" if len(right[:_EXAMPLES]) == 1 else "are right"
    return f"{_listed(failing)} {verb}; {_listed(right)} {is_right}"


def _examples(name: str, failing: list[int], right: list[int]) -> str:
    more = ", ..." if len(failing) > _EXAMPLES or len(right) > _EXAMPLES else ""
    return f"fails at {name} = {_listed(failing)}, right at {name} = {_listed(right)}{more}"


def _listed(sizes: list[int]) -> str:
    *first, last = sizes[:_EXAMPLES]
    return f"{', '.join(map(str, first))} and {last}" if first else str(last)
