"""Which NVIDIA GPUs are there, and what holds them back? From nvidia-smi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.facts import Fact, seen, unknown

_FIELDS: Final = "uuid,name,memory.total,driver_version,pstate,temperature.gpu"
_QUERIES: Final = tuple(
    ("nvidia-smi", f"--query-gpu={_FIELDS},{reasons}", "--format=csv,noheader,nounits")
    for reasons in ("clocks_event_reasons.active", "clocks_throttle_reasons.active")
)
"""The second one for drivers that know the reasons by their older name."""

IDLE: Final = "GPU idle"

REASONS: Final = {
    0x1: IDLE,
    0x2: "application clocks",
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
    0x100: "display clocks",
}
"""Bits of the clocks event reasons, after NVIDIA's nvml.h."""

SLOWING: Final = frozenset(
    {"hardware slowdown", "software thermal slowdown", "hardware thermal slowdown", "power brake"}
)
"""Reasons that make a timing unfit; the power cap is how a loaded data-centre GPU works."""


@dataclass(frozen=True, slots=True)
class NvidiaGpu:
    """One GPU as nvidia-smi lists it; None for what it does not say."""

    uuid: str
    name: str
    memory_bytes: int | None
    driver: str
    pstate: str
    celsius: int | None
    reasons: tuple[str, ...] | None


def driver_answers(commands: Commands) -> bool:
    """Say whether an NVIDIA driver with at least one GPU answers."""
    answer = commands(("nvidia-smi", "-L"))
    return answer.status == "ok" and answer.stdout.startswith("GPU ")


def nvidia_gpu(commands: Commands, uuid: str | None = None) -> Fact[NvidiaGpu]:
    """Return the GPU of that UUID, or the first one where none is asked for or found."""
    answer = _ask(commands)
    found = parse_gpus(answer.stdout) if answer.status == "ok" else ()
    if not found:
        return unknown("nvidia-smi", answer.complaint or "its answer lists no GPU")
    chosen = next((gpu for gpu in found if gpu.uuid == uuid), found[0])
    doubt = "" if chosen.uuid == uuid or len(found) == 1 else f"the first of {len(found)} GPUs"
    return Fact(chosen, "nvidia-smi", doubt)


def throttling(gpu: Fact[NvidiaGpu]) -> Fact[tuple[str, ...]]:
    """Return what holds the GPU's clocks back, each one a value of `REASONS`."""
    if gpu.value is None:
        return unknown(gpu.source, gpu.note)
    return seen(gpu.value.reasons, "nvidia-smi clocks event reasons", "not given by this driver")


def parse_gpus(text: str) -> tuple[NvidiaGpu, ...]:
    """Return the GPUs in nvidia-smi's CSV; lines of another form are passed over."""
    rows = (line.split(",") for line in text.splitlines())
    return tuple(_gpu(row) for row in rows if len(row) == 7 and row[0].startswith("GPU-"))


def parse_reasons(text: str) -> tuple[str, ...] | None:
    """Return the reasons in a mask such as `0x0000000000000004`, None where there is no mask."""
    if not re.fullmatch(r"0x[0-9a-fA-F]{1,16}", text):
        return None
    mask = int(text, 16)
    return tuple(name for bit, name in REASONS.items() if mask & bit)


def _ask(commands: Commands) -> Answer:
    first = commands(_QUERIES[0])
    if first.status != "failed" or "not a valid field" not in first.stdout + first.stderr:
        return first
    return commands(_QUERIES[1])


def _gpu(row: list[str]) -> NvidiaGpu:
    uuid, name, memory, driver, pstate, celsius, reasons = (cell.strip() for cell in row)
    mebibytes = _whole(memory)
    return NvidiaGpu(
        uuid=uuid,
        name=name,
        memory_bytes=None if mebibytes is None else mebibytes * 2**20,
        driver=driver,
        pstate=pstate,
        celsius=_whole(celsius),
        reasons=parse_reasons(reasons),
    )


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None
