"""What is this device? Everything that is known of it, put together with how it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from pytest_applegpu.device import linux
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import (
    Backend,
    Build,
    expected_backend,
    parse_version,
    read_build,
)
from pytest_applegpu.device.chips import Accelerator, Chip, find_chip
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.condition import Condition, read_condition
from pytest_applegpu.device.facts import Fact, first_known, seen, unknown
from pytest_applegpu.device.identity import (
    Identity,
    cpu_identity,
    cuda_identity,
    emulated_identity,
    metal_identity,
)
from pytest_applegpu.device.installed import holds_library
from pytest_applegpu.device.key import baseline_key
from pytest_applegpu.device.library import Kernels, no_evidence, read_kernels
from pytest_applegpu.device.macos import Mac, read_mac
from pytest_applegpu.device.nax import (
    Hardware,
    Nax,
    decide_nax,
    emulated_nax,
    no_nax,
    runs_without_check,
)

Hello = Mapping[str, object]
"""What a worker reports once it has imported mlx (see `detect`)."""


@dataclass(frozen=True, slots=True)
class Device:
    """The device a run works on. `key` names its baseline; it is unknown where none can be kept.

    `forced` is the architecture that MLX's dispatch was told to follow, unknown where it follows
    the GPU's own. `errors` must be seen to; `remarks` explain what may surprise.
    """

    backend: Backend
    name: Fact[str]
    architecture: Fact[str]
    family: Fact[str]
    gpu_cores: Fact[int]
    memory_bytes: Fact[int]
    working_set_bytes: Fact[int]
    buffer_bytes: Fact[int]
    virtual: Fact[bool]
    forced: Fact[str]
    os_name: Fact[str]
    os_version: Fact[str]
    os_build: Fact[str]
    mlx_version: Fact[str]
    wheel_tag: Fact[str]
    build_kind: str
    condition: Condition
    nax: Nax
    key: Fact[str]
    chip: Chip | Accelerator | None
    errors: tuple[str, ...]
    remarks: tuple[str, ...]


def detect(
    hello: Hello,
    commands: Commands,
    environ: Mapping[str, str],
    platform: str,
    *,
    build: Build | None = None,
    read: linux.ReadText = linux.read_text,
) -> Device:
    """Return what is known of the device that a worker runs on.

    Args:
        hello: the worker's report: `mlx` (version), `backend`, `device_info` (empty where it
            failed, with the reason in `device_info_error`), `python`, `executable`, `machine`,
            `mac_ver`, `mlx_file`. Whatever is absent is unknown.
        commands: what runs the outside commands.
        environ: the worker's environment.
        platform: `sys.platform` of the machine.
        build: the MLX installation of the worker's interpreter; read here where not given.
        read: what reads system files on Linux.
    """
    build = build or read_build(_said(hello, "executable"), commands)
    backend = _backend(hello, build)
    if backend == "emulated":
        build = Build()  # whichever MLX is installed has no part in it
    mac = read_mac(commands, _said(hello, "mac_ver") or "") if platform == "darwin" else None
    info = _info(hello)
    if backend == "metal" and mac is not None:
        identity = metal_identity(info, mac, commands, environ)
    elif backend == "cuda":
        identity = cuda_identity(info, commands)
    elif backend == "emulated":
        identity = emulated_identity(info, mac, read)
    else:
        identity = cpu_identity(info, mac, read)
    return _assemble(hello, build, identity, mac, _Machine(backend, commands, platform, read))


@dataclass(frozen=True, slots=True)
class _Machine:
    backend: Backend
    commands: Commands
    platform: str
    read: linux.ReadText


def _assemble(
    hello: Hello, build: Build, identity: Identity, mac: Mac | None, machine: _Machine
) -> Device:
    kernels = _kernels(hello, build, machine.backend)
    emulated = machine.backend == "emulated"
    nax = (
        emulated_nax(_info(hello))
        if emulated
        else _nax(identity, mac, build, kernels, machine.backend)
    )
    os_name, os_version, os_build = _system(mac, machine)
    virtual = bool(identity.virtual.value)
    condition = read_condition(
        machine.backend, machine.commands, machine.platform, virtual=virtual, uuid=_uuid(hello)
    )
    return Device(
        backend=machine.backend,
        name=identity.name,
        architecture=identity.architecture,
        family=identity.family,
        gpu_cores=identity.gpu_cores,
        memory_bytes=identity.memory_bytes,
        working_set_bytes=identity.working_set_bytes,
        buffer_bytes=identity.buffer_bytes,
        virtual=identity.virtual,
        forced=identity.forced,
        os_name=os_name,
        os_version=os_version,
        os_build=os_build,
        mlx_version=_mlx_version(hello, build),
        wheel_tag=unknown("", "emulated: no library is used") if emulated else build.wheel_tag,
        build_kind="emulated" if emulated else build.kind,
        condition=condition,
        nax=nax,
        key=baseline_key(machine.backend, identity),
        chip=find_chip(identity.name.value or "", identity.gpu_cores.value),
        errors=tuple(_errors(hello, build, identity, mac, kernels)),
        remarks=tuple(_remarks(hello, build, identity, mac, nax)),
    )


def _backend(hello: Hello, build: Build) -> Backend:
    said = _said(hello, "backend")
    return next((one for one in get_args(Backend) if one == said), expected_backend(build))


def _info(hello: Hello) -> Mapping[str, object]:
    info = hello.get("device_info")
    return info if isinstance(info, Mapping) else {}


def _said(hello: Hello, key: str) -> str | None:
    value = hello.get(key)
    return value if isinstance(value, str) and value else None


def _uuid(hello: Hello) -> str | None:
    return _said(_info(hello), "uuid")


def _mlx_version(hello: Hello, build: Build) -> Fact[str]:
    known = "what is emulated" if _said(hello, "backend") == "emulated" else "mlx.core.__version__"
    imported = seen(_said(hello, "mlx"), known, "no worker imported mlx")
    return first_known(imported, build.version)


def _system(mac: Mac | None, machine: _Machine) -> tuple[Fact[str], Fact[str], Fact[str]]:
    if mac is not None:
        version = mac.version
        shown = Fact(version.value.text if version.value else None, version.source, version.note)
        return Fact("macOS", "sys.platform"), shown, mac.build
    if machine.platform == "linux":
        name, release = linux.distribution(machine.read)
        return name, release, linux.kernel_release(machine.read)
    nothing: Fact[str] = unknown("sys.platform", f"{machine.platform} is not asked for it")
    return Fact(machine.platform, "sys.platform"), nothing, nothing


def _kernels(hello: Hello, build: Build, backend: Backend) -> Kernels:
    """Read the library beside the module that was imported; else the one metadata leads to."""
    if backend != "metal":
        return no_evidence(f"backend {backend} has no Metal kernels")
    module = _said(hello, "mlx_file") or build.extension
    extension = Path(module) if module and module.endswith(".so") else None
    beside = Path(module).parent / "lib" if module else None
    if beside is not None and holds_library(beside):
        return read_kernels(beside, extension)
    if build.library or extension:
        return read_kernels(Path(build.library or Path(str(extension)).parent), extension)
    return no_evidence("the folder of MLX's library was not found")


def _nax(
    identity: Identity, mac: Mac | None, build: Build, kernels: Kernels, backend: Backend
) -> Nax:
    if backend != "metal" or mac is None:
        return no_nax(backend)
    forced = parse_architecture(identity.forced.value)
    name = identity.name.value or "unknown device"
    hardware = Hardware(name, identity.real, forced, bool(identity.virtual.value))
    return decide_nax(hardware, mac.version, build, kernels)


def _errors(
    hello: Hello, build: Build, identity: Identity, mac: Mac | None, kernels: Kernels
) -> Iterator[str]:
    yield from build.errors
    failed = _said(hello, "device_info_error")
    if failed:
        yield f"MLX cannot describe its device: {failed}"
    if mac is not None and mac.translated.value:
        yield (
            "this Python runs under Rosetta, for which MLX has no wheels: install an arm64 Python"
        )
    forced = parse_architecture(identity.forced.value)
    if forced and forced.has_nax and identity.real and not identity.real.has_nax:
        yield (
            f"{forced.text} is forced on {identity.name}, which has no NAX: "
            "NAX kernels assume its registers and give wrong numbers elsewhere"
        )
    old = mac is not None and mac.version.value and mac.version.value.at_least(26, 2) == "no"
    capable = forced or identity.real
    if old and capable and capable.has_nax and runs_without_check(build, kernels):
        yield (
            "this MLX picks NAX kernels without asking for macOS 26.2, and they fail before it "
            "(mlx issue 4525): update macOS"
        )


def _remarks(
    hello: Hello, build: Build, identity: Identity, mac: Mac | None, nax: Nax
) -> Iterator[str]:
    imported, listed = parse_version(_said(hello, "mlx")), parse_version(build.version.value)
    if imported and listed and imported != listed:
        yield f"the worker imported MLX {imported}, while metadata lists {listed}"
    taken = _said(hello, "mac_ver") or build.mac_ver
    version = mac.version.value if mac else None
    if version is None or not taken.startswith(("16.", "10.16")) or nax.available == "yes":
        return
    if identity.real and identity.real.has_nax and version.major >= 26:
        yield (
            f"this Python takes macOS {version} for {taken}; its pip then installs the wheel for "
            "macOS 15, which has no NAX kernels: use a newer Python and install mlx again"
        )
