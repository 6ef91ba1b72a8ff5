"""Under which name is this hardware's baseline kept? Backend, chip and GPU cores; nothing else.

Versions, settings, power and heat never enter: they are kept beside each measurement.
"""

from __future__ import annotations

import re
from typing import Never

from pytest_applegpu.device.facts import Fact, unknown
from pytest_applegpu.device.identity import Identity


def baseline_key(backend: str, identity: Identity) -> Fact[str]:
    """Return a key such as `metal-m5-max-40c`, or why this hardware can have none.

    What is emulated is no hardware; a virtual GPU's speed means nothing; under a foreign
    architecture MLX runs kernels that are not this GPU's own; and without its core count an M3 Max
    may be one of two.
    """
    why_not = _why_not(backend, identity)
    if why_not is not None:
        return why_not
    key = key_of(backend, identity.name.value or "", identity.gpu_cores.value)
    if backend != "metal":
        return Fact(key, identity.name.source)
    return Fact(key, f"{identity.name.source}, {identity.gpu_cores.source}")


def _why_not(backend: str, identity: Identity) -> Fact[Never] | None:
    if backend == "emulated":
        return unknown("backend emulated", "emulated results never become a baseline")
    if not slug(identity.name.value or ""):
        return unknown("", f"device name unknown ({identity.name.note})")
    if identity.virtual.value:
        return unknown(identity.virtual.source, f"virtual GPU ({identity.name.value})")
    if identity.misled:
        told = f"architecture {identity.forced.value} is forced on {identity.name.value}"
        return unknown(identity.forced.source, told)
    if backend == "metal" and identity.gpu_cores.value is None:
        return unknown(identity.gpu_cores.source, f"GPU cores unknown: {identity.gpu_cores.note}")
    return None


def key_of(backend: str, chip: str, gpu_cores: int | None) -> str:
    """Return the key of known hardware; an Apple GPU's needs its cores."""
    cores = f"-{gpu_cores}c" if backend == "metal" else ""
    return f"{backend}-{slug(chip)}{cores}"


def slug(device_name: str) -> str:
    """Return a device name in lower-case letters, digits and hyphens, without `Apple`."""
    plain = re.sub(r"\((?:r|tm|c)\)", " ", device_name.strip().removeprefix("Apple ").lower())
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
