"""What have the parsers of all commands in common? Exit statuses, and the plugin's options."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from pytest_applegpu.options import BY_NAME

USAGE: Final = 4
"""Exit status for bad usage, as pytest has it."""


class Parser(argparse.ArgumentParser):
    """A parser that ends with pytest's status for bad usage."""

    def error(self, message: str) -> Any:
        """Print usage and message, and end."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """Add options of the plugin under both of their names."""
    for name in names:
        option = BY_NAME[name]
        add_option(parser, name, f"{option.help} (default: {option.default or 'none'})")


def add_option(
    parser: argparse.ArgumentParser,
    name: str,
    words: str,
    choices: Sequence[str] | None = None,
    *,
    metavar: str | None = None,
) -> None:
    """Add one option of the plugin, with what it means here."""
    option = BY_NAME[name]
    parser.add_argument(
        option.short,
        option.flag,
        dest=option.destination,
        metavar=metavar or option.metavar,
        choices=choices,
        action="append" if option.form == "list" else "store",
        help=words,
    )
