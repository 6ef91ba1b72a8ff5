"""`applegpu route --diff OLD NEW`: what changes kernel between two MLX versions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import msgspec
import pytest

from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.commands.whom import gpu_of, known, nax_of, one_of, said
from pytest_applegpu.dtypes import DType, parse_dtype
from pytest_applegpu.lint.table import NOTHING_RAN
from pytest_applegpu.options import TF32_CHOICES, TIERS
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.survey.changes import (
    Asked,
    Change,
    changes,
    changes_table,
    suite_problems,
)


def run(chosen: argparse.Namespace) -> int:
    """Print which of the suite's problems are launched otherwise by the newer version.

    Raises:
        pytest.UsageError: an option is wrong.
    """
    if said(chosen, "mlx") is not None:
        raise pytest.UsageError("--mlx: --diff names both versions itself")
    old, new = (known(version, "diff") for version in chosen.diff)
    tf32 = one_of(chosen, "tf32", TF32_CHOICES, "both")
    tier = one_of(chosen, "tier", TIERS, "standard")
    gpu = Gpu(gpu_of(chosen).arch, nax_of(chosen))
    modes = ("on", "off") if tf32 == "both" else (tf32,)
    problems = suite_problems(gpu, (old, new), tier, modes, _dtypes(chosen))
    found = changes(problems, gpu, old, new)
    if chosen.json:
        for one in found:
            sys.stdout.write(msgspec.json.encode(one.as_json()).decode() + "\n")
    else:
        head = f"{gpu.arch}, {tier} tier, MLX {_basis(old)} -> MLX {_basis(new)}"
        sys.stdout.write(_page(head, problems, found))
    return 0


def _dtypes(chosen: argparse.Namespace) -> tuple[DType, ...]:
    """Return the formats that were asked for, or all that a Mac's GPU multiplies."""
    have = backend_dtypes("metal")
    words = said(chosen, "dtypes") or "all"
    if words == "all":
        return have
    try:
        found = tuple(dict.fromkeys(parse_dtype(word.strip()) for word in words.split(",")))
    except ValueError as error:
        raise pytest.UsageError(f"--dtypes: {error}") from None
    for dtype in found:
        if dtype not in have:
            names = ", ".join(one.name for one in have)
            raise pytest.UsageError(f"--dtypes: no GPU multiplies {dtype.name}; one of {names}")
    return found


def _basis(version: str) -> str:
    return f"{version} ({basis_of(version).words})"


def _page(head: str, problems: Sequence[Asked], found: Sequence[Change]) -> str:
    """Return the table of changes with its heading."""
    count = f"{len(found)} of {len(problems)} cases of the suite are launched otherwise"
    table = f"{changes_table(found)}\n\n" if found else ""
    return f"{head}\n{count}\n\n{table}{NOTHING_RAN}\n"
