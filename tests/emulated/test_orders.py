"""Orders of summation, against the kernels' loops written out thread by thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from pytest_applegpu.emulated import orders
from pytest_applegpu.emulated.arithmetic import Array
from tests.emulated.conftest import normal

Order = Callable[[Array, Array, int], Array]

ORDERS: dict[str, tuple[Order, tuple[int, int, int, int]]] = {
    "matrices": (orders.matrices, (2, 5, 6, 67)),
    "partitions": (partial(orders.partitions, count=3, size=32), (1, 5, 6, 101)),
    "rest": (partial(orders.partitions, count=3, size=33), (1, 5, 6, 67)),
    "thin": (partial(orders.thin, groups=4), (1, 5, 6, 600)),
    "thin, K short": (partial(orders.thin, groups=4), (1, 5, 6, 65)),
    "vector": (partial(orders.vector, groups=8, lanes=32, run=4), (3, 1, 5, 2051)),
    "vector, down": (partial(orders.vector, groups=1, lanes=8, run=4), (3, 6, 1, 71)),
    "wide": (partial(orders.wide, lanes=16), (2, 3, 4, 1104)),
    "wide, K short": (partial(orders.wide, lanes=32), (2, 3, 4, 12)),
    "dot": (partial(orders.dot, vector_size=4), (1, 1, 1, 40000)),
    "dot, halves": (partial(orders.dot, vector_size=8), (1, 1, 1, 777)),
}


def integers(*shape: int) -> Array:
    """Return small whole numbers as float32."""
    random = np.random.Generator(np.random.Philox(list(shape)))
    return random.integers(-4, 5, shape).astype(np.float32)


@pytest.mark.parametrize("name", ORDERS)
def test_whole_numbers_come_out_exact(name: str) -> None:
    order, (batch, m, n, k) = ORDERS[name]
    a, b = integers(batch, m, k), integers(batch, k, n)
    np.testing.assert_array_equal(order(a, b, 24), a @ b)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_shows_in_the_last_bits_only(name: str) -> None:
    order, (batch, m, n, k) = ORDERS[name]
    a, b = normal(batch, m, k), normal(batch, k, n)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = k * 2.0**-24 * (abs(a).astype(np.float64) @ abs(b))
    off = abs(order(a, b, 24) - exact)
    assert (off <= bound).all()
    assert off.max() > 0


def fused(total: np.float32, x: np.float32, y: np.float32) -> np.float32:
    """Return total + x y, rounded once."""
    return np.float32(np.float64(x) * np.float64(y) + np.float64(total))


def shuffled(lanes: list[np.float32]) -> np.float32:
    """Add lanes as a loop of simd_shuffle_down does."""
    half = len(lanes) // 2
    while half:
        lanes = [lanes[at] + lanes[at + half] for at in range(half)]
        half //= 2
    return lanes[0]


def test_vector_is_gemv_thread_by_thread() -> None:
    groups, lanes, run, k = 2, 8, 4, 150
    w, v = normal(k), normal(k, 1)[:, 0]
    results = [np.float32(0)] * (groups * lanes)
    for thread in range(groups * lanes):
        for block in range(thread * run, k, groups * lanes * run):
            for at in range(block, min(block + run, k)):
                results[thread] = fused(results[thread], w[at], v[at])
    total = shuffled(results[:lanes]) + shuffled(results[lanes:])
    got = orders.vector(w[None, None], v[None, :, None], 24, groups=groups, lanes=lanes, run=run)
    assert got == total


def test_wide_is_gemv_wide_lane_by_lane() -> None:
    lanes, k = 16, 4 * 16 * 8 * 2 + 4 * 19
    x, w = normal(k), normal(k, 1)[:, 0]
    main = k // 4 - k // 4 % (lanes * 8)

    def four(at: int) -> np.float32:
        total = np.float32(0)
        for one in range(4 * at, 4 * at + 4):
            total = fused(total, x[one], w[one])
        return total

    results = []
    for lane in range(lanes):
        result = np.float32(0)
        for base in range(0, main, lanes * 8):
            acc = np.float32(0)
            for i in range(8):
                acc = acc + four(base + i * lanes + lane)
            result = result + acc
        for at in range(main + lane, k // 4, lanes):
            result = result + four(at)
        results.append(result)
    got = orders.wide(x[None, None], w[None, :, None], 24, lanes=lanes)
    assert got == shuffled(results)


@pytest.mark.parametrize("vector_size", [4, 8])
def test_dot_is_the_kernel_thread_by_thread(vector_size: int) -> None:
    k = 17000
    a, b = normal(k), normal(k, 1)[:, 0]
    totals = []
    for group in range(2):
        sums = []
        for simd in range(16):
            lanes = []
            for lane in range(32):
                start = (group * 512 + simd * 32) * 32 + lane * vector_size
                c = [np.float32(0)] * 4
                for i in range(0, 32, vector_size):
                    for j in range(vector_size):
                        at = start + i * 32 + j
                        if at < k:
                            c[j & 3] = fused(c[j & 3], a[at], b[at])
                lanes.append(c[0] + c[1] + c[2] + c[3])
            sums.append(shuffled(lanes))
        totals.append(shuffled(sums))
    got = orders.dot(a[None, None], b[None, :, None], 24, vector_size=vector_size)
    assert got == totals[0] + totals[1]


def test_partial_sums_are_kept_in_float32() -> None:
    """4096 + 0.25 is no float16: had the first half been rounded, the sum would lose the rest."""
    a = np.ones((1, 1, 256), np.float32)
    b = np.zeros((1, 256, 1), np.float32)
    b[0, :128, 0] = 32.0
    b[0, 0, 0] += 0.25
    b[0, 128:, 0] = -32.0
    assert np.float32(np.float16(4096.25)) == 4096
    assert orders.partitions(a, b, 11, count=2, size=128) == 0.25


def test_complex_fragments_are_three_real_products() -> None:
    """The imaginary part is (Ar + Ai)(Br + Bi) less the other two, and Ar + Ai loses Ar here."""
    a = np.array([[[complex(1, 2.0**24)]]], np.complex64)
    b = np.array([[[1]]], np.complex64)
    assert orders.matrices(a, b, 24) == complex(1, 2.0**24 - 1)
