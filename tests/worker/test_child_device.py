"""What the child side says of its device, under MLX as it is and as it was."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.worker.child import device, library

FACTS = {"device_name": "Apple M1", "architecture": "applegpu_g13g"}


def says(device: Any = None) -> dict[str, Any]:
    """Describe the device, as MLX does."""
    return dict(FACTS)


def fails(device: Any) -> dict[str, Any]:
    raise RuntimeError("no such device")


OLD = SimpleNamespace(device_info=says)


@pytest.mark.parametrize(
    ("module", "backend", "told"),
    [
        ({"device_info": says}, "cpu", (FACTS, None)),
        ({"device_info": fails}, "metal", ({}, "RuntimeError: no such device")),
        ({"device_info": fails, "metal": OLD}, "metal", (FACTS, None)),
        # Before 0.30 the function is Metal's alone; what it does not tell is unknown, no error.
        ({"metal": OLD}, "metal", (FACTS, None)),
        ({"metal": OLD}, "cpu", ({}, None)),
        ({"metal": SimpleNamespace()}, "metal", ({}, None)),
        ({}, "cuda", ({}, None)),
    ],
)
def test_the_device_is_asked_through_whichever_name_there_is(
    monkeypatch: pytest.MonkeyPatch, module: dict[str, Any], backend: str, told: Any
) -> None:
    monkeypatch.setattr(library, "mx", SimpleNamespace(cpu="cpu", gpu="gpu", **module))
    assert device.device_info(backend) == told
