"""How does the record of a case end its test: passed, failed, skipped, or failing as is known?"""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.listed import Listed, reason
from pytest_applegpu.report.failure import failure_text
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.rows import is_gone, is_known
from pytest_applegpu.words import outcome


def conclude(record: Record, listed: Listed, rerun: Rerun, bundle: str | None = None) -> None:
    """End a test as its record says; return where it passed.

    `bundle` says where the bundle of a failure was written.
    """
    __tracebackhide__ = True
    if is_known(record):
        pytest.xfail(reason(record))
    if is_gone(record):
        pytest.fail(listed.told(record, rerun), pytrace=False)
    result = outcome(record.verdict)
    if result == "failed":
        pytest.fail(failure_text(record, rerun, bundle), pytrace=False)
    if result == "skipped":
        message = record.error.message if record.error else None
        pytest.skip(f"{record.verdict}: {message}")
