"""What do the records of one group say together? Counts, worst errors, median speeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median

from pytest_applegpu.report.records import Record, SettingFacts
from pytest_applegpu.words import outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a summary; None stands where no record of the group knows a value.

    `tflops` and `gbs` are medians over the group's products and matrix-vector products, `ratio`
    the median and `worst_ratio` the largest of the times now over the times before.
    """

    key: tuple[str, ...]
    cases: int
    failures: int
    share: float | None
    ulp: float | None
    tflops: float | None
    gbs: float | None
    peak_share: float | None
    ratio: float | None
    worst_ratio: float | None
    spread: float | None
    unrated: str
    """The commonest word in place of a ratio, such as `no baseline`; empty where none fell."""


def by_operation(records: Iterable[Record]) -> list[Row]:
    """Group by operation, dtype and setting."""
    return _grouped(records, lambda r: (r.problem.op, r.problem.dtype, setting_text(r.setting)))


def by_shape(records: Iterable[Record]) -> list[Row]:
    """Group what was timed by shape class, dtype and setting."""
    timed = [record for record in records if record.kind == "throughput"]
    return _grouped(timed, lambda r: (shape_class(r), r.problem.dtype, setting_text(r.setting)))


def shape_class(record: Record) -> str:
    """Return `gemv` for a single row or column, `batched` for a stack of products, else `gemm`."""
    problem = record.problem
    if min(problem.m, problem.n) == 1:
        return "gemv"
    return "batched" if problem.batch_a or problem.batch_b else "gemm"


def setting_text(setting: SettingFacts) -> str:
    """Return the setting in few characters: `tf32 off, g16s, no NAX`."""
    arch = f", {setting.arch.removeprefix('applegpu_')}" if setting.arch else ""
    return f"tf32 {setting.tf32}{arch}" + (", no NAX" if setting.nax == "off" else "")


def is_known(record: Record) -> bool:
    """Whether what failed is a known issue."""
    return any(one.state == "happened" for one in record.known)


def is_gone(record: Record) -> bool:
    """Whether a known issue did not happen, though it is to happen in every such case."""
    return any(one.state == "gone" for one in record.known)


def failed(record: Record) -> bool:
    """Whether the record's verdict, or that of its comparison, fails, and is no known issue.

    A case that passes fails where a known issue is gone.
    """
    if is_known(record) or is_gone(record):
        return is_gone(record)
    words = [record.verdict] + ([record.baseline.verdict] if record.baseline else [])
    return any(outcome(word) == "failed" for word in words)


def _grouped(records: Iterable[Record], key: Callable[[Record], tuple[str, ...]]) -> list[Row]:
    groups: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return [_row(name, groups[name]) for name in sorted(groups)]


def _row(key: tuple[str, ...], records: Sequence[Record]) -> Row:
    errors = [record.error for record in records if record.error]
    times = [(record, record.time) for record in records if record.time]
    baselines = [record.baseline for record in records if record.baseline]
    ratios = [one.ratio for one in baselines if one.ratio is not None]
    return Row(
        key=key,
        cases=len(records),
        failures=sum(map(failed, records)),
        share=_worst(error.share for error in errors),
        ulp=_worst(error.ulp for error in errors),
        tflops=_median(time.tflops for one, time in times if shape_class(one) != "gemv"),
        gbs=_median(time.gbs for one, time in times if shape_class(one) == "gemv"),
        peak_share=_median(time.peak_share for _, time in times),
        ratio=_median(ratios),
        worst_ratio=_worst(ratios),
        spread=_worst(time.spread for _, time in times),
        unrated=_commonest([one.verdict for one in baselines if one.ratio is None]),
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _worst(values: Iterable[float | None]) -> float | None:
    """Return the largest value; one that is no number is worse than any."""
    return max(_known(values), key=lambda value: (isnan(value), value), default=None)


def _median(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return median(known) if known else None


def _commonest(words: Sequence[str]) -> str:
    return max(sorted(set(words)), key=words.count, default="")
