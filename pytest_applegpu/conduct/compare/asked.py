"""Which products are compared? Those asked for, by text or in sets; else a few usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.config import Config
from pytest_applegpu.setting import Setting
from pytest_applegpu.shapes.models import shapes_named
from pytest_applegpu.shapes.shapes import ShapesError, ShapeSet

_GPU: Final = (
    "matmul-{}-nt-2048x2048x2048",
    "matmul-{}-nt-512x4096x4096",
    "matmul-{}-nt-8x4096x4096",
    "matmul-{}-nt-1x4096x4096",
    "quantized_matmul-{}-nt-512x4096x4096 bits=4 group=64",
    "quantized_matmul-{}-nt-1x4096x4096 bits=4 group=64",
)
_SMALL: Final = (
    "matmul-{}-nt-192x192x192",
    "matmul-{}-nt-1x1024x1024",
    "quantized_matmul-{}-nt-16x512x512 bits=4 group=64",
    "quantized_matmul-{}-nt-1x1024x1024 bits=4 group=64",
)
_EMULATED: Final = ("matmul-{}-nt-192x192x192", "matmul-{}-nt-8x256x256", "matmul-{}-nt-1x256x256")

_SIDES: Final = frozenset({"tf32", "arch", "nax", "check", "flaw"})
"""Words of a case that the comparison decides."""


def usual(backend: str, switch: str) -> tuple[str, ...]:
    """Return the texts of GEMM, GEMV and quantized products; TF32 bears on float32 alone."""
    shapes = {"cpu": _SMALL, "emulated": _EMULATED}.get(backend, _GPU)
    formats = ("f32",) if switch == "tf32" or backend == "cpu" else ("f16", "bf16", "f32")
    return tuple(shape.format(one) for one in formats for shape in shapes)


def cases_of(texts: Sequence[str], setting: Setting) -> list[Case]:
    """Return a timed case for each text, under the first side's setting.

    Raises:
        pytest.UsageError: a text is no case, or says what the comparison decides.
    """
    found = []
    for text in texts:
        for word in text.split():
            name = word.partition("=")[0]
            if name in _SIDES and "=" in word:
                raise pytest.UsageError(f"CASE: {text!r}: {name}= is left to the comparison")
        try:
            found += parse_cases(f"{text} check=throughput", (setting,))
        except ValueError as error:
            raise pytest.UsageError(f"CASE: {text!r}: {error}") from None
    return list(dict.fromkeys(found))


def sets_of(config: Config) -> list[ShapeSet]:
    """Return the sets of shapes that were asked for.

    Raises:
        pytest.UsageError: there is no such set, or its file is none.
    """
    try:
        return [shapes_named(word) for word in config.shapes]
    except ShapesError as error:
        raise pytest.UsageError(f"{config.named('shapes')}: {error}") from None
