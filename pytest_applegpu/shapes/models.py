"""Which sets of shapes are shipped? Those of the models in `models.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pytest_applegpu.shapes.decoder import Decoder, decoder_shapes
from pytest_applegpu.shapes.read import read_shapes
from pytest_applegpu.shapes.shapes import ShapesError, ShapeSet, merged
from pytest_applegpu.shapes.vision import Vision, vision_shapes

FILE_ENDING: Final = ".toml"
"""What the name of a file ends in, and that of no shipped set."""


@cache
def shipped() -> dict[str, ShapeSet]:
    """Return every shipped set by its name; packed weights make a set of their own."""
    text = files("pytest_applegpu.shapes").joinpath("data", "models.toml").read_text("utf-8")
    said = tomllib.loads(text)
    found = [one for entry in said["decoder"] for one in _decoders(entry)]
    found += [_vision(entry) for entry in said["vision"]]
    return {one.name: one for one in found}


def shapes_named(word: str) -> ShapeSet:
    """Return the set that `word` names: a shipped one, or a file whose name ends in `.toml`.

    Raises:
        ShapesError: there is no such set, or the file is none.
    """
    if word.endswith(FILE_ENDING):
        return read_shapes(Path(word))
    if word not in shipped():
        allowed = f"{', '.join(shipped())}, or a file whose name ends in {FILE_ENDING}"
        raise ShapesError(f"{word!r} is not one of {allowed}")
    return shipped()[word]


def _decoders(entry: dict[str, Any]) -> list[ShapeSet]:
    name, title, source, sizes = _split(entry)
    packed = Decoder(**sizes)
    return [
        ShapeSet(
            name,
            source,
            merged(decoder_shapes(replace(packed, bits=0))),
            how=title,
            tokens=packed.prompt,
        ),
        ShapeSet(
            f"{name}-{packed.bits}bit",
            source,
            merged(decoder_shapes(packed)),
            how=f"{title}; weights packed with {packed.bits} bits in groups of {packed.group}",
            tokens=packed.prompt,
        ),
    ]


def _vision(entry: dict[str, Any]) -> ShapeSet:
    name, title, source, sizes = _split(entry)
    return ShapeSet(name, source, merged(vision_shapes(Vision(**sizes))), how=title)


def _split(entry: dict[str, Any]) -> tuple[str, str, str, dict[str, Any]]:
    sizes = {key: value for key, value in entry.items() if key not in {"name", "title", "source"}}
    return entry["name"], entry["title"], entry["source"], sizes
