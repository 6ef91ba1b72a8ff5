"""Where else can a failed case run, so that its results can be told apart?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.planning import FORCED_SINCE
from pytest_applegpu.conduct.routes import DISPATCHED
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import parse_version
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import ARCHITECTURE, without_nax

CPU: Final = "on the CPU backend"
UNCUT: Final = "with TF32 off"
COPIED: Final = "on a contiguous copy"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A place in words, the case as it runs there, and whether MLX's CPU backend runs it."""

    where: str
    case: Case
    on_cpu: bool = False


def places(case: Case, bench: Bench) -> Iterator[Elsewhere]:
    """Yield every other way to run `case` on the same numbers, that may come out otherwise."""
    if bench.backend not in {"cpu", "emulated"}:
        yield Elsewhere(CPU, case, on_cpu=True)
    # Whether a call is refused has nothing to do with how its operands are cut.
    if case.setting.tf32 == "on" and case.problem.dtype.has_tf32 and not case.flaw:
        yield Elsewhere(UNCUT, replace(case, setting=replace(case.setting, tf32="off")))
    for arch in _architectures(case, bench):
        setting = replace(case.setting, arch=arch, nax="on")
        yield Elsewhere(f"as {arch}", replace(case, setting=setting))
    copied = contiguous(case.problem)
    if copied is not None:
        yield Elsewhere(COPIED, replace(case, problem=copied))


def contiguous(problem: Problem) -> Problem | None:
    """Return the problem on row-contiguous copies of its operands; None where they are."""
    a, b = (
        "vec" if layout == "vec" else "plain" for layout in (problem.layout_a, problem.layout_b)
    )
    plain = replace(problem, layout_a=a, layout_b=b, layouts=())
    if _is_view(problem):
        plain = replace(plain, transpose="nn")
    now, then = ([one.placement for one in each.operands] for each in (problem, plain))
    return None if now == then else plain


def _is_view(problem: Problem) -> bool:
    """Whether a transposed operand is a view of another; packed weights are packed otherwise."""
    return "nn" in problem.form.transposes and "b" in {one.name for one in problem.operands}


def _architectures(case: Case, bench: Bench) -> list[str]:
    """Return what else MLX's dispatch may follow: no NAX, and the other class of GPU.

    None of them has NAX: kernels for it assume the hardware's own registers.
    """
    own = bench.device.architecture.value
    if bench.backend not in DISPATCHED or not (own and ARCHITECTURE.fullmatch(own)):
        return []
    version = parse_version(bench.device.mlx_version.value)
    if bench.backend == "metal" and version and version < FORCED_SINCE:
        return []
    now = case.setting.dispatched(own) or own
    plain = without_nax(now)
    other = plain[:-1] + ("s" if plain[-1] in "gp" else "g")
    return [one for one in (plain, other) if one != now and not _has_nax(one)]


def _has_nax(arch: str) -> bool:
    parsed = parse_architecture(arch)
    return parsed is None or parsed.has_nax
