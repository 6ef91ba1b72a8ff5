"""`applegpu route --coverage`: how many planned cases take each path of MLX's dispatch."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import msgspec
import pytest

from pytest_applegpu.commands.whom import gpu_of, one_of, said, version_of
from pytest_applegpu.lint.table import NOTHING_RAN
from pytest_applegpu.options import TIERS
from pytest_applegpu.survey.coverage import REPRESENTATIVES, Covered, coverage_table, covered


def run(chosen: argparse.Namespace) -> int:
    """Print the labels with their cases; return 1 where one has too few.

    One architecture cannot take every label: asked for one, labels without a case are left out.

    Raises:
        pytest.UsageError: an option is wrong.
    """
    for name in ("tf32", "nax"):
        if said(chosen, name) is not None:
            raise pytest.UsageError(f"--{name}: --coverage counts the cases of all settings")
    tier = one_of(chosen, "tier", TIERS, "standard")
    version = version_of(chosen)
    one = None if said(chosen, "arch") is None else gpu_of(chosen).arch
    sys.stderr.write(f"planning the {tier} tier for MLX {version}, for half a minute or so\n")
    rows = covered([one] if one else REPRESENTATIVES, version, tier)
    if one:
        rows = [row for row in rows if row.cases]
    if chosen.json:
        for row in rows:
            sys.stdout.write(msgspec.json.encode(row.as_json()).decode() + "\n")
    else:
        whom = one or "all kinds of architectures"
        sys.stdout.write(_page(f"{whom}, {tier} tier, MLX {version}", rows))
    return int(any(row.short for row in rows))


def _page(head: str, rows: Sequence[Covered]) -> str:
    return f"{head}\n\n{coverage_table(rows)}\n\n{NOTHING_RAN}\n"
