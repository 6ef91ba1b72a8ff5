"""`applegpu device`: which GPU, system and MLX this is."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.commands.parsing import add_options
from pytest_applegpu.options import Option

OPTIONS: Final = ("backend", "arch", "nax", "mlx", "tf32", "timeout", "python")
"""Options of a run that bear on what a device is found to be."""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    device = commands.add_parser("device", help="say which GPU, system and MLX this is, and NAX")
    device.add_argument("--json", action="store_true", help="print JSON")
    add_options(device, OPTIONS)
    device.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
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
    said = json.dumps(told.as_json, indent=2) if chosen.json else device_table(told.rows)
    sys.stdout.write(f"{said}\n")
    return 1 if told.errors else 0
