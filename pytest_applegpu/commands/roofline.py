"""`applegpu roofline`: the timed cases of report logs under the peaks of their chip."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

if TYPE_CHECKING:
    from pytest_applegpu.report.records import Record

FORMATS: Final = (".png", ".svg")
INSTALL: Final = "pip install matplotlib"


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    roofline = commands.add_parser(
        "roofline",
        help="peaks, share reached and which side binds, from report logs",
        epilog="A LOG is what --applegpu-report-log wrote; all must be of one device.",
    )
    roofline.add_argument("logs", nargs="+", metavar="LOG")
    roofline.add_argument("--plot", metavar="FILE", help="draw it: .png or .svg")
    roofline.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Print the section, and draw it where that is asked for.

    Raises:
        pytest.UsageError: a log cannot be read, or has no timed case of a chip that is known.
    """
    from pytest_applegpu.conduct.roofline import told  # noqa: PLC0415 - only where needed

    records = [one for log in chosen.logs for one in _timed(Path(log).expanduser())]
    devices = sorted({str(one.device) for one in records})
    if len(devices) > 1:
        raise pytest.UsageError(f"LOG: {' and '.join(devices)} are not compared with each other")
    text = told(records)
    if not text:
        raise pytest.UsageError("LOG: no timed case of a chip whose peaks are known")
    sys.stdout.write(f"{devices[0]}\n{text}\n")
    if chosen.plot is not None:
        _draw(records, devices[0], Path(chosen.plot).expanduser())
    return 0


def _timed(path: Path) -> list[Record]:
    from pytest_applegpu.report.records import from_builtins  # noqa: PLC0415

    try:
        lines = path.read_bytes().splitlines()
        found = [from_builtins(msgspec.json.decode(line)) for line in lines if line.strip()]
    except OSError as error:
        raise pytest.UsageError(f"LOG: {path} cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise pytest.UsageError(f"LOG: {path} is no report log: {error}") from None
    return [one for one in found if one.time is not None]


def _draw(records: list[Record], device: str, path: Path) -> None:
    from pytest_applegpu.conduct.roofline import references, spots  # noqa: PLC0415
    from pytest_applegpu.survey.roofline_picture import draw_roofline  # noqa: PLC0415

    if path.suffix not in FORMATS:
        raise pytest.UsageError(f"--plot: {path.name!r} does not end in {' or '.join(FORMATS)}")
    drawn = spots(records)
    dense = {one.case: one.intensity for one in drawn}
    published = [(dense[one.case], one.published) for one in references(records)]
    title = f"{device}, MLX {', '.join(sorted({str(one.mlx) for one in records}))}"
    try:
        draw_roofline(drawn, published, title, path)
    except ImportError:
        raise pytest.UsageError(f"--plot needs matplotlib: {INSTALL}") from None
    except OSError as error:
        raise pytest.UsageError(f"--plot: {path} cannot be written: {error}") from None
