"""`applegpu route --lint`: which faults has the dispatch itself?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import msgspec
import pytest

from pytest_applegpu.commands.route_case import opened
from pytest_applegpu.commands.whom import gpu_of, said, version_of, whole, whom_of
from pytest_applegpu.lint.finding import Kind
from pytest_applegpu.lint.table import table
from pytest_applegpu.routing.lines import call_of
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.survey.linted import Asked, command, linted, standing
from pytest_applegpu.survey.stream import WrongLineError, asked_lines

CALLS = 20_000
"""Random calls where nothing is said."""


def run(chosen: argparse.Namespace) -> int:
    """Print the kinds of findings; the status is 1 where a result would be wrong.

    Raises:
        pytest.UsageError: an option is wrong, or a line of `--cases` is no case.
    """
    kinds = _of_file(chosen) if chosen.cases else _standing(chosen)
    if chosen.json:
        for kind in kinds:
            sys.stdout.write(_json_line(kind))
    else:
        version = version_of(chosen)
        head = f"MLX {version} ({basis_of(version).words})\n\n"
        sys.stdout.write(f"{'' if chosen.cases else head}{table(kinds, command)}\n")
    return int(any(kind.smallest.severity == "wrong" for kind in kinds))


def _standing(chosen: argparse.Namespace) -> list[Kind]:
    arch = gpu_of(chosen).arch if said(chosen, "arch") else None
    count = whole("calls", chosen.calls, CALLS)
    seed = whole("seed", said(chosen, "seed"), 0, least=0)
    return linted(standing(arch, version_of(chosen), count, seed))


def _of_file(chosen: argparse.Namespace) -> list[Kind]:
    whom = whom_of(chosen)
    name = "standard input" if chosen.cases == "-" else chosen.cases

    def calls() -> Iterator[Asked]:
        with opened(chosen.cases) as lines:
            for asked in asked_lines(lines, whom):
                yield call_of(asked.line), asked.target

    try:
        return linted(calls())
    except WrongLineError as error:
        raise pytest.UsageError(f"{name}: {error}") from None
    except (OSError, EOFError) as error:
        raise pytest.UsageError(f"--cases: {name} cannot be read: {error}") from None


def _json_line(kind: Kind) -> str:
    plain = {**kind.smallest.as_json(), "count": kind.count, "letters": kind.letters}
    return msgspec.json.encode(plain).decode() + "\n"
