"""Softmax: at once or looped, and how many threads a row has."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import dense
from pytest_applegpu.routing.attention.softmax import softmax


@pytest.mark.parametrize(
    ("length", "kernel", "threads"),
    [
        (1, "block_softmax_precise_float16", 32),
        (128, "block_softmax_precise_float16", 32),
        (129, "block_softmax_precise_float16", 64),
        (4096, "block_softmax_precise_float16", 1024),
        (4097, "looped_softmax_precise_float16", 1024),
    ],
)
def test_a_thread_reads_four_neighbours(length: int, kernel: str, threads: int) -> None:
    launch = softmax(dense((2, 3, length), "float16"))
    assert (launch.kernel, launch.kind) == (kernel, "threads")
    assert launch.grid == (6 * threads, 1, 1)
    assert launch.group == (threads, 1, 1)
    assert launch.threadgroups == 6


def test_float32_is_precise_by_itself() -> None:
    assert softmax(dense((1, 5), "float32")).kernel == "block_softmax_float32"
