"""Which route does a case take, and is it the one it took when its baseline was stored?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.sums import sums_of
from pytest_applegpu.config import Config
from pytest_applegpu.device.detect import Device
from pytest_applegpu.numerics.bounds import Sums
from pytest_applegpu.problem import Problem
from pytest_applegpu.report.records import RouteFacts
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.routing.versions import NEWEST
from pytest_applegpu.setting import Setting

DISPATCHED: Final = frozenset({"metal", "emulated"})
"""Backends that follow Metal's dispatch; on the others a route is what the shapes are for."""


@dataclass(frozen=True, slots=True)
class Routes:
    """Whose dispatch is predicted: a GPU (None: not known), an MLX version, and if it runs here."""

    gpu: Gpu | None
    version: str
    here: bool

    def facts(self, case: Case, shelf: Shelf) -> RouteFacts | None:
        """Return the case's route as its record has it; None where no rules are known.

        A call that is to be refused has none.
        """
        route = None if case.flaw else self.route(case.problem, case.setting)
        if self.gpu is None or route is None:
            return None
        facts = RouteFacts(
            arch=case.setting.dispatched(self.gpu.arch) or self.gpu.arch,
            mlx=self.version,
            path=route.path,
            kernels=route.kernels,
            rule="; ".join(map(str, route.reasons)),
            basis=route.basis,
            here=self.here,
        )
        return compared(facts, str(case), shelf)

    def taken(self, problem: Problem, setting: Setting) -> Route | None:
        """Return the route that `problem` runs on here; None where that is not known."""
        return self.route(problem, setting) if self.here else None

    def may_cut(self, problem: Problem, setting: Setting) -> bool:
        """Whether the route may cut float32 operands: only the accelerators do, where it is known.

        One row, say, goes through a kernel at full precision though TF32 is on.
        """
        route = self.taken(problem, setting)
        return route is None or any(
            "_nax_" in one.kernel or one.label.endswith("_nax") for one in route.launches
        )

    def sums(self, problem: Problem, setting: Setting) -> Sums | None:
        """Return how the route adds up; None where that is not known, which may be in any order."""
        route = self.taken(problem, setting)
        return None if route is None else sums_of(route, problem.k)

    def route(self, problem: Problem, setting: Setting) -> Route | None:
        """Return the route; None where no rules are known, or no GPU multiplies the format."""
        if self.gpu is None or problem.dtype.name == "float64":
            return None
        return _predicted(problem, self.gpu, setting, self.version)


@lru_cache(maxsize=64)
def _predicted(problem: Problem, gpu: Gpu, setting: Setting, version: str) -> Route | None:
    """Return the route, asked for some times a case: for its bound, its record, its failure."""
    try:
        return predict(problem, gpu, setting, version)
    except ValueError:
        return None


def routes_of(config: Config, device: Device) -> Routes:
    """Return whose dispatch is predicted in a run."""
    version = config.mlx or device.mlx_version.value or NEWEST
    here = device.backend in DISPATCHED
    return Routes(_gpu(device) if here else Gpu(config.shapes_for), version, here)


def _gpu(device: Device) -> Gpu | None:
    arch = device.architecture.value
    if arch is None:
        return None
    if device.backend == "emulated":
        # Several architectures share a run: each has NAX by its own name.
        return Gpu(arch)
    return Gpu(arch, {"yes": True, "no": False}.get(device.nax.available))


def compared(facts: RouteFacts, case: str, shelf: Shelf) -> RouteFacts:
    """Call a route `rerouted` where other kernels are stored for the case.

    One that is as stored is not called as predicted: MLX does not tell which kernels it ran.
    """
    past = shelf.route(case) if facts.here else None
    if past is None or past.part.kernels == facts.kernels:
        return facts
    return replace(facts, verdict="rerouted", before=(past.part.path, *past.part.kernels))
