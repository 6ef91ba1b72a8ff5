"""Plant a fault in `mx.matmul`, in worker processes only.

Python imports this module at start when its folder stands in PYTHONPATH. The variable
APPLEGPU_TEST_FAULT names the fault; without it nothing happens. Each function below takes the
real `matmul` and returns a wrong one.
"""

from __future__ import annotations

import importlib
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAULT = os.environ.get("APPLEGPU_TEST_FAULT", "")

Matmul = Callable[[Any, Any], Any]


def _zero_from(mx: Any, array: Any, axis: int, start: int) -> Any:
    """Zero everything from index `start` of `axis` on."""
    kept = mx.arange(array.shape[axis]) < start
    shape = [1] * array.ndim
    shape[axis] = array.shape[axis]
    return mx.where(kept.reshape(shape), array, mx.zeros_like(array))


def k_tail(mx: Any, matmul: Matmul) -> Matmul:
    """Lose what lies past the last whole block of 16 along K."""

    def faulty(a: Any, b: Any) -> Any:
        k = a.shape[-1]
        whole = k - k % 16
        return matmul(_zero_from(mx, a, -1, whole), b) if k % 16 and k > 16 else matmul(a, b)

    return faulty


def _wrong_edge(mx: Any, matmul: Matmul, axis: int) -> Matmul:
    def faulty(a: Any, b: Any) -> Any:
        c = matmul(a, b)
        if c.ndim < 2 or c.shape[axis] < 2:
            return c
        return _zero_from(mx, c, axis, c.shape[axis] - 1)

    return faulty


def last_row(mx: Any, matmul: Matmul) -> Matmul:
    """Leave the last row of the result zero."""
    return _wrong_edge(mx, matmul, -2)


def last_column(mx: Any, matmul: Matmul) -> Matmul:
    """Leave the last column of the result zero."""
    return _wrong_edge(mx, matmul, -1)


def one_in_a_million(mx: Any, matmul: Matmul) -> Matmul:
    """Add one unit to one element of results of a million elements and more."""

    def faulty(a: Any, b: Any) -> Any:
        c = matmul(a, b)
        if c.size < 1_000_000 or c.ndim != 2:
            return c
        row = (mx.arange(c.shape[0]) == 613)[:, None]
        column = (mx.arange(c.shape[1]) == 77)[None, :]
        return mx.where(row & column, c + mx.array(1, c.dtype), c)

    return faulty


def repeated_batch(mx: Any, matmul: Matmul) -> Matmul:
    """Give every matrix of a batch the result of the first."""

    def faulty(a: Any, b: Any) -> Any:
        c = matmul(a, b)
        return mx.broadcast_to(c[:1], c.shape) if c.ndim > 2 and c.shape[0] else c

    return faulty


def half_accumulation(mx: Any, matmul: Matmul) -> Matmul:
    """Add up blocks of 16 products in float16."""

    def faulty(a: Any, b: Any) -> Any:
        if a.dtype not in {mx.float32, mx.float16, mx.bfloat16} or a.ndim < 2 or b.ndim < 2:
            return matmul(a, b)
        total, k = None, a.shape[-1]
        for start in range(0, k, 16):
            part = matmul(a[..., start : start + 16], b[..., start : start + 16, :])
            part = part.astype(mx.float16)
            total = part if total is None else total + part
        return matmul(a, b) if total is None else total.astype(a.dtype)

    return faulty


def _cut(mx: Any, array: Any, bits: int) -> Any:
    """Truncate float32 to `bits` of significand."""
    mask = (0xFFFFFFFF << (24 - bits)) & 0xFFFFFFFF
    return (array.view(mx.uint32) & mx.array(mask, mx.uint32)).view(mx.float32)


def bfloat16_operands(mx: Any, matmul: Matmul) -> Matmul:
    """Cut float32 operands to bfloat16."""

    def faulty(a: Any, b: Any) -> Any:
        if a.dtype != mx.float32:
            return matmul(a, b)
        return matmul(*(x.astype(mx.bfloat16).astype(mx.float32) for x in (a, b)))

    return faulty


def tf32_while_off(mx: Any, matmul: Matmul) -> Matmul:
    """Cut float32 operands to 11 bits although TF32 is off."""

    def faulty(a: Any, b: Any) -> Any:
        if a.dtype != mx.float32 or os.environ.get("MLX_ENABLE_TF32") != "0":
            return matmul(a, b)
        return matmul(_cut(mx, mx.contiguous(a), 11), _cut(mx, mx.contiguous(b), 11))

    return faulty


def tf32_while_on(mx: Any, matmul: Matmul) -> Matmul:
    """Cut float32 operands to 11 bits where TF32 is on, as some GPUs do."""

    def faulty(a: Any, b: Any) -> Any:
        if a.dtype != mx.float32 or os.environ.get("MLX_ENABLE_TF32") == "0":
            return matmul(a, b)
        return matmul(_cut(mx, mx.contiguous(a), 11), _cut(mx, mx.contiguous(b), 11))

    return faulty


def truncated_output(mx: Any, matmul: Matmul) -> Matmul:
    """Truncate half-precision results instead of rounding them."""

    def faulty(a: Any, b: Any) -> Any:
        if a.dtype not in {mx.float16, mx.bfloat16}:
            return matmul(a, b)
        wide = matmul(a.astype(mx.float32), b.astype(mx.float32))
        near = wide.astype(a.dtype)
        away = mx.abs(near.astype(mx.float32)) > mx.abs(wide)
        raw = near.view(mx.uint16)
        return mx.where(away, raw - mx.array(1, mx.uint16), raw).view(a.dtype)

    return faulty


