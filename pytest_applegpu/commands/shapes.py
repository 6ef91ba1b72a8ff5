"""`applegpu shapes`: which sets of shapes are there, and what is in one?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_applegpu.shapes.shapes import Shape

_EPILOG: Final = """\
A set is printed as the TOML that --applegpu-shapes reads, to be kept and changed: docs/shapes.md.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    shapes = commands.add_parser(
        "shapes", help="list the shipped sets of shapes, or print one", epilog=_EPILOG
    )
    shapes.add_argument(
        "names", nargs="*", metavar="NAME", help="a shipped set, or a file ending in .toml"
    )
    shapes.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Print the list of sets, or those that were named.

    Raises:
        pytest.UsageError: there is no such set, or a file is none.
    """
    from pytest_applegpu.shapes.models import shapes_named  # noqa: PLC0415 - only where needed
    from pytest_applegpu.shapes.shapes import ShapesError  # noqa: PLC0415
    from pytest_applegpu.shapes.write import shapes_text  # noqa: PLC0415

    try:
        sets = [shapes_named(name) for name in chosen.names]
    except ShapesError as error:
        raise pytest.UsageError(f"shapes: {error}") from None
    sys.stdout.write("\n".join(map(shapes_text, sets)) if sets else f"{_listed()}\n")
    return 0


def _listed() -> str:
    from tabulate import tabulate  # noqa: PLC0415

    from pytest_applegpu.shapes.models import shipped  # noqa: PLC0415

    rows = [
        (one.name, len(one.problems), *_work(one.shapes), one.how) for one in shipped().values()
    ]
    head = ("set", "problems", "TFLOP prefill", "GFLOP decode", "what")
    return tabulate(rows, head, floatfmt=".3g")


def _work(shapes: Iterable[Shape]) -> tuple[float | None, float | None]:
    """Return the work of a prefill in TFLOP, and that of a decoded token in GFLOP."""
    work = dict.fromkeys(("prefill", "decode"), 0)
    for one in shapes:
        work[one.phase] += one.count * one.problem.flops
    return work["prefill"] / 1e12 or None, work["decode"] / 1e9 or None
