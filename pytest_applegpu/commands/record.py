"""`applegpu record`: what does a program of yours multiply? It is run, and watched."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest

_DEFAULT: Final = "shapes.toml"

_MARK: Final = "# Written by `applegpu record`."

_EPILOG: Final = """\
The program runs as it would by itself: its output, its errors and its exit status are its own. Any
Python will do whose MLX is to be watched; pytest_applegpu need not be installed in it. The set is
written when the program ends, however it does, and run with --applegpu-shapes: docs/shapes.md.
"""

_NOTHING: Final = (
    "nothing was recorded: no Python of the program's multiplied with MLX, or it ignores "
    "PYTHONPATH (-I, -E, -S)"
)


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    record = commands.add_parser(
        "record",
        help="run a program and write what it multiplies, as a set of shapes",
        usage="applegpu record [-o FILE] -- python my_script.py ...",
        epilog=_EPILOG,
    )
    record.add_argument(
        *("-o", "--out"),
        default=_DEFAULT,
        metavar="FILE",
        help=f"file to write, whose name ends in .toml (default: {_DEFAULT}); it may be there if "
        "it was written by this command",
    )
    record.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND",
        help="the program with its words; words such as `-m module` are for this Python",
    )
    record.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Run the program, write what it multiplied, and return the program's status.

    Raises:
        pytest.UsageError: there is no program, it cannot be run, or the file cannot be written.
    """
    from pytest_applegpu.recording.program import run_watched  # noqa: PLC0415 - only where needed
    from pytest_applegpu.recording.seen import read_seen  # noqa: PLC0415

    command = chosen.command[1:] if chosen.command[:1] == ["--"] else chosen.command
    if not command:
        raise pytest.UsageError("record: say a program, as in applegpu record -- python script.py")
    out = _out(chosen.out)
    with tempfile.TemporaryDirectory(prefix="applegpu-record-") as folder:
        try:
            status = run_watched(command, Path(folder))
        except OSError as error:
            raise pytest.UsageError(
                f"record: {command[0]} cannot be run: {error.strerror}"
            ) from None
        seen = read_seen(Path(folder))
    sys.stderr.write(f"applegpu: {_written(seen, command, out) if seen.calls else _NOTHING}\n")
    return status


def _written(seen: Any, command: list[str], out: Path) -> str:
    """Write the set, and return what is said of it."""
    from pytest_applegpu.recording.recorded import recorded  # noqa: PLC0415
    from pytest_applegpu.shapes.write import shapes_text  # noqa: PLC0415

    found = recorded(seen, out.stem, shlex.join(command))
    _replace(out, f"{_MARK}\n\n{shapes_text(found)}")
    calls = sum(one.count for one in found.shapes)
    left = f", {len(found.left)} left out" if found.left else ""
    again = f"pytest --pyargs pytest_applegpu.suites --applegpu-shapes {shlex.quote(str(out))}"
    return f"{len(found.shapes)} problems from {calls} calls{left}: {out}\nrun them: {again}"


def _out(said: str) -> Path:
    """Return the file to write to, before the program takes its time.

    Raises:
        pytest.UsageError: it cannot be written, or holds what was not written by this command.
    """
    out = Path(said).expanduser()
    if out.suffix != ".toml":
        raise pytest.UsageError(f"--out: {said!r} does not end in .toml")
    if not (out.parent.is_dir() and os.access(out.parent, os.W_OK | os.X_OK)):
        raise pytest.UsageError(f"--out: {str(out.parent)!r} is not a folder that can be written")
    if out.exists() and not (out.is_file() and out.read_text("utf-8", "replace").startswith(_MARK)):
        raise pytest.UsageError(f"--out: {said!r} is there, and was not written by this command")
    return out


def _replace(out: Path, text: str) -> None:
    """Write the file as a whole or not at all.

    Raises:
        pytest.UsageError: it cannot be written.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="replace", dir=out.parent, suffix=".part", delete=False
        ) as part:
            part.write(text)
        Path(part.name).chmod(0o644)
        Path(part.name).replace(out)
    except OSError as error:
        raise pytest.UsageError(f"--out: {out} cannot be written: {error.strerror}") from None
