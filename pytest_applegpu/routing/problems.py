"""What is a problem's route, and for whom is it predicted?"""

from __future__ import annotations

from dataclasses import replace

from pytest_applegpu.problem import Problem
from pytest_applegpu.routing.calls import Call
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.problem_calls import CALLS, PACKED
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.routing.unrecorded import unrecorded
from pytest_applegpu.routing.versions import basis_of
from pytest_applegpu.setting import Setting


def predict(problem: Problem, device: Gpu, setting: Setting, mlx_version: str) -> Route:
    """Return the kernels that MLX `mlx_version` launches for `problem` on `device`.

    Its last reason says where no recording shows how operands lie as they do.

    Raises:
        ValueError: the version has no rules, NAX is to be off on a GPU that is not known, or the
            problem's dispatch is not known.
    """
    if problem.dtype.name == "float64":
        words = basis_of(mlx_version).words
        return Route((), basis=words, error="float64 is not supported on the GPU")
    route = route_of(call_of_problem(problem), target_of(device, setting, mlx_version))
    return replace(route, reasons=(*route.reasons, *unrecorded(problem)))


def target_of(device: Gpu, setting: Setting, mlx_version: str) -> Target:
    """Return `device` as MLX's dispatch sees it under `setting`.

    Raises:
        ValueError: as `predict`.
    """
    arch = setting.dispatched(device.arch) or device.arch
    return Gpu(arch, device.nax).target(tf32=setting.tf32 == "on", version=mlx_version)


def call_of_problem(problem: Problem) -> Call:
    """Return the call with its operands as they lie in memory.

    Raises:
        ValueError: the problem's dispatch is not known.
    """
    unknown = why_unknown(problem)
    if unknown:
        raise ValueError(unknown)
    return CALLS[problem.op](problem)


def why_unknown(problem: Problem) -> str:
    """Say why nothing is known of a problem's dispatch; empty where it is known."""
    if problem.op not in CALLS:
        return f"{problem.op}: its dispatch is not known"
    if problem.op in PACKED and problem.k == 0:
        return f"{problem.op}: no recording shows what is launched where K is 0"
    if problem.op == "sdpa" and 0 in {*problem.batch_a, problem.m, problem.n, problem.k}:
        return "sdpa: no recording shows what is launched where a size is 0"
    return ""
