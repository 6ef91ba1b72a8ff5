"""Which faults have the launches of these calls?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_applegpu.lint.describe import described
from pytest_applegpu.lint.finding import Finding
from pytest_applegpu.lint.rules import RULES, Rule
from pytest_applegpu.lint.subject import Fault, Subject
from pytest_applegpu.routing.calls import Call
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.target import Target


def lint(asked: Iterable[tuple[Call, Target]], rules: Iterable[Rule] = RULES) -> list[Finding]:
    """Return what the rules find in each call for its target, in the order of the calls.

    Calls that MLX refuses have no launches, and no findings.
    """
    chosen = tuple(rules)
    return [found for call, target in asked for found in of_route(call, target, None, rules=chosen)]


def of_route(
    call: Call, target: Target, route: Route | None = None, *, rules: Iterable[Rule] = RULES
) -> list[Finding]:
    """Return what the rules find in one call; `route` where it is known already."""
    known = route if route is not None else route_of(call, target)
    if known.error is not None:
        return []
    subject = Subject(call, target, known)
    return [_finding(subject, rule, fault) for rule, fault in _faults(subject, rules)]


def _faults(subject: Subject, rules: Iterable[Rule]) -> Iterator[tuple[Rule, Fault]]:
    for rule in rules:
        yield from ((rule, fault) for fault in rule.find(subject))


def _finding(subject: Subject, rule: Rule, fault: Fault) -> Finding:
    target = subject.target
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        family=fault.family,
        text=fault.text,
        op=subject.op,
        arch=target.arch,
        nax=target.nax,
        version=target.version,
        kernels=tuple(launch.kernel for launch in subject.route.launches),
        size=subject.operand_bytes + subject.result_bytes,
        call=described(subject.call, target),
    )
