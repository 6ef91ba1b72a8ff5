"""`applegpu route CASE`, and `--cases FILE`: routes of single cases."""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest

from pytest_applegpu.commands.whom import gpu_of, whole, whom_of
from pytest_applegpu.routing.lines import filled
from pytest_applegpu.survey.asked import Asked, asked_words
from pytest_applegpu.survey.gpus import cores_of
from pytest_applegpu.survey.stream import WrongLineError, answer_all
from pytest_applegpu.survey.table import route_table


def one(chosen: argparse.Namespace) -> int:
    """Print the route of one case.

    Raises:
        pytest.UsageError: there is no case, or its words are wrong.
    """
    if not chosen.case:
        raise pytest.UsageError("say a CASE, --cases, --diff, --map, --check-library or --lint")
    whom = whom_of(chosen)
    try:
        asked = asked_words(chosen.case, whom)
        route = asked.route
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    if chosen.json:
        said = msgspec.json.encode(filled(asked.line, route)).decode()
    else:
        said = route_table(asked, route, _cores(chosen, asked))
    sys.stdout.write(f"{said}\n")
    return 0


def _cores(chosen: argparse.Namespace, asked: Asked) -> tuple[int, ...]:
    """Return the counts of cores: the one that was said, the chip's, or the architecture's."""
    if chosen.cores is not None:
        return (whole("cores", chosen.cores, 0),)
    named = gpu_of(chosen)
    return named.cores if named.arch == asked.target.arch else cores_of(asked.target.arch)


def many(chosen: argparse.Namespace) -> int:
    """Print the routes of the cases in a file, as they are read.

    Raises:
        pytest.UsageError: the file cannot be read, or a line is no case.
    """
    whom = whom_of(chosen)
    name = "standard input" if chosen.cases == "-" else chosen.cases
    try:
        with opened(chosen.cases) as lines:
            answer_all(lines, whom, sys.stdout.buffer.write, as_json=chosen.json)
    except WrongLineError as error:
        raise pytest.UsageError(f"{name}: {error}") from None
    except (BrokenPipeError, pytest.UsageError):
        raise
    except (OSError, EOFError) as error:
        raise pytest.UsageError(f"--cases: {name} cannot be read: {error}") from None
    return 0


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Open a file of cases, `-` being standard input."""
    if name == "-":
        yield sys.stdin.buffer
        return
    path = Path(name).expanduser()
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        yield lines  # type: ignore[misc]  # a GzipFile reads lines as a BinaryIO does
