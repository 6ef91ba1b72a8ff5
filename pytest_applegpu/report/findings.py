"""What did a search find? Failures by kind, each with its smallest case; text from records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.report.phrases import escaped
from pytest_applegpu.report.records import ErrorFacts, Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.rows import failed

SHOWN: Final = 20
"""So many kinds are told of; of the rest only the number is given."""

_READING: Final = 160
"""Characters of what was read off a failure."""

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class Kind(NamedTuple):
    """What failures have in common that are taken for one fault seen again and again."""

    op: str
    formats: str
    """real, half or complex."""
    verdict: str
    reading: str
    """Cause, message or pattern, without its numbers."""


def kind_of(op: str, dtype: str, verdict: str, error: ErrorFacts | None) -> Kind:
    """Return the kind of a failure of `op` in the format named `dtype`."""
    said = (error.cause or error.message or error.pattern or "") if error else ""
    return Kind(op, _formats(dtype), verdict, _NUMBER.sub("#", said))


def _formats(dtype: str) -> str:
    format_ = DTYPES[dtype]
    if format_.is_complex:
        return "complex"
    return "half" if format_.itemsize < 4 else "real"


def findings_text(records: Sequence[Record], rerun: Rerun) -> str:
    """Return the failures of a run by kind, the commonest first; empty where nothing failed.

    Known issues are no findings. A case that passed where a known issue is to fail is none either:
    the run says so elsewhere.
    """
    kinds: dict[Kind, list[Record]] = {}
    for record in filter(_is_finding, records):
        facts = record.problem
        kind = kind_of(facts.op, facts.dtype, record.verdict, record.error)
        kinds.setdefault(kind, []).append(record)
    if not kinds:
        return ""
    return "\n".join(_lines(kinds, rerun))


def _is_finding(record: Record) -> bool:
    return failed(record) and not any(one.state == "gone" for one in record.known)


def _lines(kinds: dict[Kind, list[Record]], rerun: Rerun) -> Iterator[str]:
    count = sum(map(len, kinds.values()))
    yield f"{_plural(count, 'finding')} in {_plural(len(kinds), 'kind')}"
    ordered = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    for number, (kind, records) in enumerate(ordered[:SHOWN], 1):
        smallest = _smallest(records)
        yield f"{number}. {_title(kind)}: {_plural(len(records), 'case')}"
        yield f"   smallest: {escaped(smallest)}"
        yield f"   rerun: {rerun.command(smallest)}"
    if len(ordered) > SHOWN:
        yield f"and {_plural(len(ordered) - SHOWN, 'kind')} more, in the report log"


def _title(kind: Kind) -> str:
    reading = f" ({escaped(kind.reading, _READING)})" if kind.reading else ""
    return f"{kind.op}, {kind.formats}, {kind.verdict}{reading}"


def _smallest(records: Sequence[Record]) -> str:
    """Return the case that a failure was shrunk to; where none was, the one of fewest terms."""
    cut = [one.error.shrunk for one in records if one.error and one.error.shrunk]
    found = [one.case for one in cut if one.tried]
    if found:
        return min(found, key=len)
    return min(records, key=lambda one: one.problem.m * one.problem.n * one.problem.k).case


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" + ("" if count == 1 else "s")
