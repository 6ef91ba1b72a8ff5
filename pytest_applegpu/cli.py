"""`applegpu …`: the same things without a test run, with the plugin's own options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

import pytest

from pytest_applegpu import __version__
from pytest_applegpu.commands import (
    baselines,
    card,
    compare,
    device,
    record,
    roofline,
    route,
    selftest,
    shapes,
    sweep,
)
from pytest_applegpu.commands.parsing import USAGE, Parser

PIPE_CLOSED: Final = 141
"""Exit status where the reader of the output has left, as a shell gives it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `applegpu` with `arguments` (those of the process by default); return its status."""
    parser = _parser()
    chosen, others = parser.parse_known_args(arguments)
    run: Callable[[argparse.Namespace, list[str]], int] = chosen.run
    if others and not getattr(chosen, "takes_others", False):
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        status = run(chosen, others)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has enough. Python would flush once more, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except pytest.UsageError as error:
        sys.stdout.flush()  # what was found before stands before the error
        sys.stderr.write(f"applegpu: error: {error}\n")
        return USAGE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="applegpu", description="MLX matrix multiplication on Apple GPUs")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for command in (
        device,
        card,
        route,
        baselines,
        selftest,
        shapes,
        record,
        sweep,
        compare,
        roofline,
    ):
        command.add_to(commands)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
