"""Which routes does a feature card ask, and with which shapes?

Where dispatch is predicted, shapes are offered in turn and those asked that lead to a path not
met yet. Where a library chooses its kernels itself, a route is a kind of shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.setting import Setting

_KINDS: Final = {
    "matrices": "nn-64x64x64",
    "B transposed": "nt-64x64x64",
    "long K": "nn-32x32x1024",
    "batch": "nn-32x32x64-b4",
    "row": "nn-1x64x256",
    "column": "nn-64x1x256",
    "vectors": "nn-1x1x256",
}
"""Shapes by what is multiplied."""

_OFFERED: Final = (
    "nn-96x96x64",
    "nn-64x64x64",
    "nn-32x32x256",
    "nn-16x72x512",
    "nn-1x64x256",
    "nt-1x64x256",
    "nt-8x64x256",
    "nn-1x1x256",
)
"""Shapes that between them take every path of `matmul` in some version, format and device."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A route, by name, and the problem that takes it."""

    route: str
    problem: Problem


def asked(routes: Routes, dtype: DType, setting: Setting) -> list[Asked]:
    """Return the routes of a format under a setting."""
    if not predicted(routes):
        return [Asked(kind, _problem(dtype, shape)) for kind, shape in _KINDS.items()]
    found: dict[str, Asked] = {}
    for shape in _OFFERED:
        problem = _problem(dtype, shape)
        path = path_of(routes, problem, setting)
        found.setdefault(path, Asked(path, problem))
    return list(found.values())


def path_of(routes: Routes, problem: Problem, setting: Setting) -> str:
    """Return the predicted path.

    Raises:
        ValueError: there are no rules for it.
    """
    if routes.gpu is None:
        raise ValueError("the GPU is not known")
    return predict(problem, routes.gpu, setting, routes.version).path


def predicted(routes: Routes) -> bool:
    """Tell whether dispatch is predicted for what runs here."""
    if not routes.here or routes.gpu is None:
        return False
    try:
        basis_of(routes.version)
    except ValueError:
        return False
    return True


def known_by(routes: Routes) -> str:
    """Return how the names of routes are known."""
    if predicted(routes):
        return f"routes predicted from the rules of MLX {routes.version}"
    return "routes are kinds of shapes: the library chooses its kernels itself"


def _problem(dtype: DType, shape: str) -> Problem:
    return parse_problem(f"matmul-{dtype.short}-{shape}")
