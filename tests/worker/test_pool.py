"""Workers answer, die, hang and are replaced, and nothing of them stays behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker import process
from pytest_applegpu.worker.child import program
from pytest_applegpu.worker.pool import Pool
from pytest_applegpu.worker.process import Crashed, TimedOut, WorkerError
from pytest_applegpu.worker.requests import Answer, Refusal

FAULTS = Path(__file__).parents[1] / "faults"
ON, OFF = Setting("on"), Setting("off")


def environment(fault: str = "") -> dict[str, str]:
    """Environment of a worker with `fault` planted."""
    return {**os.environ, "PYTHONPATH": str(FAULTS), "APPLEGPU_TEST_FAULT": fault}


@pytest.fixture
def pool() -> Iterator[Pool]:
    """Workers without a fault."""
    with Pool(sys.executable, "cpu", environment()) as pool:
        yield pool


@pytest.fixture
def faulty() -> Iterator[Callable[[str], Pool]]:
    """Workers with the fault that is asked for."""
    pools: list[Pool] = []

    def make(fault: str) -> Pool:
        pools.append(Pool(sys.executable, "cpu", environment(fault)))
        return pools[-1]

    yield make
    for made in pools:
        made.close()


def alive(pid: int) -> bool:
    """Tell whether a process runs (a zombie does not)."""
    said = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return said.stdout.strip() not in {"", "Z", "Z+", "Zs"}


def multiply(pool: Pool, text: str, setting: Setting = ON, **more: object) -> Answer | Refusal:
    """Multiply ones."""
    problem = parse_problem(text)
    a = np.ones(problem.shape_a, problem.dtype.numpy)
    b = np.ones(problem.shape_b, problem.dtype.numpy)
    return pool.multiply(problem, setting, (a, b), **{"limit": 60.0, **more})  # type: ignore[arg-type]


LAYOUTS = [
    "matmul-f32-nt-8x9x10",
    "matmul-bf16-tn-8x9x10-b2x3 a=pad:3 b=neg",
    "matmul-c64-nn-8x9x10-b2:_ a=heads",
    "matmul-f64-nn-1x3x4 a=vec",
    "matmul-f32-nn-3x1x4 b=vec",
    "matmul-f32-nn-1x1x4 a=vec b=vec",
    "matmul-f16-tt-5x6x7-b2 a=bc b=step via=operator",
    "matmul-f32-tt-5x6x7 a=off:3 b=rows:2",
    "matmul-f32-nn-5x6x7-b2x1:1x3 a=axis b=off:1",
    "matmul-f32-tt-5x0x7",
    "matmul-f32-nn-3x4x5-b0",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_worker_sees_the_matrices_that_numpy_sees(pool: Pool, text: str) -> None:
    problem = parse_problem(text)
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, problem.shape_a).astype(problem.dtype.numpy)
    b = random.integers(-4, 5, problem.shape_b).astype(problem.dtype.numpy)
    if problem.layout_a == "bc":
        a = np.broadcast_to(a[:1], a.shape)
    answer = pool.multiply(problem, ON, (a, b), limit=60.0)
    assert isinstance(answer, Answer)
    expected = (a.astype(np.complex128) @ b.astype(np.complex128)).reshape(problem.shape_c)
    assert answer.results[0].shape == problem.shape_c
    assert answer.results[0].dtype == problem.dtype.numpy
    np.testing.assert_array_equal(answer.results[0].astype(np.complex128), expected)


def test_both_sides_speak_the_same_protocol() -> None:
    assert process.PROTOCOL == program.PROTOCOL


def test_settings_get_processes_of_their_own_and_keep_them(pool: Pool) -> None:
    pids = [pool.worker(setting).pid for setting in (ON, OFF, ON, OFF)]
    assert pids[0] == pids[2] != pids[1] == pids[3]


def test_at_most_two_stay_alive_beside_the_active_one(pool: Pool) -> None:
    pids = [pool.worker(Setting("on", f"applegpu_g1{n}g")).pid for n in range(3, 8)]
    assert [alive(pid) for pid in pids] == [False, False, True, True, True]


def test_repeated_calls_are_told_apart(faulty: Callable[[str], Pool]) -> None:
    answer = multiply(faulty("one_call_in_forty"), "matmul-f32-nn-4x4x4", repeat=45)
    assert isinstance(answer, Answer)
    assert [n for n, d in enumerate(answer.digests) if d != answer.digests[0]] == [39]
    assert answer.results[1][0, 0] - answer.results[0][0, 0] == 3


def test_abort_ends_one_call_and_the_next_gets_a_fresh_worker(
    faulty: Callable[[str], Pool],
) -> None:
    pool = faulty("abort")
    before = pool.worker(ON).pid
    with pytest.raises(Crashed) as end:
        multiply(pool, "matmul-f32-nn-4x4x33")
    assert end.value.how == "SIGABRT"
    assert isinstance(multiply(pool, "matmul-f32-nn-4x4x4"), Answer)
    assert pool.worker(ON).pid != before


def test_hang_ends_within_its_limit_even_with_signals_blocked(
    faulty: Callable[[str], Pool],
) -> None:
    pool = faulty("hang")
    pid = pool.worker(ON).pid
    with pytest.raises(TimedOut):
        multiply(pool, "matmul-f32-nn-33x8x8192", limit=0.2)
    assert not alive(pid)


def test_killed_worker_is_a_crash_with_the_signal(pool: Pool) -> None:
    os.kill(pool.worker(ON).pid, signal.SIGKILL)
    with pytest.raises(Crashed, match="SIGKILL"):
        multiply(pool, "matmul-f32-nn-4x4x4")


def test_device_error_is_sticky_so_the_worker_is_replaced(faulty: Callable[[str], Pool]) -> None:
    pool = faulty("device_error")
    answer = multiply(pool, "matmul-f32-nn-4x4x33")
    assert isinstance(answer, Refusal)
    assert answer.sticky
    assert "illegal memory access" in answer.text
    assert isinstance(multiply(pool, "matmul-f32-nn-4x4x4"), Answer)


def test_refused_arguments_leave_the_worker_alone(pool: Pool) -> None:
    pid = pool.worker(ON).pid
    answer = pool.ask(ON, {"do": "multiply", "operation": ["matmul", "sideways"]}, 60.0)
    assert isinstance(answer, Refusal)
    assert answer.type == "KeyError"
    problem = parse_problem("matmul-f32-nn-4x4x4")
    wrong = (np.ones((4, 4), np.float32), np.ones((4, 4), np.float32))
    request = {"do": "prepare", "copies": "many"}
    pool.multiply(problem, ON, wrong, limit=60.0)
    assert isinstance(pool.ask(ON, request, 60.0), Refusal)
    assert pool.worker(ON).pid != pid


def test_timing_counts_every_operation(faulty: Callable[[str], Pool]) -> None:
    pool = faulty("one_call_in_forty")
    problem = parse_problem("matmul-f32-nn-4x4x4")
    ones = (np.ones((4, 4), np.float32), np.ones((4, 4), np.float32))
    assert pool.prepare(problem, ON, ones, copies=2, limit=60.0) == {}
    seconds = pool.time(ON, [1, 2, 35], piece=16, limit=60.0)
    assert not isinstance(seconds, Refusal)
    assert len(seconds) == 3
    assert min(seconds) > 0
    # 38 calls were made, so the 40th is the second one from here.
    answer = multiply(pool, "matmul-f32-nn-4x4x4", repeat=3)
    assert isinstance(answer, Answer)
    assert [digest == answer.digests[0] for digest in answer.digests] == [True, False, True]


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/nonexistent/python", "cannot be run"),
        (sys.executable, "no (metal|cuda) device|ModuleNotFoundError|ImportError"),
        (shutil.which("true") or "", "did not start"),
    ],
)
def test_a_worker_that_cannot_start_says_why(python: str, words: str) -> None:
    absent = "cuda" if sys.platform == "darwin" else "metal"
    with Pool(python, absent, environment()) as pool, pytest.raises(WorkerError, match=words):
        pool.worker(ON)


def test_an_interpreter_without_mlx_is_named(tmp_path: Path) -> None:
    (tmp_path / "mlx").mkdir()
    (tmp_path / "mlx" / "__init__.py").write_text("")
    hidden = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with Pool(sys.executable, "cpu", hidden) as pool, pytest.raises(WorkerError, match="mlx"):
        pool.worker(ON)


def test_killing_the_parent_leaves_no_worker(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, os, time
            import numpy as np
            from pytest_applegpu.problem import parse_problem
            from pytest_applegpu.setting import Setting
            from pytest_applegpu.worker.pool import Pool
            pool = Pool(sys.executable, "cpu", dict(os.environ))
            print(pool.worker(Setting()).pid, flush=True)
            problem = parse_problem("matmul-f32-nn-33x8x8192")
            a, b = np.ones(problem.shape_a, "f4"), np.ones(problem.shape_b, "f4")
            pool.multiply(problem, Setting(), (a, b), limit=600.0)
            """
        )
    )
    root = str(Path(process.__file__).parents[2])
    path = {**environment("hang"), "PYTHONPATH": f"{FAULTS}{os.pathsep}{root}"}
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=path)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert alive(worker)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30
    while alive(worker) and time.monotonic() < deadline:
        os.sched_yield()
    assert not alive(worker)
