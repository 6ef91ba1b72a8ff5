"""What is the feature card of this device? Every route is asked, as the suite asks it."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import UNFILLED, Case
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.cards.card import conduct
from pytest_applegpu.conduct.cards.routes import Asked, asked, known_by
from pytest_applegpu.conduct.keep import run_of
from pytest_applegpu.conduct.start import refuse_forced
from pytest_applegpu.numerics.card.cards import Card, Column
from pytest_applegpu.setting import Setting


def card(bench: Bench, shelf: Shelf) -> Card:
    """Ask every route of every format, under every setting that the options name.

    Raises:
        pytest.UsageError: a setting forces an architecture that this GPU must not follow.
    """
    device = bench.device
    return Card(
        backend=bench.backend,
        device=str(device.name.value or device.architecture.value or "unknown device"),
        mlx=str(device.mlx_version.value or "unknown"),
        routes=known_by(bench.routes),
        columns=tuple(_columns(bench, shelf)),
    )


def _columns(bench: Bench, shelf: Shelf) -> Iterator[Column]:
    have = backend_dtypes(bench.backend)
    chosen = [dtype for dtype in bench.config.dtypes or have if dtype in have]
    for setting in bench.config.settings:
        for dtype in chosen:
            for one in asked(bench.routes, dtype, setting):
                yield _column(bench, shelf, one, setting)


def _column(bench: Bench, shelf: Shelf, one: Asked, setting: Setting) -> Column:
    case = Case(one.problem, UNFILLED, "card", setting)
    refuse_forced(bench, [case])
    found = conduct(case, bench, shelf, run_of(bench, setting))
    return Column(
        route=one.route,
        dtype=one.problem.dtype.name,
        problem=str(one.problem),
        setting=str(setting),
        features=found.features,
        word=found.verdict,
        changed=found.facts.changed if found.facts else (),
        likely_causes=found.facts.likely_causes if found.facts else (),
    )
