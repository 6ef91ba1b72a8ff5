"""`applegpu selftest`: would the suite notice? Faults are planted, and it is run against each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_applegpu.commands.parsing import add_option, add_options
from pytest_applegpu.options import BY_NAME, TIERS, Option

if TYPE_CHECKING:
    from pytest_applegpu.conduct.planning import Plan
    from pytest_applegpu.config import Config
    from pytest_applegpu.selftest.choice import Reach
    from pytest_applegpu.selftest.faults import Fault
    from pytest_applegpu.selftest.run import Row, Suite

SHARED: Final = ("backend", "tf32", "arch", "nax", "mlx", "shapes-for", "dtypes", "seed", "python")
"""Options of a run that bear on what is tested."""

_TIER: Final = "standard"

_EPILOG: Final = """\
Exit status 0 says that every fault was caught and nothing was red without one; 1 that a fault
was missed, or that the suite was red of itself. Each fault is planted in worker processes that
are started for it, and nowhere else; no baseline is read or written.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    selftest = commands.add_parser(
        "selftest",
        help="plant faults in the backend and see whether the suite catches each",
        epilog=_EPILOG,
    )
    selftest.add_argument(
        "--faults",
        default="all",
        metavar="LIST",
        help="comma-separated faults and groups to plant (default: all)",
    )
    selftest.add_argument("--list", action="store_true", help="say which faults there are")
    selftest.add_argument("--json", action="store_true", help="print JSON")
    add_option(selftest, "tier", f"{', '.join(TIERS)} (default: {_TIER})", TIERS)
    add_options(selftest, SHARED)
    selftest.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Run the suite against each fault that was asked for, and print the table.

    Raises:
        pytest.UsageError: no such fault, or an option's value is not allowed.
    """
    from pytest_applegpu.selftest.choice import chosen_faults  # noqa: PLC0415 - only where needed
    from pytest_applegpu.selftest.table import as_json, described, table  # noqa: PLC0415

    try:
        faults = chosen_faults(chosen.faults)
    except ValueError as error:
        raise pytest.UsageError(f"--faults: {error}") from None
    if chosen.list:
        sys.stdout.write(f"{described(faults)}\n")
        return 0
    plan = _plan(chosen)
    suite = _suite(chosen, plan)
    faults, left = _reachable(_reach(plan, suite), faults)
    rows = []
    for row in _rows(suite, faults):
        rows.append(row)
        sys.stderr.write(f"{row.word:7} {row.fault} ({row.seconds:.1f} s)\n")
    sys.stderr.writelines(left)
    said = json.dumps(as_json(rows), indent=2) if chosen.json else table(rows)
    sys.stdout.write(f"{said}\n")
    return 0 if all(row.good for row in rows) else 1


def _rows(suite: Suite, faults: list[Fault]) -> Iterator[Row]:
    """Yield the run without a fault, which must be green, and then one a fault."""
    yield suite.clean()
    yield from map(suite.against, faults)


def _plan(chosen: argparse.Namespace) -> Plan:
    from pytest_applegpu.conduct.planning import Plan  # noqa: PLC0415

    plan = Plan(_config(chosen))
    plan.check()
    return plan


def _reach(plan: Plan, suite: Suite) -> Reach:
    """Return what the cases of `suite` have that a fault can be met by."""
    from pytest_applegpu.conduct.bench import EMULATED  # noqa: PLC0415
    from pytest_applegpu.conduct.routes import DISPATCHED  # noqa: PLC0415
    from pytest_applegpu.selftest.choice import Reach  # noqa: PLC0415

    planned = {case.problem.op for case in suite.cases}
    return Reach(
        dtypes=frozenset(dtype.name for dtype in plan.dtypes),
        modes=frozenset(setting.tf32 for setting in plan.settings),
        ops=frozenset(planned & set(EMULATED) if plan.backend == "emulated" else planned),
        checks=frozenset((case.problem.op, case.check) for case in suite.cases),
        routed=plan.backend in DISPATCHED,
    )


def _reachable(reach: Reach, faults: list[Fault]) -> tuple[list[Fault], list[str]]:
    """Return the faults that a case can meet, and why the others are left out."""
    why = [(fault, reach.lacks(fault)) for fault in faults]
    left = [f"left out {fault.name}: {reason}\n" for fault, reason in why if reason]
    return [fault for fault, reason in why if reason is None], left


def _suite(chosen: argparse.Namespace, plan: Plan) -> Suite:
    """Take down the tier's cases, and the options that every run shares."""
    from pytest_applegpu.cases.case import CHECKS  # noqa: PLC0415
    from pytest_applegpu.forms.table import FORMS  # noqa: PLC0415
    from pytest_applegpu.selftest.run import Suite  # noqa: PLC0415

    cases = [
        case
        for op in FORMS
        for check in CHECKS
        if check not in {"throughput", "card"}
        for case in plan.planned(op, check)
    ]
    return Suite(plan.backend, _words(chosen), plan.config.tier, tuple(cases))


def _config(chosen: argparse.Namespace) -> Config:
    from pytest_applegpu.config import read_config  # noqa: PLC0415

    def lookup(option: Option) -> Any:
        said = getattr(chosen, option.destination, None)
        return _TIER if said is None and option.name == "tier" else said

    return read_config(lookup, Path.cwd(), Path.cwd())


def _words(chosen: argparse.Namespace) -> tuple[str, ...]:
    """Return the options that were given, as words for pytest."""
    found = ((BY_NAME[name], getattr(chosen, BY_NAME[name].destination)) for name in SHARED)
    return tuple(word for option, said in found if said is not None for word in (option.flag, said))
