"""`applegpu …`: the same things without a test run, with the plugin's own options."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_applegpu import __version__
from pytest_applegpu.options import BY_NAME, OPTIONS, Option

DEVICE_OPTIONS: Final = ("backend", "tf32", "timeout", "python")
"""Options of a run that bear on what a device is found to be."""

USAGE: Final = 4
"""Exit status for bad usage, as pytest has it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `applegpu` with `arguments` (those of the process by default); return its status."""
    parser = _parser()
    chosen, others = parser.parse_known_args(arguments)
    run: Callable[[argparse.Namespace, list[str]], int] = chosen.run
    if others and run is not _baselines_update:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        return run(chosen, others)
    except pytest.UsageError as error:
        print(f"applegpu: error: {error}", file=sys.stderr)
        return USAGE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="applegpu", description="MLX matrix multiplication on Apple GPUs")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    device = commands.add_parser("device", help="say which GPU, system and MLX this is, and NAX")
    device.add_argument("--json", action="store_true", help="print JSON")
    _add_options(device, DEVICE_OPTIONS)
    device.set_defaults(run=_device)
    baselines = commands.add_parser("baselines", help="the stored measurements of this machine")
    actions = baselines.add_subparsers(required=True, metavar="ACTION", parser_class=_Parser)
    update = actions.add_parser(
        "update",
        help="run the suites and store what they measure",
        epilog="Anything else is handed to pytest: paths of suites, -k, -x and so on.",
    )
    _add_options(update, [option.name for option in OPTIONS if option.name != "update-baselines"])
    update.set_defaults(run=_baselines_update)
    return parser


def _add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    for name in names:
        option = BY_NAME[name]
        parser.add_argument(
            option.short,
            option.flag,
            dest=option.destination,
            metavar=option.metavar,
            action="append" if option.form == "list" else "store",
            help=f"{option.help} (default: {option.default or 'none'})",
        )


def _device(chosen: argparse.Namespace, _: list[str]) -> int:
    """Start a worker, describe its device, and measure its arithmetic."""
    from pytest_applegpu.config import read_config  # noqa: PLC0415 - only where it is needed
    from pytest_applegpu.report.device import device_table  # noqa: PLC0415
    from pytest_applegpu.report.rerun import Rerun  # noqa: PLC0415
    from pytest_applegpu.session import Session  # noqa: PLC0415

    here = Path.cwd()

    def lookup(option: Option) -> Any:
        return getattr(chosen, option.destination, None)

    session = Session(read_config(lookup, here, here), Rerun())
    try:
        told = session.describe()
    finally:
        session.close()
    print(json.dumps(told.as_json, indent=2) if chosen.json else device_table(told.rows))
    return 1 if told.errors else 0


def _baselines_update(chosen: argparse.Namespace, others: list[str]) -> int:
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


if __name__ == "__main__":
    raise SystemExit(main())