def nan_leak(mx: Any, matmul: Matmul) -> Matmul:
    """Let NaN reach the row below the one it belongs to."""

    def faulty(a: Any, b: Any) -> Any:
        c = matmul(a, b)
        if c.ndim < 2 or c.shape[-2] < 2 or c.dtype == mx.complex64:
            return c
        ill = mx.all(mx.isnan(c), axis=-1, keepdims=True)
        below = mx.concatenate([mx.zeros_like(ill[..., :1, :]), ill[..., :-1, :]], axis=-2)
        return mx.where(below, mx.array(float("nan"), c.dtype), c)

    return faulty


def one_call_in_forty(mx: Any, matmul: Matmul) -> Matmul:
    """Spoil one element of every fortieth call."""
    calls = itertools.count(1)

    def faulty(a: Any, b: Any) -> Any:
        c = matmul(a, b)
        if next(calls) % 40 or not c.size:
            return c
        flat = c.reshape(-1)
        first = mx.arange(flat.shape[0]) == 0
        return mx.where(first, flat + mx.array(3, c.dtype), flat).reshape(c.shape)

    return faulty


def abort(mx: Any, matmul: Matmul) -> Matmul:
    """End the process when K is 33."""

    def faulty(a: Any, b: Any) -> Any:
        if a.shape[-1] == 33:
            os.abort()
        return matmul(a, b)

    return faulty


def hang(mx: Any, matmul: Matmul) -> Matmul:
    """Never return when M is 33 and N is 8, deaf to every polite signal."""

    def faulty(a: Any, b: Any) -> Any:
        if a.shape[-2:] == (33, 8192):
            Path(os.environ.get("APPLEGPU_TEST_PID", os.devnull)).write_text(str(os.getpid()))
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            while True:
                time.sleep(3600)
        return matmul(a, b)

    return faulty


def in_place(mx: Any, matmul: Matmul) -> Matmul:
    """Write into the memory of the second operand, once the right result is there."""

    def faulty(a: Any, b: Any) -> Any:
        import numpy as np  # noqa: PLC0415 - only in this fault

        c = matmul(a, b)
        mx.eval(c)
        if b.dtype != mx.bfloat16 and b.size:
            np.asarray(b)[(0,) * b.ndim] = 77
        return c

    return faulty


def three_times_slower(mx: Any, matmul: Matmul) -> Matmul:
    """Do the work three times over."""

    def faulty(a: Any, b: Any) -> Any:
        for _ in range(2):
            mx.eval(matmul(a, b))
        return matmul(a, b)

    return faulty


def device_error(mx: Any, matmul: Matmul) -> Matmul:
    """Fail once with a device error, then on every later call, as a real device does."""
    failed: list[bool] = []

    def faulty(a: Any, b: Any) -> Any:
        if failed or a.shape[-1] == 33:
            failed.append(True)
            raise RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")
        return matmul(a, b)

    return faulty


def no_second_worker(mx: Any, matmul: Matmul) -> Matmul:
    """Let a worker with TF32 off die at its start."""
    if os.environ.get("MLX_ENABLE_TF32") == "0":
        os._exit(3)
    return matmul


def dropped_k(mx: Any, matmul: Matmul) -> Matmul:
    """Lose the last element of K."""

    def faulty(a: Any, b: Any) -> Any:
        return (
            matmul(a[..., :-1], b[..., :-1, :]) if a.shape[-1] > 1 and b.ndim > 1 else matmul(a, b)
        )

    return faulty


def _zero_where(matmul: Matmul, where: Callable[[Any, Any], bool]) -> Matmul:
    """Lose all of K in products of two matrices, or stacks of them, of which `where` holds."""

    def faulty(a: Any, b: Any) -> Any:
        if a.ndim < 2 or b.ndim < 2 or not where(a, b):
            return matmul(a, b)
        return matmul(a[..., :0], b[..., :0, :])

    return faulty


def zero_beyond_k_4096(mx: Any, matmul: Matmul) -> Matmul:
    """Give zeros where K is above 4096."""
    return _zero_where(matmul, lambda a, _: a.shape[-1] > 4096)


def zero_where_n_is_ragged(mx: Any, matmul: Matmul) -> Matmul:
    """Give zeros where N is above 64 and no multiple of it."""
    return _zero_where(matmul, lambda _, b: b.shape[-1] > 64 and b.shape[-1] % 64 != 0)


def zero_beyond_one_row(mx: Any, matmul: Matmul) -> Matmul:
    """Give zeros where there are two rows and more."""
    return _zero_where(matmul, lambda a, _: a.shape[-2] >= 2)


def _library() -> Any:
    """Import MLX, or what the worker's last two words name in its place."""
    name, folder = sys.orig_argv[-2:]
    if not name.endswith(".core"):
        return importlib.import_module("mlx.core")
    sys.path.append(folder)
    return importlib.import_module(name)


if FAULT and any(word.endswith("serve.py") for word in sys.orig_argv):
    core = _library()
    core.matmul = globals()[FAULT](core, core.matmul)
