"""`applegpu route`: which kernels MLX launches, for one case or for very many."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Final

import pytest

from pytest_applegpu.commands import (
    route_case,
    route_coverage,
    route_diff,
    route_library,
    route_lint,
    route_map,
)
from pytest_applegpu.commands.parsing import add_option
from pytest_applegpu.commands.whom import version_of
from pytest_applegpu.device.arch import newest_with_nax
from pytest_applegpu.options import BY_NAME, TIERS
from pytest_applegpu.problem import TRANSPOSES
from pytest_applegpu.routing.versions import NEWEST

_ONLY: Final = {
    "dtype": ("map",),
    "layout": ("map",),
    "plane": ("map",),
    "n": ("map",),
    "k": ("map",),
    "out": ("map",),
    "calls": ("check_library", "lint"),
    BY_NAME["seed"].destination: ("check_library", "lint"),
    BY_NAME["tier"].destination: ("diff", "coverage"),
    BY_NAME["dtypes"].destination: ("diff",),
    "cores": ("case",),
}
"""Options that bear on one of the questions only."""

_EXAMPLES: Final = """\
examples:
  applegpu route matmul-f16-nt-64x64x4096 --arch "M5 Max"
  applegpu route "matmul-f32-nn-64x64x4096 a=pad:8 tf32=off" --mlx 0.31.2
  applegpu route quantized_matmul x_shape=1x4096 w_shape=4096x4096 dtype=float16 bits=4
  applegpu route --cases cases.jsonl --json
  applegpu route --diff 0.31.2 0.32.4 --arch applegpu_g17s
  applegpu route --map --arch applegpu_g17s --dtype float16 --layout nt --out map.png
  applegpu route --coverage --tier smoke
  applegpu route --lint --mlx 0.32.4
  applegpu route --check-library mlx_metal-0.32.4-py3-none-macosx_26_0_arm64.whl

Everything is predicted from the rules of MLX's dispatch: nothing is run, on any machine.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    route = commands.add_parser(
        "route",
        help="say which kernels MLX launches for a problem, on any Apple GPU",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    route.add_argument(
        "case",
        nargs="*",
        metavar="CASE",
        help="a case's text, or an operation and NAME=VALUE words, sizes joined by x",
    )
    _add_questions(route)
    _add_whom(route)
    _add_map(route)
    route.add_argument("--json", action="store_true", help="print JSON lines")
    route.set_defaults(run=run, takes_others=True)


def _add_questions(route: argparse.ArgumentParser) -> None:
    route.add_argument(
        "--lint",
        action="store_true",
        help="look for faults in the dispatch itself, over the suite's problems and random calls, "
        "or over those of --cases",
    )
    others = route.add_mutually_exclusive_group()
    others.add_argument(
        "--cases", metavar="FILE", help="answer the JSON lines of FILE, - being standard input"
    )
    others.add_argument(
        "--diff",
        nargs=2,
        metavar=("OLD", "NEW"),
        help="which of the suite's problems change kernel between two MLX versions",
    )
    others.add_argument("--map", action="store_true", help="draw a plane of sizes coloured by path")
    others.add_argument(
        "--coverage",
        action="store_true",
        help="how many of the suite's cases take each known path; status 1 where fewer than 3 do",
    )
    others.add_argument(
        "--check-library",
        nargs="?",
        const="",
        metavar="PATH",
        help="which kernels are asked for and not in a Metal library: a .metallib, a macOS wheel, "
        "an MLX folder; the installed MLX by default",
    )


def _add_whom(route: argparse.ArgumentParser) -> None:
    newest = newest_with_nax()
    arch = f"architecture, or a chip such as 'M5 Max' (default: the newest with NAX, {newest})"
    add_option(route, "arch", arch, metavar="GPU")
    mlx = f"MLX version (default: {NEWEST}, the newest whose rules are known)"
    add_option(route, "mlx", mlx)
    add_option(route, "tf32", "on or off (default: on); both for --diff, its default")
    nax = "on: as GPU and MLX have it (default); off: as before macOS 26.2 or built without it"
    add_option(route, "nax", nax)
    route.add_argument(
        "--cores",
        metavar="N",
        help="GPU cores that threadgroups are divided by (default: those of the architecture)",
    )


def _add_map(route: argparse.ArgumentParser) -> None:
    add_option(route, "dtypes", "with --diff: formats, as in float32,bf16 (default: all)")
    add_option(
        route, "tier", f"with --diff and --coverage: {', '.join(TIERS)} (default: standard)", TIERS
    )
    route.add_argument("--dtype", metavar="NAME", help="with --map: format (default: float16)")
    route.add_argument(
        "--layout", choices=TRANSPOSES, help="with --map: transposes of A and B (default: nt)"
    )
    route.add_argument(
        "--plane", choices=("mn", "mk"), help="with --map: what the axes are (default: mn)"
    )
    route.add_argument("--k", metavar="K", help="with --map --plane mn: K (default: 4096)")
    route.add_argument("--n", metavar="N", help="with --map --plane mk: N (default: 4096)")
    route.add_argument(
        "--out", metavar="FILE", help="with --map: .png or .svg (default: route-map.png)"
    )
    route.add_argument(
        "--calls",
        metavar="N",
        help="with --check-library and --lint: random calls beside the others (default: 20000)",
    )
    add_option(
        route, "seed", "with --check-library and --lint: what random calls come from (default: 0)"
    )


def run(chosen: argparse.Namespace, others: list[str]) -> int:
    """Answer the question that was asked.

    Raises:
        pytest.UsageError: no question, more than one, or options that do not bear on it.
    """
    for word in others:
        if word.startswith("-"):
            raise pytest.UsageError(f"unrecognized arguments: {word}")
    chosen.case += others
    asked = _asked(chosen)
    _check_options(chosen, asked)
    version_of(chosen)
    return _QUESTIONS[asked](chosen)


def _asked(chosen: argparse.Namespace) -> str:
    """Return which question was asked."""
    others = [name for name in _QUESTIONS if name != "case"]
    asked = [name for name in others if getattr(chosen, name) not in (None, False)]
    if asked[1:] and asked != ["lint", "cases"]:
        raise pytest.UsageError(f"--lint does not go with {_flag(asked[1])}")
    if asked and chosen.case:
        raise pytest.UsageError(f"{chosen.case[0]!r}: a CASE does not go with {_flag(asked[0])}")
    return asked[0] if asked else "case"


def _flag(name: str) -> str:
    return "a CASE" if name == "case" else f"--{name.removeprefix('applegpu_').replace('_', '-')}"


def _check_options(chosen: argparse.Namespace, asked: str) -> None:
    for name, questions in _ONLY.items():
        if getattr(chosen, name) is not None and asked not in questions:
            raise pytest.UsageError(f"{_flag(name)}: goes with {_flag(questions[0])}")


_QUESTIONS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "lint": route_lint.run,
    "cases": route_case.many,
    "diff": route_diff.run,
    "map": route_map.run,
    "coverage": route_coverage.run,
    "check_library": route_library.run,
    "case": route_case.one,
}
