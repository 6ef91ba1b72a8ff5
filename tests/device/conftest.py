"""Recorded outputs of Macs, commands that answer with them, and small made-up libraries."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from pytest_applegpu.device.build import Build, Distribution
from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.macos_gpu import DISPLAYS, IOREG, IOREG_PLIST
from pytest_applegpu.device.macos_power import BATTERY, CUSTOM, SETTINGS, THERMAL

OUTPUTS = Path(__file__).parent / "mac-outputs"

TOOLS: Mapping[str, tuple[str, ...]] = {
    "ioreg_plist": IOREG_PLIST,
    "ioreg": IOREG,
    "displays": DISPLAYS,
    "battery": BATTERY,
    "settings": SETTINGS,
    "custom": CUSTOM,
    "thermal": THERMAL,
    "sw_vers": ("sw_vers",),
}


def read_output(name: str) -> str:
    """Return a recorded output."""
    return (OUTPUTS / name).read_text(encoding="utf-8")


def answering(table: Mapping[tuple[str, ...], str | Answer]) -> Commands:
    """Return commands that answer from `table` and are missing otherwise."""

    def ask(argv: Sequence[str]) -> Answer:
        words = tuple(argv)
        said = table.get(words, table.get(words[:1], Answer(words, "missing")))
        return said if isinstance(said, Answer) else Answer(words, "ok", said, "", 0)

    return ask


def sysctl_text(
    chip: str = "Apple M5 Max", model: str = "Mac17,6", memory: int = 2**37, translated: int = 0
) -> str:
    """Return what sysctl says of a Mac, in the form of the recorded outputs."""
    return (
        f"machdep.cpu.brand_string: {chip}\nhw.model: {model}\nhw.memsize: {memory}\n"
        f"sysctl.proc_translated: {translated}\nkern.hv_vmm_present: 0\n"
    )


def mac_commands(sysctl: str | Answer = "", **said: str | Answer) -> Commands:
    """Return the commands of a Mac on mains power, cool, with macOS 26.5.1, unless told else."""
    table: dict[tuple[str, ...], str | Answer] = {
        ("sysctl",): sysctl or sysctl_text(),
        TOOLS["sw_vers"]: read_output("sw_vers-26.5.1-m5-pro.txt"),
        TOOLS["ioreg_plist"]: "",
        TOOLS["ioreg"]: "",
        TOOLS["battery"]: read_output("pmset-batt-ac-charged.txt"),
        TOOLS["settings"]: read_output("pmset-g-air-lowpower0.txt"),
        TOOLS["thermal"]: read_output("notifyutil-thermal-0-nominal.txt"),
    }
    table.update({TOOLS[name]: text for name, text in said.items()})
    return answering(table)


def mac_build(version: str = "0.32.4", tag: str = "macosx_26_0_arm64") -> Build:
    """Return an installation from the two wheels of a macOS release."""
    return Build(
        platform="darwin",
        machine="arm64",
        distributions=(
            Distribution("mlx", version, (f"cp312-cp312-{tag}",), "pip"),
            Distribution("mlx-metal", version, (f"py3-none-{tag}",), "pip"),
        ),
    )


def metallib_bytes(names: Sequence[str], target: tuple[int, int] = (26, 2)) -> bytes:
    """Return a metallib with these functions, laid out as in mlx-metal 0.32.4 but without code."""
    groups = b"".join(_group(name) for name in names)
    functions = struct.pack("<I", len(names)) + groups
    size = 88 + len(functions)
    head = struct.pack("<4s3H2B2H", b"MTLB", 0x8001, 2, 9, 0, 0x81, *target)
    head += struct.pack("<3Q", size, 88, len(groups))
    return head.ljust(88, b"\0") + functions


def _group(name: str) -> bytes:
    text = name.encode() + b"\0"
    tags = b"NAME" + struct.pack("<H", len(text)) + text
    tags += b"TYPE" + struct.pack("<HB", 1, 2) + b"HASH" + struct.pack("<H", 32) + bytes(32)
    tags += b"ENDT"
    return struct.pack("<I", 4 + len(tags)) + tags


def dylib_bytes(minos: tuple[int, int] = (26, 2), text: bytes = b"") -> bytes:
    """Return a Mach-O header with a build version, and `text` after it."""
    packed = minos[0] << 16 | minos[1] << 8
    command = struct.pack("<6I", 0x32, 24, 1, packed, 26 << 16 | 5 << 8, 0)
    head = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 1, len(command), 0, 0)
    return head + command + text


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], str]:
    """The reader of recorded outputs."""
    return read_output


@pytest.fixture(scope="session", name="answering")
def _answering() -> Callable[[Mapping[tuple[str, ...], str | Answer]], Commands]:
    return answering


@pytest.fixture(scope="session", name="sysctl_text")
def _sysctl_text() -> Callable[..., str]:
    return sysctl_text


@pytest.fixture(scope="session", name="mac_commands")
def _mac_commands() -> Callable[..., Commands]:
    return mac_commands


@pytest.fixture(scope="session", name="mac_build")
def _mac_build() -> Callable[..., Build]:
    return mac_build


@pytest.fixture(scope="session", name="metallib_bytes")
def _metallib_bytes() -> Callable[..., bytes]:
    return metallib_bytes


@pytest.fixture(scope="session", name="dylib_bytes")
def _dylib_bytes() -> Callable[..., bytes]:
    return dylib_bytes


@pytest.fixture
def library(tmp_path: Path) -> Callable[..., Path]:
    """A maker of library folders: names for mlx.metallib, or bytes for either file."""

    def make(
        names: Sequence[str] | bytes | None = None,
        dylib: bytes | None = None,
        target: tuple[int, int] = (26, 2),
    ) -> Path:
        folder = tmp_path / "mlx" / "lib"
        folder.mkdir(parents=True)
        if names is not None:
            data = names if isinstance(names, bytes) else metallib_bytes(names, target)
            (folder / "mlx.metallib").write_bytes(data)
        if dylib is not None:
            (folder / "libmlx.dylib").write_bytes(dylib)
        return folder

    return make
