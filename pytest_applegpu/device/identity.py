"""Which hardware does a worker's MLX run on? Name, architecture, family, cores and memory.

Facts come from what MLX says of its device first, then from the operating system. The metal
part is written from recorded outputs; not run on a Mac.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.device import linux, nvidia
from pytest_applegpu.device.arch import Architecture, family_of, parse_architecture
from pytest_applegpu.device.chips import APPLE, chips_named
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, first_known, seen, unknown
from pytest_applegpu.device.macos import Mac
from pytest_applegpu.device.macos_gpu import gpu_cores

ARCH_VARIABLE: Final = "MLX_METAL_GPU_ARCH"

_FROM_MLX: Final = "mx.device_info"
_LEAST_MEMORY: Final = 1 << 26
_NOT_APPLE: Final = "not an Apple GPU"

Info = Mapping[str, object]
"""What `mx.device_info` returned in the worker; empty where it failed."""


_METAL_ALONE: Final[Fact[int]] = unknown("", "Metal alone has such a limit")


@dataclass(frozen=True, slots=True)
class Identity:
    """The hardware behind a backend.

    `architecture` is what MLX's dispatch sees, `real` the GPU's own where that is known, and
    `forced` what `MLX_METAL_GPU_ARCH` (or another hand) put in its place.
    """

    name: Fact[str]
    architecture: Fact[str]
    family: Fact[str]
    gpu_cores: Fact[int]
    memory_bytes: Fact[int]
    virtual: Fact[bool]
    forced: Fact[str]
    real: Architecture | None = None
    working_set_bytes: Fact[int] = _METAL_ALONE
    buffer_bytes: Fact[int] = _METAL_ALONE

    @property
    def misled(self) -> bool:
        """Whether MLX's dispatch follows another architecture than the GPU's own."""
        return self.forced.known and (self.real is None or self.real.text != self.forced.value)


def metal_identity(
    info: Info, mac: Mac, commands: Commands, environ: Mapping[str, str]
) -> Identity:
    """Return the identity of the GPU that Metal gives MLX."""
    name = first_known(_text(info, "device_name"), mac.chip)
    architecture = _text(info, "architecture")
    virtual = _virtual_gpu(name.value or "", parse_architecture(architecture.value), mac)
    real, forced = _real_and_forced(name.value or "", architecture.value, environ)
    return Identity(
        name=name,
        architecture=architecture,
        family=_family(name.value or "", real),
        gpu_cores=_cores(name.value, commands, virtual),
        memory_bytes=first_known(_memory(info, "memory_size"), mac.memory_bytes),
        virtual=virtual,
        forced=forced,
        real=real,
        working_set_bytes=_memory(info, "max_recommended_working_set_size"),
        buffer_bytes=_memory(info, "max_buffer_length"),
    )


def cuda_identity(info: Info, commands: Commands) -> Identity:
    """Return the identity of the NVIDIA GPU that MLX uses."""
    uuid = _text(info, "uuid").value
    name, memory = _text(info, "device_name"), _memory(info, "total_memory")
    if not (name.known and memory.known):
        gpu = nvidia.nvidia_gpu(commands, uuid)
        listed = gpu.value
        name = first_known(name, seen(listed.name if listed else None, gpu.source, gpu.note))
        size = listed.memory_bytes if listed else None
        memory = first_known(memory, seen(size, gpu.source, gpu.note))
    virtual = name.value is not None and ("GRID" in name.value or "vGPU" in name.value)
    return Identity(
        name=name,
        architecture=_text(info, "architecture"),
        family=unknown("", _NOT_APPLE),
        gpu_cores=unknown("", "NVIDIA's driver tools do not print it"),
        memory_bytes=memory,
        virtual=Fact(virtual, "device name"),
        forced=_not_forced("metal alone reads the variable"),
    )


def cpu_identity(info: Info, mac: Mac | None, read: linux.ReadText) -> Identity:
    """Return the identity of the processor, for MLX's CPU backend."""
    says = "no GPU in use"
    if mac is None and linux.under_hypervisor(read):
        says += "; the machine itself is a virtual one"
    if mac is not None and mac.virtual.value:
        says += f"; the machine itself is a virtual one ({mac.virtual.note or mac.model})"
    system_name = mac.chip if mac else linux.cpu_model(read)
    return Identity(
        name=first_known(_text(info, "device_name"), system_name),
        architecture=_text(info, "architecture"),
        family=unknown("", _NOT_APPLE),
        gpu_cores=unknown("", "no GPU in use"),
        memory_bytes=mac.memory_bytes if mac else linux.memory_bytes(read),
        virtual=Fact(False, "backend cpu", says),
        forced=_not_forced("metal alone reads the variable"),
    )


