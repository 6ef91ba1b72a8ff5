"""Which roof does a product lie under, and how near to it? Memory's slope, or arithmetic's ceiling.

Williams, Waterman and Patterson, "Roofline" (2009): what can be reached is the lesser of the peak
of arithmetic and of intensity (operations a byte of least traffic) times bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Side = Literal["arithmetic", "memory"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A timed product: operations a byte, TFLOP/s reached, and its peaks where they are known.

    `route` is what ran, or what stands for it; `per_core` threadgroups a GPU core.
    """

    case: str
    route: str
    dtype: str
    intensity: float
    tflops: float
    peak_tflops: float | None = None
    peak_gbs: float | None = None
    per_core: float | None = None

    @property
    def gbs(self) -> float:
        """GB/s of least traffic."""
        return 1e3 * self.tflops / self.intensity

    @property
    def binds(self) -> Side | None:
        """Which side binds; None where a peak is not known."""
        if not self.peak_tflops or not self.peak_gbs:
            return None
        ridge = 1e3 * self.peak_tflops / self.peak_gbs
        return "arithmetic" if self.intensity >= ridge else "memory"

    @property
    def share(self) -> float | None:
        """Share reached of the roof above this intensity; caches may lift it above 1."""
        if not self.peak_tflops or not self.peak_gbs:
            return None
        return self.tflops / min(self.peak_tflops, self.intensity * self.peak_gbs / 1e3)


@dataclass(frozen=True, slots=True)
class RouteRow:
    """The medians of the products of one route and format that one side binds."""

    route: str
    dtype: str
    binds: Side | None
    cases: int
    intensity: float
    tflops: float
    gbs: float
    share: float | None
    per_core: float | None


def by_route(spots: Iterable[Spot]) -> list[RouteRow]:
    """Return the medians of each route, format and side, in the order in which they came."""
    groups: dict[tuple[str, str, Side | None], list[Spot]] = {}
    for one in spots:
        groups.setdefault((one.route, one.dtype, one.binds), []).append(one)
    return [
        RouteRow(
            *key,
            cases=len(group),
            intensity=median(one.intensity for one in group),
            tflops=median(one.tflops for one in group),
            gbs=median(one.gbs for one in group),
            share=_median([one.share for one in group]),
            per_core=_median([one.per_core for one in group]),
        )
        for key, group in groups.items()
    ]


def best(spots: Sequence[Spot], dtype: str) -> tuple[float, float]:
    """Return the most TFLOP/s and GB/s measured in products of a format.

    Raises:
        ValueError: there is none.
    """
    own = [one for one in spots if one.dtype == dtype]
    return max(one.tflops for one in own), max(one.gbs for one in own)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
