"""Where do timed records lie under their chip's roof? Records of a run, or of its log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.roofline_text import Reference, roofline_text
from pytest_applegpu.device.chips import (
    APPLE,
    NVIDIA,
    Accelerator,
    Chip,
    peak_bandwidth,
    peak_tflops,
)
from pytest_applegpu.device.key import key_of
from pytest_applegpu.device.published import beside
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rows import shape_class
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.throughput.roof import Spot


def told(records: Iterable[Record]) -> str:
    """Return the summary's section about the roofline; empty where no peak is known."""
    timed = [record for record in records if record.time is not None]
    return roofline_text(spots(timed), references(timed))


def spots(records: Iterable[Record]) -> list[Spot]:
    """Return the timed records that read and multiply anything, each with its peaks."""
    found = []
    for record in records:
        case = case_of(record)
        if record.time and record.time.seconds > 0 and case.problem.flops and case.problem.bytes:
            found.append(_spot(record, case, record.time.seconds))
    return found


def _spot(record: Record, case: Case, seconds: float) -> Spot:
    problem, chip = case.problem, chip_of(record)
    tflops = peak_tflops(
        chip, problem.dtype.name, tf32=case.setting.tf32 == "on", nax=_is_nax(record)
    )
    gbs = peak_bandwidth(chip)
    return Spot(
        case=record.case,
        route=_route(record),
        dtype=problem.dtype.name,
        intensity=problem.flops / problem.bytes,
        tflops=problem.flops / seconds / 1e12,
        peak_tflops=tflops.value if tflops else None,
        peak_gbs=gbs.value if gbs else None,
        per_core=_per_core(record, case, chip),
    )


def case_of(record: Record) -> Case:
    """Return the case of a record."""
    return parse_cases(record.case, ())[0]


def chip_of(record: Record) -> Chip | Accelerator | None:
    """Return the row of the chip that a record names; None where the table has none."""
    chips: tuple[Chip | Accelerator, ...] = (*APPLE, *NVIDIA)
    for chip in chips:
        cores = chip.gpu_cores if isinstance(chip, Chip) else None
        backend = "metal" if isinstance(chip, Chip) else "cuda"
        if record.backend == backend and record.device == key_of(backend, chip.name, cores):
            return chip
    return None


def _is_nax(record: Record) -> bool:
    route = record.route
    return bool(route and route.here and any("_nax" in kernel for kernel in route.kernels))


def _route(record: Record) -> str:
    """Return the route that ran; where none is known, what stands for it."""
    if record.route is not None and record.route.here:
        return record.route.path
    return f"{record.backend} {record.problem.op} {shape_class(record)}"


def _per_core(record: Record, case: Case, chip: Chip | Accelerator | None) -> float | None:
    """Return threadgroups a GPU core of the largest launch, from the predicted grids."""
    route = record.route
    if route is None or not route.here or not isinstance(chip, Chip):
        return None
    try:
        found = predict(case.problem, Gpu(route.arch, _is_nax(record)), case.setting, route.mlx)
    except ValueError:
        return None
    if not found.launches:
        return None
    return max(one.threadgroups for one in found.launches) / chip.gpu_cores


def references(records: Sequence[Record]) -> list[Reference]:
    """Return what is published beside the records' products, of the same chip, format and sizes."""
    found = []
    for record in records:
        chip, problem = chip_of(record), record.problem
        if not isinstance(chip, Chip) or record.time is None or problem.batch_a or problem.batch_b:
            continue
        shape = problem.m, problem.n, problem.k
        tflops = case_of(record).problem.flops / record.time.seconds / 1e12
        found += [
            Reference(record.case, tflops, one.tflops, one.software, one.source)
            for one in beside(chip.name, chip.gpu_cores, problem.op, problem.dtype, shape)
            if one.transpose in {"", problem.transpose}
        ]
    return found
