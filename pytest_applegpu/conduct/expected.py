"""Is a product expected on NAX here, by chip and system, and was it as slow as without?

What the build has is left out on purpose: an MLX built without NAX kernels is what is looked for.
"""

from __future__ import annotations

from typing import Final

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import parse_version
from pytest_applegpu.device.chips import Chip
from pytest_applegpu.device.nax import OLDEST_MACOS
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.throughput.nax import is_judged, simd_class

DENSE: Final = frozenset({"matmul", "addmm"})
"""Operations whose large products are judged: others do more than multiply."""


def nax_missed(case: Case, bench: Bench, tflops: float) -> str | None:
    """Say that a product expected on NAX went at SIMD-class speed; None where it did not."""
    chip, problem = bench.device.chip, case.problem
    if not isinstance(chip, Chip) or problem.op not in DENSE:
        return None
    if not is_judged(problem.m, problem.n, problem.k) or not expected(case, bench):
        return None
    said = simd_class(tflops, chip.fp32_tflops)
    return None if said is None else f"{said}; NAX {bench.device.nax}"


def expected(case: Case, bench: Bench) -> bool:
    """Tell whether chip and system have NAX, nothing turns it off, and MLX's rules choose it."""
    device, setting = bench.device, case.setting
    off = setting.nax == "off" or setting.arch is not None or device.forced.value is not None
    if bench.backend != "metal" or device.virtual.value or off:
        return False
    own, system = parse_architecture(device.architecture.value), device.os_version.value
    version = parse_version(system)
    if own is None or not own.has_nax or version is None or version.release < OLDEST_MACOS:
        return False
    try:
        route = predict(case.problem, Gpu(own.text, True), setting, bench.routes.version)
    except ValueError:
        return False
    return any("_nax" in one.kernel for one in route.launches)
