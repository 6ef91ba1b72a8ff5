"""What is known of this chip? The table in data/chips.json, and the peaks it gives.

Peaks are computed from clocks that are partly third-party claims, so each carries its
confidence: fit for "percent of peak, about", never for pass or fail.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import msgspec


class Chip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An Apple chip with one count of GPU cores. Statuses are explained by `marks`."""

    name: str
    gpu_cores: int
    architecture: str
    architecture_status: str
    family: str
    year: int
    generation: int
    letter: str
    nax: bool
    clock_mhz: int
    clock_status: str
    fp32_tflops: float
    fp16_tflops: float
    fp16_nax_tflops: float | None
    peak_confidence: str
    bandwidth_gbs: float
    bandwidth_status: str
    slc_mb: int | None
    l2_kb: int | None
    cache_status: str | None
    sources: tuple[str, ...]
    note: str


class Accelerator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An NVIDIA GPU, by the name its driver gives; dense peaks of its datasheet."""

    name: str
    fp32_tflops: float
    tf32_tflops: float
    fp16_tflops: float
    bf16_tflops: float
    fp64_tflops: float
    bandwidth_gbs: float
    peak_confidence: str
    sources: tuple[str, ...]
    note: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    marks: dict[str, str]
    sources: dict[str, str]
    apple: tuple[Chip, ...]
    nvidia: tuple[Accelerator, ...]


class Peak(msgspec.Struct, frozen=True):
    """A ceiling: TFLOP/s or GB/s as `unit` says, how far it can be trusted, and why."""

    value: float
    unit: str
    confidence: str
    source: str


@cache
def _table() -> _Table:
    text = (Path(__file__).parent / "data" / "chips.json").read_bytes()
    return msgspec.json.decode(text, type=_Table)


APPLE: Final = _table().apple
"""Every Apple chip known, one row per count of GPU cores."""

NVIDIA: Final = _table().nvidia
"""The NVIDIA GPUs known."""

MARKS: Final = _table().marks
"""What the status words in the table mean."""

SOURCES: Final = _table().sources
"""What the short source names in the table stand for."""


def chip_name(device_name: str) -> str:
    """Return `device_name` as the table writes it: `Apple M1 (Virtual)` is `M1`."""
    return device_name.strip().removesuffix("(Virtual)").strip().removeprefix("Apple ").strip()


def chips_named(device_name: str) -> tuple[Chip, ...]:
    """Return the rows of this chip, one per count of GPU cores; empty for an unknown chip."""
    name = chip_name(device_name)
    return tuple(chip for chip in APPLE if chip.name == name)


def find_chip(device_name: str, gpu_cores: int | None) -> Chip | Accelerator | None:
    """Return the row of a device, or None where the table has no row or the cores are unknown."""
    for accelerator in NVIDIA:
        if accelerator.name == device_name.strip():
            return accelerator
    rows = chips_named(device_name)
    return next((chip for chip in rows if chip.gpu_cores == gpu_cores), None)


def peak_tflops(
    chip: Chip | Accelerator | None, dtype: str, *, tf32: bool, nax: bool
) -> Peak | None:
    """Return the most TFLOP/s that `chip` can reach in a product of `dtype`, if known.

    Complex products count real operations: eight for each complex multiply and add.

    Args:
        chip: a row of the table, or None for a chip that is not in it.
        dtype: MLX's name for the format, such as `float16`.
        tf32: whether MLX may use TF32-class arithmetic for float32.
        nax: whether MLX uses NAX kernels (Apple only).
    """
    if chip is None:
        return None
    found = _nvidia(chip, dtype, tf32) if isinstance(chip, Accelerator) else None
    if isinstance(chip, Chip):
        found = _apple(chip, dtype, on_nax=nax and dtype in _on_nax(tf32))
    if found is None:
        return None
    value, remark = found
    source = ", ".join(chip.sources) + (f"; {remark}" if remark else "")
    return Peak(value, "TFLOP/s", chip.peak_confidence, source)


def peak_bandwidth(chip: Chip | Accelerator | None) -> Peak | None:
    """Return the memory bandwidth of `chip` in GB/s (10**9 bytes), if known."""
    if chip is None:
        return None
    mark = chip.bandwidth_status if isinstance(chip, Chip) else chip.peak_confidence
    return Peak(chip.bandwidth_gbs, "GB/s", mark, ", ".join(chip.sources))


def _on_nax(tf32: bool) -> tuple[str, ...]:
    return ("float16", "bfloat16", "float32") if tf32 else ("float16", "bfloat16")


def _apple(chip: Chip, dtype: str, *, on_nax: bool) -> tuple[float, str] | None:
    if on_nax and chip.fp16_nax_tflops is not None:
        remark = "" if dtype == "float16" else f"no figure for {dtype}: float16 on NAX bounds it"
        return chip.fp16_nax_tflops, remark
    if dtype in {"float32", "complex64"}:
        return chip.fp32_tflops, ""
    if dtype in {"float16", "bfloat16"}:
        remark = "" if dtype == "float16" else "bfloat16 taken as float16"
        return chip.fp16_tflops, remark
    return None


def _nvidia(chip: Accelerator, dtype: str, tf32: bool) -> tuple[float, str] | None:
    single = chip.tf32_tflops if tf32 else chip.fp32_tflops
    value = {
        "float32": single,
        "complex64": single,
        "float16": chip.fp16_tflops,
        "bfloat16": chip.bf16_tflops,
        "float64": chip.fp64_tflops,
    }.get(dtype)
    return None if value is None else (value, "")