def emulated_identity(info: Info, mac: Mac | None, read: linux.ReadText) -> Identity:
    """Return the identity of an emulated GPU: what its architecture tells.

    Its cores are known where one chip alone has the architecture; the memory is the host's.
    """
    asked = "as asked for: it is emulated"
    architecture = seen(_text(info, "architecture").value, asked, "none was asked for")
    real = parse_architecture(architecture.value)
    rows = [chip for chip in APPLE if chip.architecture == architecture.value]
    several = f"{len(rows)} chips have {architecture}"
    cores = rows[0].gpu_cores if len(rows) == 1 else None
    return Identity(
        name=seen(_text(info, "device_name").value, asked, "none was asked for"),
        architecture=architecture,
        family=seen(family_of(real), "chip table, by architecture", f"{architecture} is not in it"),
        gpu_cores=seen(cores, "chip table, by architecture", several),
        memory_bytes=mac.memory_bytes if mac else linux.memory_bytes(read),
        virtual=Fact(False, "backend emulated", "no GPU in use"),
        forced=_not_forced("an emulated device has no other architecture"),
        real=real,
    )


def _real_and_forced(
    name: str, reported: str | None, environ: Mapping[str, str]
) -> tuple[Architecture | None, Fact[str]]:
    """Tell the GPU's own architecture from the one that MLX was told to follow."""
    asked = environ.get(ARCH_VARIABLE, "").strip()
    known = next((chip.architecture for chip in chips_named(name)), None)
    if asked and reported in {asked, None, ""}:
        return parse_architecture(known), Fact(asked, f"environment variable {ARCH_VARIABLE}")
    if known and reported and reported != known:
        note = f"{name} is {known}"
        return parse_architecture(known), Fact(reported, "device name against architecture", note)
    told = f"{asked} is set, but MLX before 0.31.0 does not read it" if asked else "not set"
    return parse_architecture(reported or known), _not_forced(told)


def _not_forced(note: str) -> Fact[str]:
    return Fact(None, f"environment variable {ARCH_VARIABLE}", note)


def _virtual_gpu(name: str, architecture: Architecture | None, mac: Mac) -> Fact[bool]:
    if "paravirtual" in name.lower():
        return Fact(True, "device name", name)
    if name.endswith("(Virtual)"):
        return Fact(True, "device name", name)
    if architecture is not None and architecture.virtual:
        return Fact(True, "architecture", architecture.text)
    if mac.virtual.known:
        return mac.virtual
    if name and architecture is not None:
        return Fact(False, "device name and architecture")
    return mac.virtual


def _family(name: str, real: Architecture | None) -> Fact[str]:
    rows = chips_named(name)
    if rows:
        return Fact(rows[0].family, f"chip table, {rows[0].name}")
    found = family_of(real)
    otherwise = f"neither {name or 'the chip'} nor its architecture is in the chip table"
    return seen(found, "chip table, by architecture", otherwise)


def _cores(name: str | None, commands: Commands, virtual: Fact[bool]) -> Fact[int]:
    if virtual.value:
        return unknown("", "virtual GPU")
    found = gpu_cores(commands, name)
    listed = [chip.gpu_cores for chip in chips_named(name or "")]
    if found.known and listed and found.value not in listed:
        rows = ", ".join(map(str, listed))
        return replace(found, note=f"the chip table has {name} with {rows} cores")
    return found


def _text(info: Info, key: str) -> Fact[str]:
    value = info.get(key)
    text = value.strip() if isinstance(value, str) else ""
    return seen(text or None, f"{_FROM_MLX} {key}", f"mx.device_info gives no {key}")


def _memory(info: Info, key: str) -> Fact[int]:
    """Return a size in bytes; a smaller one than any machine has is in another unit."""
    value = info.get(key)
    size = value if isinstance(value, int) and value >= _LEAST_MEMORY else None
    return seen(size, f"{_FROM_MLX} {key}", f"mx.device_info gives no {key} in bytes")
