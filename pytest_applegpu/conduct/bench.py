"""What conducting a case needs: configuration, device, workers, and what these were measured at."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Final

import numpy as np
from packaging.version import Version

from pytest_applegpu.cases.budget import cost
from pytest_applegpu.cases.case import DEFAULT_FILL, Case
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.conduct.endings import ENDINGS
from pytest_applegpu.conduct.room import lack, machine_memory
from pytest_applegpu.conduct.routes import Routes, routes_of
from pytest_applegpu.conduct.usable import unusable
from pytest_applegpu.config import Config
from pytest_applegpu.device.build import parse_version
from pytest_applegpu.device.chips import peak_bandwidth, peak_tflops
from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.condition import Condition, read_condition
from pytest_applegpu.device.detect import Device
from pytest_applegpu.numerics import probe
from pytest_applegpu.numerics.bounds import Arithmetic, promise
from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.drawn import Drawn, Operands
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.requests import Refusal
from pytest_applegpu.worker.turns import shared

_PROBE: Final = parse_problem(f"matmul-f32-nn-{probe.SIZE}x{probe.SIZE}x{probe.SIZE}")
PROBE_SLACK: Final = 30.0

_SLACK: Final = 10.0
"""How many times its computed cost a case may take before its time limit begins to count."""

EMULATED: Final = ("matmul",)
"""Operations that an emulated device has."""

ONE_BIT_SINCE: Final = Version("0.32.4")
"""The first MLX with affine weights of one bit."""

_NEAREST: Final = frozenset({"cpu", "emulated"})
"""Backends whose sums are known to be rounded to nearest."""

_TRUNCATING: Final = 2.0**-23
"""Unit roundoff of an accumulator that truncates (Fasi, Higham, Mikaitis and Pranesh, 2021)."""


@dataclass
class Bench:
    """Workers, what was measured of them, and the device they run on. One a session."""

    config: Config
    pool: Pool
    device: Device
    environment: Mapping[str, str]
    commands: Commands
    uuid: str | None = None
    """Which of several NVIDIA GPUs."""
    shrunk: int = 0
    """How many failures were shrunk so far."""
    _precisions: dict[Setting, probe.Precision] = field(default_factory=dict)
    _unlike: set[Setting] = field(default_factory=set)
    """Settings whose worker began with a wrong product, and made it right the next time."""

    @property
    def backend(self) -> str:
        """Backend that the workers run: metal, cuda, cpu or emulated."""
        return self.device.backend

    @cached_property
    def routes(self) -> Routes:
        """Whose dispatch is predicted for the cases of this run."""
        return routes_of(self.config, self.device)

    def precision(self, setting: Setting) -> probe.Precision:
        """Measure, once a setting, how many bits of float32 operands reach the product."""
        if setting not in self._precisions:
            self._precisions[setting] = self._measure(setting)
        return self._precisions[setting]

    def _measure(self, setting: Setting) -> probe.Precision:
        values, identity = probe.operands()
        found = []
        for operands in ((values, identity), (identity, values)):
            try:
                with shared(self.backend):
                    answer = self.pool.multiply(
                        _PROBE, setting, operands, repeat=2, limit=self._probe_limit
                    )
            except ENDINGS:
                return probe.UNKNOWN
            if isinstance(answer, Refusal):
                return probe.UNKNOWN
            first, last = (probe.read(values, answer.results[n]) for n in (0, -1))
            if first == probe.UNKNOWN != last:
                self._unlike.add(setting)
            found.append(last)
        return probe.weaker(*found)

    def began_wrong(self, setting: Setting) -> bool:
        """Tell, once, whether a worker of `setting` began with a wrong product, and not again."""
        _ = self.precision(setting)
        began = setting in self._unlike
        self._unlike.discard(setting)
        return began

    def arithmetic(self, problem: Problem, setting: Setting) -> Arithmetic:
        """Return what the route promises: its sums where they are known, TF32 where asked for."""
        whole = promise(problem.dtype)
        unit = whole.accumulator_unit if self.backend in _NEAREST else _TRUNCATING
        sums, note = self.routes.sums(problem, setting), self._note(problem)
        cut = problem.dtype.has_tf32 and setting.tf32 == "on"
        if cut and self.routes.may_cut(problem, setting):
            measured = self.precision(setting)
            if measured.is_tf32:
                return Arithmetic(measured.bits, measured.rounding != "nearest", unit, sums, note)
        return Arithmetic(whole.operand_bits, accumulator_unit=unit, sums=sums, note=note)

    def _note(self, problem: Problem) -> str:
        """Name what a library may do and this model does not allow, so that it shows as a fault."""
        if self.backend != "cuda" or problem.dtype.name not in {"float16", "bfloat16"}:
            return ""
        return f"no partial sums in {problem.dtype.name}, which cuBLAS may keep"

    @property
    def _probe_limit(self) -> float:
        """Seconds for the first product of a worker, which may also compile a kernel."""
        return self.config.timeout + PROBE_SLACK

    def gap(self, problem: Problem) -> str | None:
        """Return what the backend lacks for `problem`, by name; None where it lacks nothing."""
        if problem.dtype not in backend_dtypes(self.backend):
            return f"{problem.dtype.name} runs on the CPU backend only"
        if self.backend == "emulated" and problem.op not in EMULATED:
            return f"{problem.op} is not emulated, only {', '.join(EMULATED)}"
        version = parse_version(self.device.mlx_version.value)
        if version and version < ONE_BIT_SINCE and ("bits", "1") in problem.params:
            # Not left to MLX to refuse: older CPU backends end the process.
            return f"MLX {version} has no weights of one bit, {ONE_BIT_SINCE} and newer have"
        return None

    def no_room(self, case: Case) -> str | None:
        """Return why this machine cannot take the case, or not and stay usable; None if it can."""
        own = self.device.memory_bytes.value if self.backend == "cuda" else None
        peaks = self.peak_tflops(case), self.bandwidth_gbs
        return lack(case, machine_memory(), own) or unusable(case, self.device, *peaks)

    def condition(self) -> Condition:
        """Read power, heat and load as they are now."""
        virtual = bool(self.device.virtual.value)
        return read_condition(
            self.backend, self.commands, sys.platform, virtual=virtual, uuid=self.uuid
        )

    def peak_tflops(self, case: Case) -> float | None:
        """Return the most that this chip can make of the case's dtype, in TFLOP/s, if known."""
        peak = peak_tflops(
            self.device.chip,
            case.problem.dtype.name,
            tf32=case.setting.tf32 == "on",
            # Where nobody knows whether NAX is used, the higher peak is the one not to exceed.
            nax=self.device.nax.available != "no",
        )
        if peak is None:
            return None
        # MLX's Metal kernels make a complex product of three real ones, and four are counted.
        spared = self.backend == "metal" and case.problem.dtype.is_complex
        return peak.value * (4 / 3 if spared else 1)

    @property
    def bandwidth_gbs(self) -> float | None:
        """Return what this chip's memory can move, in GB/s, if known."""
        peak = peak_bandwidth(self.device.chip)
        return peak.value if peak else None

    def limit(self, case: Case, calls: int = 1) -> float:
        """Return the seconds that the worker may take over `calls` calls of the case."""
        work = cost(case.problem, self.backend, referenced=False, calls=calls)
        return self.config.timeout + _SLACK * work

    def random(self, case: Case, purpose: str = "data") -> np.random.Generator:
        """Return a generator for one purpose of a case, the same under every setting.

        What is drawn for one purpose tells nothing of what is drawn for another: a projection
        vector must not depend on the data that it is to test.
        """
        digest = sha256(f"{self.config.seed} {purpose} {case.data}".encode()).digest()
        return np.random.Generator(np.random.Philox(int.from_bytes(digest[:8])))

    def drawn(self, case: Case, arithmetic: Arithmetic) -> Drawn:
        """Draw the operands of a case, logical arrays, with the product that they stand for."""
        bits, proven = arithmetic.operand_bits, case.check != "throughput"
        fill = case.fill or DEFAULT_FILL["exact"]  # of a call that is to be refused
        return draw(case.problem, fill, bits, self.random(case), proven=proven)

    def operands(self, case: Case, arithmetic: Arithmetic) -> Operands:
        """Draw the operands of a case, logical arrays in the order of `problem.operands`."""
        return self.drawn(case, arithmetic).sent
