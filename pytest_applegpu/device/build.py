"""Which build of MLX will a worker import? Known from metadata, before any worker starts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import msgspec
from packaging.version import InvalidVersion, Version

from pytest_applegpu.device import installed
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, seen, unknown
from pytest_applegpu.device.nvidia import driver_answers

Backend = Literal["metal", "cuda", "cpu", "emulated"]

METADATA: Final = "metadata of the installed packages"
SHARE_ONE_FILE: Final = ("mlx-cpu", "mlx-cuda", "mlx-cuda-12", "mlx-cuda-13")
"""Backends whose wheels hold the same mlx/lib/libmlx.so: one overwrites the other's."""


class Distribution(msgspec.Struct, frozen=True):
    """An installed package: its wheel tags, installer, and source folder if editable."""

    name: str
    version: str
    tags: tuple[str, ...] = ()
    installer: str = ""
    source: str | None = None

    @property
    def platforms(self) -> tuple[str, ...]:
        """The platform parts of the wheel tags, such as `macosx_26_0_arm64`."""
        return tuple(dict.fromkeys(tag.rpartition("-")[2] for tag in self.tags if tag))


class Build(msgspec.Struct, frozen=True, dict=True):
    """The MLX installation of one interpreter."""

    python: str = ""
    executable: str = ""
    platform: str = ""
    machine: str = ""
    mac_ver: str = ""
    distributions: tuple[Distribution, ...] = ()
    library: str | None = None
    extension: str | None = None
    complaint: str = ""

    @cached_property
    def mlx(self) -> Distribution | None:
        return self._named("mlx")

    @cached_property
    def backends(self) -> tuple[Distribution, ...]:
        """The installed backend packages (mlx-metal, mlx-cpu, mlx-cuda-…)."""
        return tuple(one for one in self.distributions if one.name != "mlx")

    @property
    def version(self) -> Fact[str]:
        """MLX's version, such as `0.33.0.dev20261101+abc1234`."""
        missing = self.complaint or "mlx is not installed"
        return seen(self.mlx.version or None if self.mlx else None, METADATA, missing)

    @property
    def wheel_tag(self) -> Fact[str]:
        """The platform of the wheel that holds the kernels: the backend's, else mlx's own."""
        for one in (*self.backends, self.mlx):
            if one and one.platforms and not one.source:
                return Fact(", ".join(one.platforms), f"WHEEL file of {one.name}")
        return unknown("WHEEL files", self.complaint or f"{self.kind}: no wheel tag")

    @property
    def kind(self) -> str:
        """How MLX came here: `wheel`, `editable`, `source`, `homebrew`, `conda` or `missing`."""
        if self.mlx is None:
            return "missing"
        if self.mlx.source:
            return "editable"
        named = {"brew": "homebrew", "homebrew": "homebrew", "conda": "conda"}
        if self.mlx.installer.lower() in named:
            return named[self.mlx.installer.lower()]
        return "source" if self.is_local or not self.backends else "wheel"

    @property
    def is_local(self) -> bool:
        """Whether the version is that of a build of one's own (`…+abc1234`)."""
        parsed = parse_version(self.version.value)
        return bool(parsed and parsed.local)

    @property
    def is_development(self) -> bool:
        """Whether the version is a development one (`….dev20261101`)."""
        parsed = parse_version(self.version.value)
        return bool(parsed and parsed.is_devrelease)

    @property
    def backend_missing(self) -> bool:
        """Whether mlx is there without any library that it could load."""
        return self.mlx is not None and not (self.backends or self.library or self.extension)

    @property
    def errors(self) -> tuple[str, ...]:
        """What is wrong with the installation, one line each."""
        return tuple(filter(None, (self.complaint, self._two_backends(), self._versions_differ())))

    def _named(self, name: str) -> Distribution | None:
        return next((one for one in self.distributions if one.name == name), None)

    def _two_backends(self) -> str:
        rivals = [one.name for one in self.backends if one.name in SHARE_ONE_FILE]
        if len(rivals) < 2:
            return ""
        return (
            f"{' and '.join(rivals)} are both installed: their wheels hold the same "
            "mlx/lib/libmlx.so, so which one runs is chance; uninstall them all, install one"
        )

    def _versions_differ(self) -> str:
        if self.mlx is None or self.mlx.source:
            return ""
        others = [f"{one.name} {one.version}" for one in self.backends if self._differs(one)]
        return f"mlx {self.mlx.version} stands beside {', '.join(others)}" if others else ""

    def _differs(self, one: Distribution) -> bool:
        return self.mlx is not None and one.version != self.mlx.version


def parse_version(text: str | None) -> Version | None:
    """Return a PEP 440 version, or None for what is none."""
    try:
        return Version(text or "")
    except InvalidVersion:
        return None


def read_build(python: str | None, commands: Commands) -> Build:
    """Return the MLX installation of the interpreter at `python` (None: of this one)."""
    if python is None or python == sys.executable:
        return build_from(installed.collect())
    script = Path(installed.__file__).read_text(encoding="utf-8")
    answer = commands((python, "-c", script))
    if answer.status != "ok":
        said = (answer.stderr.strip().splitlines() or ["no message"])[-1][:200]
        trouble = "is not there" if answer.status == "missing" else f"{answer.status}: {said}"
        return Build(executable=python, complaint=f"interpreter {python}: {trouble}")
    try:
        return build_from(msgspec.json.decode(answer.stdout.strip().splitlines()[-1]))
    except (msgspec.MsgspecError, IndexError, RecursionError):
        told = answer.stdout.strip()[:100]
        return Build(executable=python, complaint=f"interpreter {python}: answered {told!r}")


def build_from(found: Mapping[str, object]) -> Build:
    """Return the build that `installed.collect` describes.

    Raises:
        msgspec.ValidationError: a field is missing or of another type.
    """
    return msgspec.convert(found, type=Build)


def expected_backend(build: Build) -> Backend:
    """Return the backend that MLX will use, without importing it or asking for a GPU."""
    if build.platform == "darwin":
        return "metal" if build.machine == "arm64" else "cpu"
    return "cuda" if any(one.name.startswith("mlx-cuda") for one in build.backends) else "cpu"


def install_line(platform: str, commands: Commands) -> str:
    """Return the command that installs MLX's backend on this system."""
    if platform == "darwin":
        return "pip install mlx"
    extra = "cuda13" if driver_answers(commands) else "cpu"
    return f"pip install 'mlx[{extra}]'"
