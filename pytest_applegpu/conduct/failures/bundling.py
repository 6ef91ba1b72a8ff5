"""What goes into the bundle of a failed case, and what is said of it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, Final

import numpy as np

from pytest_applegpu.bundle.folder import PROGRAM, BundleError, write, write_facts
from pytest_applegpu.bundle.operand import Held
from pytest_applegpu.bundle.refusal import Attempt
from pytest_applegpu.bundle.script import NN, Repro
from pytest_applegpu.cases.case import TWINS, Case, parse_cases
from pytest_applegpu.cases.plan import REPEATS
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.alone import Alone, run_alone
from pytest_applegpu.conduct.failures.wanted import wanted
from pytest_applegpu.conduct.refusing import flaw_of, spoilt
from pytest_applegpu.device.show import device_json
from pytest_applegpu.forms.form import Invocation, Layer, Operand
from pytest_applegpu.operations.ways import TRANSFORMS
from pytest_applegpu.report.error_map import svg
from pytest_applegpu.report.records import Record, as_builtins
from pytest_applegpu.views import store

NOT_REPEATABLE: Final = "not repeatable"
"""How the cause of a fault begins that comes and goes."""

OFTEN: Final = 50
"""Calls in which a fault that comes and goes may show."""

MOST: Final = 1 << 30
"""Bytes of numbers beyond which no bundle is written."""


def bundled(case: Case, bench: Bench, record: Record, parent: Path) -> str:
    """Write the bundle of a failure, run its program and return where it is and what came of it."""
    if case.check in {*TWINS, *TRANSFORMS}:
        return f"not written: check={case.check} compares two products, and a program makes one"
    chosen = _chosen(case, record)
    try:
        repro = _attempt(case, bench) if case.flaw else _repro(chosen, bench, record)
        if repro is None:
            return f"not written: {case.problem.op} gives several arrays, and a program holds one"
        size = sum(array.nbytes for array in repro.arrays.values())
        if size > MOST:
            return f"not written: its operands take {size / 2**30:.1f} GiB, more than 1"
        picture = None
        if record.error is not None and record.error.map is not None:
            picture = svg(record.error.map, record.case)
        folder = write(parent, record.case, repro, picture)
        alone = run_alone(folder / PROGRAM, bench, repro.limit)
        write_facts(folder, _facts(record, chosen, bench, repro, alone))
    except (BundleError, OSError, MemoryError) as error:
        return f"not written: {error}"
    return f"{_short(folder)} ({PROGRAM} alone: {alone})"


def _chosen(case: Case, record: Record) -> Case:
    """Return the case that was made smaller, where one was, else the failed one."""
    shrunk = record.error.shrunk if record.error else None
    return case if shrunk is None else parse_cases(shrunk.case, (case.setting,))[0]


def _repro(case: Case, bench: Bench, record: Record) -> Repro | None:
    problem = case.problem
    arithmetic = bench.arithmetic(problem, case.setting)
    drawn = bench.drawn(case, arithmetic)
    right = wanted(case, drawn, arithmetic)
    if right is None:
        return None
    calls = _calls(case, record)
    return Repro(
        case=str(case),
        operands=_held(problem.operands, drawn.sent),
        call=call_text(problem.invocation),
        reference=right.reference,
        dtype=problem.dtype.name,
        shape=problem.shape_c,
        right=right.right,
        allowed=right.allowed,
        both=right.both,
        calls=calls,
        limit=bench.limit(case, calls),
        device="cpu" if bench.backend == "cpu" else "gpu",
        environment=_switches(case, bench),
    )


def _attempt(case: Case, bench: Bench) -> Attempt:
    """Return the program of a call that MLX must refuse."""
    call, flaw = spoilt(case, bench), flaw_of(case)
    return Attempt(
        case=str(case),
        why=flaw.why,
        names=flaw.names,
        operands=_held(call.forms, call.arrays),
        call=call_text(call.invocation),
        limit=bench.limit(case),
        device="cpu" if bench.backend == "cpu" else "gpu",
        environment=_switches(case, bench),
    )


def _held(forms: Sequence[Operand], operands: Sequence[np.ndarray]) -> tuple[Held, ...]:
    """Lay the operands out as a worker gets them, with guards round every view."""
    found = []
    for form, operand in zip(forms, operands, strict=True):
        storage = store(form.placement, operand, nan if form.guard is None else form.guard)
        found.append(Held(form.name, form.dtype, storage, form.placement.steps))
    return tuple(found)


def call_text(said: Invocation) -> str:
    """Return the call to MLX as it is written."""
    given = [_argument(one) for one in said.arguments]
    if said.name == "@":
        return " @ ".join(given)
    function = f"mx.{said.name}" if said.layer is None else _layer(said.name, said.layer)
    return f"{function}({_listed(said.arguments, said.named)})"


def _layer(name: str, layer: Layer) -> str:
    """Return the layer as it is built, with operands in the place of its parameters."""
    built = f"{NN}{name}({_listed(layer.arguments, layer.named)})"
    return f"{built}.update({_argument(layer.parameters)})"


def _listed(arguments: Sequence[Any], named: Mapping[str, Any]) -> str:
    pairs = (f"{name}={_argument(one)}" for name, one in named.items())
    return ", ".join((*map(_argument, arguments), *pairs))


def _argument(value: Any) -> str:
    if not isinstance(value, dict):
        return repr(value)
    if "operand" in value:
        return str(value["operand"])
    if "dtype" in value:
        return f"mx.{value['dtype']}"
    return "{" + ", ".join(f'"{name}": {_argument(one)}' for name, one in value.items()) + "}"


def _calls(case: Case, record: Record) -> int:
    if case.check == "repeat":
        return REPEATS
    cause = record.error.cause if record.error else None
    return OFTEN if cause and cause.startswith(NOT_REPEATABLE) else 1


def _switches(case: Case, bench: Bench) -> dict[str, str]:
    """Return MLX's variables as the case's worker has them."""
    environment = case.setting.environment(bench.environment, bench.pool.own)
    return {name: said for name, said in environment.items() if name.startswith("MLX_")}


def _facts(
    record: Record, chosen: Case, bench: Bench, repro: Repro | Attempt, alone: Alone
) -> dict[str, Any]:
    return {
        "case": record.case,
        "program": {
            "case": str(chosen),
            "environment": dict(repro.environment),
            "status": alone.status,
            "said": alone.said,
        },
        "record": as_builtins(record),
        "device": device_json(bench.device),
    }


def _short(folder: Path) -> Path:
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
