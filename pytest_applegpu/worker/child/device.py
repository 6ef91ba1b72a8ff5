"""Which device does MLX compute on, and what does it say of it?"""

from __future__ import annotations

from typing import Any

from . import library


def available(name: str) -> bool:
    """Tell whether MLX has the backend called `name` and a device for it."""
    module = getattr(library.mx, name, None)
    return bool(module is not None and module.is_available())


def choose(backend: str) -> str:
    """Make the device of `backend` the default one; return the backend's name."""
    if backend == "auto":
        backend = next((name for name in ("metal", "cuda") if available(name)), "cpu")
    if backend != "cpu" and not available(backend):
        raise RuntimeError(f"this MLX has no {backend} device")
    library.mx.set_default_device(library.mx.cpu if backend == "cpu" else library.mx.gpu)
    return backend


def device_info(backend: str) -> tuple[dict[str, Any], str | None]:
    """Return what MLX says about the device, through whichever name this version has."""
    device = library.mx.cpu if backend == "cpu" else library.mx.gpu
    # Versions before 0.30 tell of Metal alone, by another name.
    older: Any = getattr(library.mx, "metal", None) if backend == "metal" else None
    failed = None
    for place, arguments in ((library.mx, [device]), (older, [])):
        try:
            if hasattr(place, "device_info"):
                return dict(place.device_info(*arguments)), None
        except Exception as error:  # noqa: BLE001 - whatever MLX raises is told
            failed = failed or f"{type(error).__name__}: {error}"
    return {}, failed
