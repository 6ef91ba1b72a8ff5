"""What is a card? The features of each route, format and setting, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pytest_applegpu.numerics.card.answer import Feature

SCHEMA: Final = 2
"""Version of the JSON form."""


@dataclass(frozen=True, slots=True)
class Column:
    """What was found of one route.

    Attributes:
        route: the kernels' path where it is predicted, or the kind of shape where it is not.
        dtype: format of operands and result.
        problem: text of the problem whose shape was asked with.
        setting: text of the setting.
        features: the answers, in the order of asking.
        word: how they compare with the stored ones: a verdict about cards.
        changed: what is not as stored, a sentence a feature.
        likely_causes: what else has changed since.
    """

    route: str
    dtype: str
    problem: str
    setting: str
    features: tuple[Feature, ...]
    word: str
    changed: tuple[str, ...] = ()
    likely_causes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the column as JSON values."""
        return {
            "route": self.route,
            "dtype": self.dtype,
            "problem": self.problem,
            "setting": self.setting,
            "features": [one.as_json() for one in self.features],
            "verdict": self.word,
            "changed": list(self.changed),
            "likely_causes": list(self.likely_causes),
        }


@dataclass(frozen=True, slots=True)
class Card:
    """The card of one device and backend.

    Attributes:
        backend: metal, cuda, cpu or emulated.
        device: what the device is called.
        mlx: version of MLX, as the worker has it.
        routes: how the names of routes are known.
    """

    backend: str
    device: str
    mlx: str
    routes: str
    columns: tuple[Column, ...]

    @property
    def measured(self) -> str:
        """Return where the answers are from, in words."""
        if self.backend == "emulated":
            return f"computed by NumPy in a worker: {self.device}, not measured on any GPU"
        return f"measured in a worker: {self.backend} backend, {self.device}"

    def as_json(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        return {
            "schema": SCHEMA,
            "measured": self.measured,
            "backend": self.backend,
            "device": self.device,
            "mlx": self.mlx,
            "routes": self.routes,
            "columns": [one.as_json() for one in self.columns],
        }
