"""An emulated MLX for each test: a module of its own, for the device that the test names."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytest_applegpu.emulated
from pytest_applegpu.emulated.target import variables
from pytest_applegpu.setting import Setting

Emulate = Callable[..., Any]

CORE = Path(pytest_applegpu.emulated.__file__).with_name("core.py")


@pytest.fixture
def emulate(monkeypatch: pytest.MonkeyPatch) -> Emulate:
    """Return what imports the emulated MLX for an architecture, a TF32 setting and a version."""

    def load(arch: str, tf32: str = "on", version: str = "0.32.4") -> Any:
        wanted = Setting(tf32, arch).environment({}) | variables(None, version, None)
        for name, value in wanted.items():
            monkeypatch.setenv(name, value)
        spec = importlib.util.spec_from_file_location("emulated_core", CORE)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def frobenius(got: Any, a: np.ndarray, b: np.ndarray) -> float:
    """Return the relative error of `got` = A B in the Frobenius norm."""
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return float(np.linalg.norm(np.asarray(got) - exact) / np.linalg.norm(exact))


def normal(*shape: int) -> np.ndarray:
    """Return standard normal float32, the same for each shape."""
    random = np.random.Generator(np.random.Philox(list(shape)))
    return random.standard_normal(shape).astype(np.float32)
