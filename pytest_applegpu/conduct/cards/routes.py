"""Which routes does a feature card ask, and with which shapes?

Where dispatch is predicted, shapes are offered in turn and those asked that lead to a path not
met yet. Where a library chooses its kernels itself, a route is a kind of shape.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.cases.cards import KINDS, OFFERED, card_problem
from pytest_applegpu.conduct.routes import Routes
from pytest_applegpu.dtypes import DType
from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.setting import Setting


@dataclass(frozen=True, slots=True)
class Asked:
    """A route, by name, and the problem that takes it."""

    route: str
    problem: Problem


def asked(routes: Routes, dtype: DType, setting: Setting) -> list[Asked]:
    """Return the routes of a format under a setting."""
    if not predicted(routes):
        return [Asked(kind, card_problem(dtype, shape)) for kind, shape in KINDS.items()]
    found: dict[str, Asked] = {}
    for shape in OFFERED:
        problem = card_problem(dtype, shape)
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
