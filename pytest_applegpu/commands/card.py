"""`applegpu card`: what the arithmetic of each route is like, found through plain `matmul`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.commands.parsing import add_options
from pytest_applegpu.options import Option

OPTIONS: Final = (
    "backend",
    "tf32",
    "arch",
    "nax",
    "mlx",
    "dtypes",
    "baselines",
    "timeout",
    "python",
)
"""Options of a run that bear on what is asked, and on what it is compared with."""

_EPILOG: Final = """\
Every answer is read from products of chosen numbers; docs/card.md says how. Where a card of this
hardware is stored, what has changed since is said. Exit status 1: some answer is `unknown`.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    card = commands.add_parser(
        "card",
        help="say how each route rounds: operands, products, sums, results; and what is repeatable",
        epilog=_EPILOG,
    )
    card.add_argument("--json", action="store_true", help="print JSON")
    add_options(card, OPTIONS)
    card.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Ask every route of every format under every setting, and print the card."""
    from pytest_applegpu.conduct.cards.device import card  # noqa: PLC0415 - only where needed
    from pytest_applegpu.conduct.planning import Plan  # noqa: PLC0415
    from pytest_applegpu.conduct.shelf import shelf_of  # noqa: PLC0415
    from pytest_applegpu.conduct.start import start  # noqa: PLC0415
    from pytest_applegpu.config import read_config  # noqa: PLC0415
    from pytest_applegpu.numerics.card.answer import UNKNOWN  # noqa: PLC0415
    from pytest_applegpu.report.card import card_text  # noqa: PLC0415

    def lookup(option: Option) -> Any:
        return getattr(chosen, option.destination, None)

    here = Path.cwd()
    plan = Plan(read_config(lookup, here, here, lambda option: option.short))
    plan.check()
    bench = start(plan.config, plan)
    try:
        found = card(bench, shelf_of(bench))
    finally:
        bench.pool.close()
    said = json.dumps(found.as_json(), indent=2) if chosen.json else card_text(found.as_json())
    sys.stdout.write(f"{said}\n")
    answers = [one.word for column in found.columns for one in column.features]
    return 1 if UNKNOWN in answers else 0
