"""`applegpu sweep`: one size swept, time and throughput at each, and the cliffs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_applegpu.commands.parsing import add_options
from pytest_applegpu.options import Option

if TYPE_CHECKING:
    from pytest_applegpu.cases.case import Case
    from pytest_applegpu.conduct.bench import Bench
    from pytest_applegpu.conduct.planning import Plan
    from pytest_applegpu.conduct.sweep import Swept
    from pytest_applegpu.throughput.cliffs import Cliff

SHARED: Final = ("backend", "tf32", "arch", "nax", "mlx", "shapes-for", "seed", "python", "timeout")
FORMATS: Final = (".png", ".svg")
INSTALL: Final = "pip install matplotlib"
PASSES: Final = 7

_EPILOG: Final = """\
examples:
  applegpu sweep M=1..256 quantized_matmul-bf16-nt-1x4096x4096 \\
    --beside matmul-bf16-nt-1x4096x4096 --plot sweep.png --log sweep.jsonl
  applegpu sweep K=64..16384x2 matmul-f16-nn-512x512x64 --plot sweep.png
  applegpu sweep M=1..4096 --boundaries matmul-f16-nt-1x4096x4096

Exit status 0: the sweep was made, cliffs or not; 1: a size gave no time.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    sweep = commands.add_parser(
        "sweep",
        help="sweep one size and report cliffs of speed",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sweep.add_argument("sizes", metavar="AXIS=SIZES", help="M=1..256, N=1,2,96, K=64..4096x2")
    sweep.add_argument("case", metavar="CASE", help="a case's text, whose swept size is replaced")
    sweep.add_argument(
        "--beside", metavar="CASE", help="a dense product measured with it, to be compared with"
    )
    sweep.add_argument(
        "--boundaries",
        action="store_true",
        help="only the sizes on both sides of each change of route, as predicted",
    )
    sweep.add_argument(
        "--passes",
        type=int,
        default=PASSES,
        metavar="N",
        help=f"passes, from 3 on (default: {PASSES})",
    )
    sweep.add_argument("--plot", metavar="FILE", help="draw it: .png or .svg")
    sweep.add_argument("--log", metavar="FILE", help="write JSON lines: sizes, then cliffs")
    add_options(sweep, SHARED)
    sweep.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Measure, print, and write what was asked for.

    Raises:
        pytest.UsageError: sizes, a case or an option's value is not allowed.
    """
    from pytest_applegpu.conduct.start import refuse_forced, start  # noqa: PLC0415
    from pytest_applegpu.conduct.sweep import SweepError  # noqa: PLC0415

    _check(chosen)
    plan = _plan(chosen)
    axis, sizes, cases = _asked(chosen, plan)
    bench = start(plan.config, plan)
    try:
        refuse_forced(bench, cases)
        swept = _measured(chosen, bench, cases, axis, sizes)
    except SweepError as error:
        sys.stderr.write(f"applegpu sweep: {error}\n")
        return 1
    finally:
        bench.pool.close()
    _tell(chosen, bench, axis, swept)
    return 0


def _check(chosen: argparse.Namespace) -> None:
    """Refuse what would be found out after the measurement only."""
    from pytest_applegpu.throughput.cliffs import FEWEST  # noqa: PLC0415

    if chosen.passes < FEWEST:
        allowed = f"a whole number from {FEWEST} on"
        raise pytest.UsageError(f"--passes: {chosen.passes} is not {allowed}")
    for name in ("plot", "log"):
        said = getattr(chosen, name)
        if said is not None and not Path(said).expanduser().parent.is_dir():
            raise pytest.UsageError(f"--{name}: the folder of {said!r} does not exist")
    if chosen.plot is None:
        return
    if Path(chosen.plot).suffix not in FORMATS:
        raise pytest.UsageError(f"--plot: {chosen.plot!r} does not end in {' or '.join(FORMATS)}")
    if find_spec("matplotlib") is None:
        raise pytest.UsageError(f"--plot needs matplotlib: {INSTALL}")


def _plan(chosen: argparse.Namespace) -> Plan:
    from pytest_applegpu.conduct.planning import Plan  # noqa: PLC0415
    from pytest_applegpu.config import read_config  # noqa: PLC0415

    def lookup(option: Option) -> Any:
        return getattr(chosen, option.destination, None)

    plan = Plan(read_config(lookup, Path.cwd(), Path.cwd()))
    plan.check()
    return plan


def _asked(chosen: argparse.Namespace, plan: Plan) -> tuple[str, tuple[int, ...], list[Case]]:
    from pytest_applegpu.cases.case import parse_cases  # noqa: PLC0415
    from pytest_applegpu.conduct.swept import at, parse_sweep  # noqa: PLC0415

    try:
        axis, sizes = parse_sweep(chosen.sizes)
        cases = []
        for text in (chosen.case, chosen.beside):
            if text is not None:
                timed = f"{text} check=throughput"
                cases.append(parse_cases(timed, plan.config.settings[:1])[0])
        for case in cases:
            for size in sizes:
                at(case, axis, size)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    return axis, sizes, cases


def _measured(
    chosen: argparse.Namespace,
    bench: Bench,
    cases: list[Case],
    axis: str,
    sizes: Sequence[int],
) -> list[Swept]:
    from pytest_applegpu.conduct.sweep import sweep  # noqa: PLC0415
    from pytest_applegpu.conduct.swept import at, beside_boundaries  # noqa: PLC0415

    def path(size: int) -> str:
        one = at(cases[0], axis, size)
        route = bench.routes.route(one.problem, one.setting)
        return route.path if route else ""

    def tell(number: int) -> None:
        done = f"pass {number} of {chosen.passes}" if number else "warm-up"
        sys.stderr.write(f"{done} done\n")

    kept = beside_boundaries(sizes, path) if chosen.boundaries else sizes
    return sweep(bench, cases, axis, kept, passes=chosen.passes, tell=tell)


def _tell(chosen: argparse.Namespace, bench: Bench, axis: str, swept: list[Swept]) -> None:
    from pytest_applegpu.survey.sweep_picture import Drawn, draw_sweep  # noqa: PLC0415
    from pytest_applegpu.survey.sweep_text import cliff_lines, sweep_lines, sweep_text  # noqa: PLC0415

    found = [Drawn(_named(one.case, axis), one.points, _cliffs(one, swept)) for one in swept]
    title = f"{bench.device.name}, MLX {bench.device.mlx_version}"
    sys.stdout.write(f"{title}\n")
    for name, points, cliffs in found:
        sys.stdout.write(f"\n{sweep_text(name, axis, points, cliffs)}\n")
    try:
        if chosen.log:
            objects = [
                one
                for name, points, cliffs in found
                for one in (*sweep_lines(name, axis, points), *cliff_lines(name, axis, cliffs))
            ]
            text = "".join(f"{json.dumps(one)}\n" for one in objects)
            Path(chosen.log).expanduser().write_text(text, encoding="utf-8")
        if chosen.plot:
            draw_sweep(found, axis, title, Path(chosen.plot).expanduser())
    except OSError as error:
        raise pytest.UsageError(f"cannot be written: {error}") from None


def _named(case: Case, axis: str) -> str:
    """Return the problem's text with the axis's letter in place of its size."""
    problem = case.problem
    own = {"m": problem.m, "n": problem.n, "k": problem.k}
    sizes, swept = ("x".join(map(str, said.values())) for said in (own, own | {axis: axis.upper()}))
    return str(problem).replace(f"-{sizes}", f"-{swept}", 1)


def _cliffs(one: Swept, swept: list[Swept]) -> list[Cliff]:
    """Return the cliffs of one product; the first is held to the one beside it."""
    from pytest_applegpu.throughput.cliffs import cliffs, slower_than  # noqa: PLC0415

    found = cliffs(one.points)
    if one is swept[0] and swept[1:]:
        found += slower_than(one.points, {point.size: point for point in swept[1].points})
    return found
