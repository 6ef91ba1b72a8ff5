"""On what is a picture drawn, and how is it written so that the same one is the same file?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def canvas(path: Path, size: tuple[float, float], title: str) -> Iterator[Any]:
    """Give a figure of `size` inches to draw on, and write it to `path`, a PNG or SVG file.

    Raises:
        ImportError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 - an extra, and slow to load
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "applegpu", "font.size": 10}):
        figure = Figure(figsize=size, layout="constrained")
        yield figure
        figure.suptitle(title, fontsize=11)
        dated = {"Date": None} if path.suffix == ".svg" else {}
        figure.savefig(path, dpi=110, metadata=dated)
