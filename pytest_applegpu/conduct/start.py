"""How do the workers of a run start, and what is said when they cannot?"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace

import pytest

from pytest_applegpu.cases.case import Case
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.planning import Plan
from pytest_applegpu.config import Config
from pytest_applegpu.device.arch import parse_architecture
from pytest_applegpu.device.build import install_line
from pytest_applegpu.device.commands import run_command
from pytest_applegpu.device.detect import detect
from pytest_applegpu.emulated.target import variables
from pytest_applegpu.setting import SIDE_VARIABLE, Side
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import WorkerError


def start(config: Config, plan: Plan, *, lenient: bool = False, side: Side | None = None) -> Bench:
    """Start the first worker and learn what it runs on.

    `lenient` takes what is there, to describe it, where a run of cases would be refused. `side` is
    the one that its workers are told to be of.

    Raises:
        pytest.UsageError: MLX or its backend cannot be used; the message says what to do.
    """
    emulated = config.backend == "emulated"
    if plan.build.errors and not (lenient or emulated):
        raise pytest.UsageError("; ".join(plan.build.errors))
    environment = os.environ | (_emulation(config, plan) if emulated else {})
    environment |= {SIDE_VARIABLE: side} if side else {}
    pool = Pool(config.python, config.backend, environment)
    # Under its own switches: what NAX off forces depends on the GPU, which is not known yet.
    first = replace(config.settings[0], nax="on")
    try:
        hello = pool.hello(first)
    except WorkerError as error:
        more = (*plan.build.errors, _advice(config))
        raise pytest.UsageError("\n".join((str(error), *(() if emulated else more)))) from None
    environ = first.environment(environment)
    device = detect(hello, run_command, environ, sys.platform, build=plan.build)
    if device.backend != plan.backend and not lenient:
        pool.close()
        raise pytest.UsageError(
            f"planned for {plan.backend}, as installed, but the worker found {device.backend} "
            f"only: choose it with --applegpu-backend {device.backend}"
        )
    pool.own = device.architecture.value
    uuid = hello["device_info"].get("uuid")
    known = uuid if isinstance(uuid, str) else None
    return Bench(config, pool, device, environment, run_command, known)


def _emulation(config: Config, plan: Plan) -> dict[str, str]:
    """Return what tells a worker which device and which MLX to emulate."""
    return variables(config.settings[0].arch, config.mlx, plan.build.version.value)


def _advice(config: Config) -> str:
    """Return what would make the worker start."""
    if config.backend == "metal" and sys.platform != "darwin":
        return "MLX has Metal on macOS alone: choose another --applegpu-backend"
    return f"to install MLX's backend: {_line(config)}"


def _line(config: Config) -> str:
    """Return the command that installs what the interpreter under test lacks."""
    line = install_line(sys.platform, run_command)
    if config.backend == "cuda":
        line = "pip install 'mlx[cuda13]'"
    if config.python == sys.executable:
        return line
    extra = re.search(r"\[(\w+)\]", line)
    mlx = f"'mlx[{extra[1]}]'" if extra else "mlx"
    return f"{config.python} -m pip install {mlx} numpy"


def refuse_forced(bench: Bench, cases: list[Case]) -> None:
    """Never let a GPU without NAX run kernels that assume the registers of one that has it.

    Raises:
        pytest.UsageError: a case forces such an architecture.
    """
    own = parse_architecture(bench.device.architecture.value)
    for name in sorted({case.setting.arch for case in cases if case.setting.arch}):
        forced = parse_architecture(name)
        wrong = forced is None or (forced.has_nax and not (own and own.has_nax))
        if bench.backend == "metal" and wrong:
            raise pytest.UsageError(
                f"arch={name}: {bench.device.name} has no NAX, whose kernels assume the "
                "hardware's own registers; force an architecture without NAX"
            )
