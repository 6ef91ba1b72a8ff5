"""`applegpu baselines update`: run the suites and store what they measure."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from pytest_applegpu.commands.parsing import Parser, add_options
from pytest_applegpu.options import OPTIONS


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    baselines = commands.add_parser("baselines", help="the stored measurements of this machine")
    actions = baselines.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    update = actions.add_parser(
        "update",
        help="run the suites and store what they measure",
        epilog="Anything else is handed to pytest: paths of suites, -k, -x and so on.",
    )
    add_options(update, [option.name for option in OPTIONS if option.form != "flag"])
    update.set_defaults(run=run, takes_others=True)


def run(chosen: argparse.Namespace, others: list[str]) -> int:
    """Run the suites with `--applegpu-update-baselines`."""
    words = ["--applegpu-update-baselines"]
    for option in OPTIONS:
        value = getattr(chosen, option.destination, None)
        for one in value if isinstance(value, list) else [value]:
            words += [] if one is None else [option.flag, one]
    if not any(
        not word.startswith("-") and Path(word.partition("::")[0]).exists() for word in others
    ):
        here = Path("suites", "conformance").is_dir()
        words += ["suites"] if here else ["--pyargs", "pytest_applegpu.suites"]
    # A process of its own: pytest imports the suites, and leaves this one as it was.
    os.execv(sys.executable, [sys.executable, "-m", "pytest", *words, *others])  # noqa: S606
