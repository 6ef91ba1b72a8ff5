"""The emulated module offers what a worker uses, laid out as MLX lays it out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_applegpu.emulated.target import target_of, variables
from pytest_applegpu.numerics import probe
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.placements import placed
from pytest_applegpu.views import Placement
from tests.emulated.conftest import Emulate, normal

PLACED = (
    "matmul-f32-nn-5x6x7 a=pad:8 b=rows:3",
    "matmul-f16-tt-5x6x7-b2x3 a=rows:3 b=off:4",
    "matmul-bf16-nt-5x6x7-b2x3 a=bc b=heads",
    "matmul-f32-tn-1x6x1-b3 a=bc b=step",
    "matmul-c64-nn-5x1x7 a=neg b=axis",
    "matmul-f32-nn-1x6x7 a=vec b=axis",
    "matmul-f32-tt-1x1x7-b2 a=axis b=neg",
)


@pytest.mark.parametrize(
    ("arch", "tf32", "precision"),
    [
        ("applegpu_g17s", "on", probe.Precision(11, "truncated")),
        ("applegpu_g17s", "off", probe.Precision(24, "exact")),
        ("applegpu_g16s", "on", probe.Precision(24, "exact")),
        ("applegpu_g17p", "on", probe.Precision(24, "exact")),
        ("applegpu_g18p", "on", probe.Precision(11, "truncated")),
    ],
)
def test_the_probe_reads_what_is_emulated(
    emulate: Emulate, arch: str, tf32: str, precision: probe.Precision
) -> None:
    mx = emulate(arch, tf32)
    values, identity = probe.operands()
    v, one = mx.array(values), mx.array(identity)
    for got in (mx.matmul(v, one), one @ v):
        assert probe.read(values, np.asarray(got)) == precision


def loaded(mx: Any, placement: Placement, dtype: Any) -> Any:
    """Return the view of a storage that a placement's steps make, as a worker makes it."""
    array = mx.array(np.zeros(placement.storage), dtype)
    for name, argument in placement.steps:
        if name == "slice":
            spans = (slice(a, None if s < 0 else b, s) for a, b, s in argument)
            array = array[tuple(spans)]
        else:
            take = {"broadcast": "broadcast_to", "expand": "expand_dims"}.get(name, name)
            array = getattr(mx, take)(array, argument)
    return array


@pytest.mark.parametrize("text", PLACED)
def test_views_lie_as_dispatch_is_told(emulate: Emulate, text: str) -> None:
    mx, problem = emulate("applegpu_g17s"), parse_problem(text)
    for placement in (one.placement for one in problem.operands):
        name = problem.dtype.name
        array = loaded(mx, placement, getattr(mx, name))
        assert array.layout() == placed(placement, name)


def test_vectors_lose_their_axis(emulate: Emulate) -> None:
    mx = emulate("applegpu_g17s")
    a, b = mx.array(normal(3, 4)), mx.array(normal(4))
    assert (a @ b).shape == (3,)
    assert mx.matmul(b, mx.transpose(a, [1, 0])).shape == (3,)
    assert mx.matmul(b, b).shape == ()


def test_batches_broadcast(emulate: Emulate) -> None:
    mx = emulate("applegpu_g16s")
    a, b = normal(2, 1, 3, 4), normal(5, 4, 6)
    got = mx.matmul(mx.array(a), mx.array(b))
    np.testing.assert_allclose(np.asarray(got), a @ b, rtol=1e-5, atol=1e-6)


def test_views_share_memory_and_arrays_do_not(emulate: Emulate) -> None:
    mx, values = emulate("applegpu_g17s"), normal(3, 4)
    array = mx.array(values)
    np.asarray(array[1:])[...] = 0
    assert np.asarray(array)[1:].max() == 0
    assert values[1:].max() > 0


def test_what_mlx_refuses_is_refused(emulate: Emulate) -> None:
    mx = emulate("applegpu_g17s")
    a, b = (mx.array(normal(3, 4)) for _ in range(2))
    with pytest.raises(ValueError, match="matmul"):
        mx.matmul(a, b)
    with pytest.raises(ValueError, match="float64 is not supported on the GPU"):
        mx.matmul(*(x.astype(mx.float64) for x in (a, mx.transpose(b))))
    with pytest.raises(NotImplementedError, match=r"float32 times mlx\.core\.float16"):
        mx.matmul(a, mx.transpose(b).astype(mx.float16))


def test_a_device_must_be_named() -> None:
    with pytest.raises(ValueError, match="MLX_METAL_GPU_ARCH nor APPLEGPU_EMULATED_ARCH"):
        target_of({})


def test_a_setting_comes_before_the_run_s_device() -> None:
    environment = variables("applegpu_g17s", "0.31.2", "0.32.4")
    assert target_of(environment).arch == "applegpu_g17s"
    assert target_of(environment).version == "0.31.2"
    assert target_of(environment | {"MLX_METAL_GPU_ARCH": "applegpu_g13g"}).arch == "applegpu_g13g"


@pytest.mark.parametrize(
    ("installed", "emulated"), [("0.31.1", "0.31.1"), (None, "0.32.4"), ("0.5.0", "0.32.4")]
)
def test_without_a_version_the_installed_one_is_emulated(
    installed: str | None, emulated: str
) -> None:
    assert target_of(variables("applegpu_g17s", None, installed)).version == emulated
