"""Grids cover results, as far as any recorded release is known to; a grid cut short is seen."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_applegpu.lint.coverage import false_alignment, uncovered
from pytest_applegpu.lint.drawn import drawn
from pytest_applegpu.lint.subject import Subject
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Launch, Route
from pytest_applegpu.routing.lines import call_of, target_of
from pytest_applegpu.routing.versions import RECORDED
from tests.lint.linting import NEWEST, attention, line, matmul, quantized

KNOWN = {"qvm_split_k"}
"""Covered short up to 0.32.0: columns that do not fill a threadgroup."""


@pytest.mark.parametrize("version", RECORDED)
def test_random_calls_are_covered(version: str) -> None:
    faults = [
        fault.family
        for call, target in drawn(1500, version, seed=5)
        for fault in uncovered(Subject(call, target, route_of(call, target)))
    ]
    assert set(faults) <= (KNOWN if version < "0.32" else set())


@pytest.mark.parametrize(
    "case",
    [
        matmul(200, 300, 64),
        matmul(64, 300, 4096, "nt"),
        matmul(300, 300, 4096),
        matmul(64, 64, 4096, arch="g15s"),
        matmul(200, 300, 64, arch="g15g"),
        matmul(1, 3000, 64),
        matmul(8, 300, 64, "nt"),
        matmul(200, 300, 64, op="segmented_mm", segments_shape=[4, 2]),
        matmul(200, 300, 64, op="block_masked_mm", block_size=32, mask_out=True, mask_op=False)
        | {"mask_bool": True},
        line(op="gather_mm", a_shape=[9, 64, 32], b_shape=[4, 32, 96], rhs_shape=[9]),
        line(op="gather_mm", a_shape=[90, 1, 32], b_shape=[4, 32, 96], rhs_shape=[90], sorted=True),
        quantized(1, 64, 512),
        quantized(3, 64, 512),
        quantized(3, 64, 128),
        quantized(1, 256, 512, transpose=False),
        quantized(1, 256, 2048, transpose=False),
        quantized(64, 256, 512),
        quantized(500, 2000, 512),
        attention(100, 100, 128),
        attention(1, 100, 128),
    ],
)
def test_a_grid_cut_short_is_seen(case: dict[str, object]) -> None:
    call, target = call_of(case), target_of(case)
    route = route_of(call, target)
    assert not list(uncovered(Subject(call, target, route)))
    cut = replace(route, launches=tuple(map(_halved, route.launches)))
    assert list(uncovered(Subject(call, target, cut)))


def _halved(launch: Launch) -> Launch:
    x, y, z = launch.grid
    return replace(launch, grid=(x // 2, y // 2 if y > 1 else y, z))


def test_only_the_letters_whose_tiles_differ_are_told_wrongly() -> None:
    letters = {
        arch[-1]
        for arch in ("g17g", "g17s", "g17d", "g17c", "g18p")
        for sizes in ((64, 32), (32, 64))
        for layout in ("nn", "nt")
        for dtype in ("float16", "float32")
        if _told(arch, sizes, layout, dtype)
    }
    assert letters == {"g", "d", "p"}


def _told(arch: str, sizes: tuple[int, int], layout: str, dtype: str) -> bool:
    more: dict[str, Any] = {
        "arch": arch,
        "dtype": dtype,
        "op": "segmented_mm",
        "segments_shape": [2, 2],
    }
    case = matmul(*sizes, 64, layout, **more)
    call, target = call_of(case), target_of(case)
    assert target.version == NEWEST
    route: Route = route_of(call, target)
    return bool(list(false_alignment(Subject(call, target, route))))
