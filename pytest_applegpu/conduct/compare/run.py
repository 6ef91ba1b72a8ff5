"""How are the products of a comparison run, and what is held of them together?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.cases.case import DEFAULT_FILL, Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.compare.fit import null
from pytest_applegpu.conduct.compare.groups import Pass, passes
from pytest_applegpu.conduct.compare.product import Compared, compare
from pytest_applegpu.conduct.compare.toggle import Toggle
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.conduct.start import refuse_forced
from pytest_applegpu.conduct.versus.sides import two_settings
from pytest_applegpu.setting import Setting
from pytest_applegpu.shapes.shapes import ShapeSet
from pytest_applegpu.words import outcome

FILL: Final = DEFAULT_FILL["throughput"]
"""What timed products are filled with."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared, on what, and what was found; `null` says why both sides are the same."""

    toggle: Toggle
    device: str
    backend: str
    null: str | None
    products: tuple[Compared, ...]
    passes: tuple[Pass, ...]

    @property
    def complete(self) -> bool:
        """Whether every product that this machine can run gave what it should."""
        return not any(map(_failed, self.products))


def _failed(one: Compared) -> bool:
    ended = one.time.verdict if isinstance(one.time, Ended) else "unsupported"
    wrong = any(outcome(word) == "failed" for word in one.numbers.verdicts if word)
    return ended != "unsupported" or wrong


def conduct(
    bench: Bench,
    toggle: Toggle,
    cases: Sequence[Case],
    sets: Sequence[ShapeSet],
    tell: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Compare `cases` and the problems of `sets`, each once; `tell` hears of each that is over.

    Raises:
        pytest.UsageError: a side forces NAX kernels on a GPU without NAX.
        WorkerError: a worker cannot be started.
    """
    first, second = toggle.settings
    asked = _asked(cases, sets, first)
    refuse_forced(bench, [replace(asked[0], setting=one) for one in toggle.settings])
    sides = two_settings(bench, first, second, len(asked), toggle.names[1])
    found: dict[Case, Compared] = {}
    for number, case in enumerate(asked, 1):
        found[case] = compare(case, sides, toggle.names)
        tell(f"{number} of {len(asked)} compared: {case.problem}")
    by_problem = {case.problem: one for case, one in found.items() if case.fill == FILL}
    return Comparison(
        toggle,
        f"{bench.device.name}, MLX {bench.device.mlx_version}",
        bench.backend,
        null(bench, toggle),
        tuple(found.values()),
        tuple(passes(sets, by_problem)),
    )


def _asked(cases: Sequence[Case], sets: Sequence[ShapeSet], setting: Setting) -> list[Case]:
    """Return what was asked for by text, then what sets hold beside it, each once."""
    problems = (problem for one in sets for problem in one.problems)
    shaped = (Case(problem, FILL, "throughput", setting) for problem in problems)
    return list(dict.fromkeys((*cases, *shaped)))
