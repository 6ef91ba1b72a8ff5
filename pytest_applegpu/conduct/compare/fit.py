"""Can this machine show what a switch does? If not, why; and where both sides are the same, that.

An answer is given from what is known before anything is measured.
"""

from __future__ import annotations

from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.compare.toggle import Toggle
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.setting import Setting


def unsupported(bench: Bench, toggle: Toggle) -> str | None:
    """Return why nothing can be compared here, or None: a GPU without NAX cannot do without."""
    if toggle.switch != "nax" or bench.device.nax.available != "no":
        return None
    reasons = "; ".join(bench.device.nax.reasons)
    return f"{bench.device.name} has no NAX to compare with: {reasons}"


def null(bench: Bench, toggle: Toggle) -> str | None:
    """Return why both sides are the same here, so that what differs is noise; None elsewhere."""
    if toggle.switch == "tf32":
        return _no_tf32(bench, toggle.settings[0])
    own = bench.device.architecture.value
    first, second = (one.dispatched(own) or own for one in toggle.settings)
    if first is not None and first == second:
        return f"both sides follow the dispatch of {first}: they are the same"
    return None


def _no_tf32(bench: Bench, setting: Setting) -> str | None:
    """Say that TF32 changes nothing: on Apple GPUs it is NAX alone that multiplies in it."""
    if bench.backend == "cpu":
        return "the CPU backend has no TF32: both are the same"
    if bench.backend == "cuda":
        return None
    followed = parse_architecture(setting.dispatched(bench.device.architecture.value))
    off = setting.nax == "off" or (followed is not None and not followed.has_nax)
    if off or bench.device.nax.available == "no":
        return "without NAX no kernel multiplies in TF32: both are the same"
    return None
