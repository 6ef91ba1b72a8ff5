"""Who is right? A case that failed, run elsewhere on the same numbers."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct import numbers
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.elsewhere import Elsewhere, places
from pytest_applegpu.numerics.bounds import Arithmetic
from pytest_applegpu.operations.drawn import Drawn
from pytest_applegpu.report.records import BlameFacts
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import WorkerError


@dataclass
class _Given(Bench):
    """A bench whose cases have the numbers of another one."""

    given: Drawn = field(kw_only=True)

    def drawn(self, case: Case, arithmetic: Arithmetic) -> Drawn:  # noqa: ARG002 - one for all
        """Return what was given, whichever the case."""
        return self.given


def blamed(case: Case, bench: Bench) -> tuple[BlameFacts, ...]:
    """Run `case` in every other way there is; an ending without an answer is a verdict too."""
    given = bench.drawn(case, bench.arithmetic(case.problem, case.setting))
    with ExitStack() as opened:
        here = _bench(bench, given)
        there = _on_cpu(bench, given, opened)
        return tuple(_run(place, there if place.on_cpu else here) for place in places(case, bench))


def _bench(bench: Bench, given: Drawn, **changed: Any) -> Bench:
    own = {one.name: getattr(bench, one.name) for one in fields(bench)}
    return _Given(**(own | changed), given=given)


def _on_cpu(bench: Bench, given: Drawn, opened: ExitStack) -> Bench:
    """Return a bench of MLX's CPU backend in the same interpreter; its workers start when used."""
    pool = opened.enter_context(Pool(bench.pool.python, "cpu", bench.environment))
    device = replace(bench.device, backend="cpu")
    return _bench(bench, given, pool=pool, device=device, _precisions={}, _unlike=set())


def _run(place: Elsewhere, bench: Bench) -> BlameFacts:
    try:
        bench.pool.hello(place.case.setting)
    except WorkerError as error:
        return BlameFacts(where=place.where, note=str(error))
    found = numbers.conduct(place.case, bench)
    said = found.error.cause or found.error.message if found.error else None
    verdict = None if found.verdict == "unsupported" else found.verdict
    return BlameFacts(where=place.where, verdict=verdict, note=said)
