"""How does a baseline become the text of its file, and back, with every flaw named?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from pytest_applegpu.baselines.parse import check_texts, parse, shown, step
from pytest_applegpu.baselines.records import (
    MEANING,
    SCHEMA,
    Baseline,
    BaselineError,
    CaseText,
    Record,
    Run,
    RunId,
    run_id,
)
from pytest_applegpu.device.key import key_of, slug

DIGITS: Final = 4
"""Significant digits of a figure in the file: a tenth of a per mille is below any noise."""

UPGRADES: Final[dict[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    # Version 2 added routes and cards, which a record need not have.
    1: lambda plain: {**plain, "schema": 2},
}
"""From each older schema, the step to the next one, over the file as plain objects."""

_TABLES: Final[dict[str, Any]] = {"runs": dict[RunId, Run], "cases": dict[CaseText, Record]}


def encode(baseline: Baseline) -> str:
    """Return the file's text: sorted, one line a run and a case, figures rounded.

    One line a record keeps the file short and a review of its changes easy, and lets two
    branches that add different cases merge.

    Raises:
        BaselineError: the text could not be read back; the message names the field.
    """
    plain = _rounded(msgspec.to_builtins(baseline))
    _checked(plain)
    lines = [f" {_json(name)}: {_member(plain[name])}" for name in baseline.__struct_fields__]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def decode(text: str) -> Baseline:
    """Read a baseline from its text.

    Raises:
        BaselineError: the text is no baseline; the message names the field (as a JSON path) and
            what is allowed there. It names no file: that is for the caller to add.
    """
    try:
        return _checked(_upgraded(parse(text)))
    except RecursionError:
        raise BaselineError("nested too deeply for a baseline") from None


def _checked(plain: dict[str, Any]) -> Baseline:
    check_texts(plain, "$")
    try:
        baseline = msgspec.convert(plain, Baseline)
    except msgspec.ValidationError as error:
        raise BaselineError(_located(plain, error)) from None
    _check_key(baseline)
    _check_runs(baseline)
    return baseline


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _member(value: Any) -> str:
    """One line for a value, or one line an entry for a table of objects."""
    if not (isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())):
        return _json(value)
    lines = [f"  {_json(name)}: {_json(value[name])}" for name in sorted(value)]
    return "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return value


def _upgraded(plain: dict[str, Any]) -> dict[str, Any]:
    """Bring an older file to today's schema; refuse a newer one before anything else is read."""
    schema = plain.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise BaselineError(f"$.schema: expected a whole number from 1 to {SCHEMA}")
    if schema > SCHEMA:
        raise BaselineError(
            f"$.schema: {str(schema)[:20]} is newer than {SCHEMA}, the newest that this "
            "version of pytest-applegpu reads: upgrade it"
        )
    for version in range(schema, SCHEMA):
        plain = UPGRADES[version](plain)
    return plain


def _located(plain: dict[str, Any], error: msgspec.ValidationError) -> str:
    """Say an error with its whole path: msgspec leaves out which entry of a table it means."""
    for table, kind in _TABLES.items():
        entries = plain.get(table)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            try:
                msgspec.convert({name: entry}, kind)
            except msgspec.ValidationError as inner:
                within = str(inner).replace("`key` in `$`", "`$`").replace("$[...]", "$")
                return _worded(within, step(f"$.{table}", name))
    return _worded(str(error), "$")


def _worded(message: str, root: str) -> str:
    said, _, where = message.partition(" - at ")
    for pattern, meaning in MEANING.items():
        said = said.replace(f"`str` matching regex {pattern!r}", meaning)
    return f"{root}{where.strip('`').removeprefix('$')}: {said[0].lower()}{said[1:]}"


def _check_key(baseline: Baseline) -> None:
    """Hold the hardware to the key that it has, so that neither is changed without the other."""
    known, key = baseline.hardware, baseline.key
    due = key_of(known.backend, known.chip, known.gpu_cores)
    if key == due:
        return
    field, said = "gpu_cores", str(known.gpu_cores)
    if not key.startswith(f"{known.backend}-"):
        field, said = "backend", known.backend
    elif re.sub(r"-\d+c$", "", key) != f"{known.backend}-{slug(known.chip)}":
        field, said = "chip", known.chip
    raise BaselineError(
        f"$.hardware.{field}: {shown(said)} does not go with the key {shown(key)}: this "
        f"hardware has the key {shown(due)}"
    )


def _check_runs(baseline: Baseline) -> None:
    for name, run in baseline.runs.items():
        if name != run_id(run):
            raise BaselineError(
                f"{step('$.runs', name)}: was changed by hand: what it says has the "
                f"name {run_id(run)}"
            )
    for case, record in baseline.cases.items():
        for part in record.parts:
            if part.run not in baseline.runs:
                where = step("$.cases", case)
                raise BaselineError(f"{where}: its run {shown(part.run)} is not under $.runs")
