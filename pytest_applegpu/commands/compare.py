"""`applegpu compare`: two settings of one build, in turns: what do NAX and TF32 buy?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_applegpu.commands.parsing import add_option, add_options
from pytest_applegpu.options import BY_NAME, Option

if TYPE_CHECKING:
    from pytest_applegpu.conduct.compare.run import Comparison
    from pytest_applegpu.conduct.compare.toggle import Toggle
    from pytest_applegpu.config import Config

SHARED: Final = ("backend", "mlx", "shapes", "rounds", "seed", "python", "timeout")

SWITCHES: Final = {
    "nax": ("MODE[,MODE]", "neural accelerators on or off, or both in order: on,off"),
    "tf32": ("MODE[,MODE]", "TF32 on or off, or both in order: on,off (default: on)"),
    "arch": ("ARCH[,ARCH]", "architecture to follow, own is the GPU's, or two: own,applegpu_g16s"),
}

_EPILOG: Final = """\
examples:
  applegpu compare --nax on,off
  applegpu compare --tf32 on,off matmul-f32-nt-4096x4096x4096 matmul-f32-nt-1x4096x4096
  applegpu compare --nax on,off --shapes llama-2-7b-4bit
  applegpu compare --arch own,applegpu_g16s --json

One switch has two values, the first side and the second. Exit status 0: all was compared that this
machine can run; 1: a product gave no time or a wrong result, or the switch does nothing that can be
compared here. docs/compare.md says what is measured.
"""


def add_to(commands: Any) -> None:
    """Add the command's parser."""
    compare = commands.add_parser(
        "compare",
        help="hold two settings of one build against each other: what NAX and TF32 buy",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.add_argument("cases", nargs="*", metavar="CASE", help="texts of cases to compare")
    for name, (metavar, words) in SWITCHES.items():
        add_option(compare, name, words, metavar=metavar)
    forms = compare.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print JSON")
    forms.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    add_options(compare, SHARED)
    compare.set_defaults(run=run)


def run(chosen: argparse.Namespace, _: list[str]) -> int:
    """Measure and print.

    Raises:
        pytest.UsageError: a switch, a case or an option's value is not allowed.
    """
    from pytest_applegpu.conduct.compare.toggle import read_toggle  # noqa: PLC0415

    said = {name: getattr(chosen, BY_NAME[name].destination, None) for name in SWITCHES}
    toggle, config = read_toggle(said, lambda values: _config(chosen, values))
    found = _compared(chosen, toggle, config)
    if isinstance(found, str):
        sys.stderr.write(f"applegpu compare: unsupported: --{toggle.switch}: {found}\n")
        return 1
    sys.stdout.write(f"{_said(chosen, found)}\n")
    return 0 if found.complete else 1


def _config(chosen: argparse.Namespace, values: Mapping[str, str]) -> Config:
    from pytest_applegpu.config import read_config  # noqa: PLC0415

    def lookup(option: Option) -> Any:
        return values.get(option.name, getattr(chosen, option.destination, None))

    return read_config(lookup, Path.cwd(), Path.cwd(), lambda option: option.short)


def _compared(chosen: argparse.Namespace, toggle: Toggle, config: Config) -> Comparison | str:
    """Return what was found, or why nothing can be compared on this machine."""
    from pytest_applegpu.conduct.compare.asked import cases_of, sets_of, usual  # noqa: PLC0415
    from pytest_applegpu.conduct.compare.fit import unsupported  # noqa: PLC0415
    from pytest_applegpu.conduct.compare.run import conduct  # noqa: PLC0415
    from pytest_applegpu.conduct.planning import Plan  # noqa: PLC0415
    from pytest_applegpu.conduct.start import start  # noqa: PLC0415

    first, _ = toggle.settings
    sets = sets_of(config)
    cases = cases_of(chosen.cases, first)
    plan = Plan(config)
    plan.check()
    if not (cases or sets):
        cases = cases_of(usual(plan.backend, toggle.switch), first)
    bench = start(config, plan)
    try:
        why = unsupported(bench, toggle)
        return why or conduct(bench, toggle, cases, sets, _tell)
    finally:
        bench.pool.close()


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _said(chosen: argparse.Namespace, found: Comparison) -> str:
    from pytest_applegpu.conduct.compare.lines import comparison_json  # noqa: PLC0415
    from pytest_applegpu.conduct.compare.tables import (  # noqa: PLC0415
        MARKDOWN,
        PLAIN,
        comparison_text,
    )

    if chosen.json:
        return json.dumps(comparison_json(found), indent=2)
    return comparison_text(found, MARKDOWN if chosen.markdown else PLAIN)
