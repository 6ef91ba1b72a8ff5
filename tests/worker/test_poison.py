"""Memory that a call is likely to be given holds NaN first."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.worker import process
from pytest_applegpu.worker.arena import Arena
from pytest_applegpu.worker.child import memory
from pytest_applegpu.worker.requests import place_operands

_SCRIPT = """
import importlib.util, sys
import mlx.core as mx, numpy as np
spec = importlib.util.spec_from_file_location("served", sys.argv[1])
serve = importlib.util.module_from_spec(spec)
spec.loader.exec_module(serve)
child = serve.child()
child.library.mx, child.library.np = mx, np
mx.set_default_device(mx.cpu)
made = []
class Spy:
    def __getattr__(self, name):
        return getattr(mx, name)
    def array(self, values):
        one = mx.array(values)
        mx.eval(one)
        made.append(np.asarray(one).ctypes.data)
        return one
child.library.mx = Spy()
a, b = mx.random.normal((64, 77)), mx.random.normal((77, 40))
mx.eval(a, b)
child.memory.poison([64 * 40 * 4] * 2)
c = a @ b
mx.eval(c)
print(np.asarray(c).ctypes.data in made)
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="looks at the addresses of the C library")
def test_the_next_result_is_given_the_memory_that_was_spoilt() -> None:
    command = [sys.executable, "-c", _SCRIPT, str(process.SERVE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
def test_the_pattern_is_nan_in_every_format(dtype: type) -> None:
    pattern = np.full(8, memory.POISON, np.uint16)
    assert np.isnan(pattern.view(dtype)).all()
    assert np.isnan((pattern.astype(np.uint32) << 16).view(np.float32)).all()  # bfloat16


def test_a_request_names_the_sizes_of_result_and_partial_sums() -> None:
    problem = parse_problem("matmul-f16-nn-3x5x4")
    arena = Arena()
    try:
        operands = [np.ones((3, 4), np.float16), np.ones((4, 5), np.float16)]
        request = place_operands(problem, operands, arena)
    finally:
        arena.close()
    assert request["poison"] == [30, 30, 60, 120, 240]
