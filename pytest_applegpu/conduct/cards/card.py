"""How is a route's feature card conducted: asked, compared as stored, and asked again in doubt?"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import to_builtins

from pytest_applegpu.baselines.compare_card import CardComparison, card_changes, compare_card
from pytest_applegpu.baselines.records import Run
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.cards.machine import WorkerMachine
from pytest_applegpu.numerics.card.answer import Feature
from pytest_applegpu.numerics.card.ask import Ask
from pytest_applegpu.numerics.card.questions import features
from pytest_applegpu.report.records import CardFacts, ErrorFacts


@dataclass(frozen=True, slots=True)
class Carded:
    """A verdict about a card, its features with their evidence, and what was compared."""

    verdict: str
    features: tuple[Feature, ...] = ()
    facts: CardFacts | None = None
    error: ErrorFacts | None = None


def conduct(case: Case, bench: Bench, shelf: Shelf, run: Run) -> Carded:
    """Ask a route for its card, and compare it with the one that is stored for this hardware.

    A card that is not as stored, and one that is to be stored, is asked for twice.
    """
    gap = bench.gap(case.problem) or bench.no_room(case)
    if gap is not None:
        return Carded("unsupported", error=ErrorFacts(message=gap))
    first = _asked(case, bench)
    if first.error is not None:
        return first
    found = compare_card(_words(first), run, shelf.card(str(case)))
    if found.word != "card changed" and not bench.config.update_baselines:
        return _compared(first, found, 1)
    second = _asked(case, bench)
    if second.error is not None:
        return second
    unsteady = card_changes(_words(first), _words(second))
    if unsteady:
        found = CardComparison("card unsteady", unsteady, past=found.past)
    return _compared(first, found, 2)


def _asked(case: Case, bench: Bench) -> Carded:
    """Put every question once. A product that did not come is the card's failure."""
    problem = case.problem
    machine = WorkerMachine(bench, problem, case.setting)
    ask = Ask(problem.dtype, problem.m, problem.n, problem.k, problem.batch, machine)
    answers = features(ask)
    if machine.failed is None:
        return Carded("", answers)
    verdict, message = machine.failed
    return Carded(verdict, answers, error=ErrorFacts(message=message))


def _words(carded: Carded) -> dict[str, str]:
    return {one.name: one.word for one in carded.features}


def _compared(first: Carded, found: CardComparison, times: int) -> Carded:
    facts = CardFacts(
        features=_words(first),
        times=times,
        changed=found.changed,
        likely_causes=found.likely_causes,
        run=to_builtins(found.past.run) if found.past else None,
    )
    return Carded(found.word, first.features, facts)
