"""In which order does a predicted route add up the products of one element?

Of every kernel is told only what its source says: how K is dealt out to partitions, SIMD-groups
and threads, and what adds up their sums. What hardware does within one matrix instruction, or
within `simd_sum`, is not written there: these may add in any order. Sources: `gemv.h`, `dot.h`,
`reduce.h`, `steel_gemm_splitk.h` and `steel_gemm_thin_nax.h` of ml-explore/mlx.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import log2
from typing import Final

from pytest_applegpu.numerics.bounds import Sums
from pytest_applegpu.routing.launch import Launch, Route

SIMD_WIDTH: Final = 32
"""Threads of a SIMD-group."""

THIN_CHUNK: Final = 64
"""K of what one SIMD-group of the thin kernel takes in its turn."""

WIDE_RUN: Final = 4
"""Neighbours along K that a thread of gemv_wide adds up apart."""

WIDE_UNROLL: Final = 8
"""Such runs that it adds up before they join its sum."""

DOT_SUMS: Final = 4
"""Sums that a thread of the dot product keeps."""

Numbers = dict[str, int]

_PARTS: Final = re.compile(r"_([a-z]+)(\d+)(?![^_])")
"""Names and numbers of a kernel's name, such as `_bm64`."""

_FORMAT: Final = r"(?:float|bfloat|complex)\d"

_ACCUMULATES: Final = re.compile(r"steel_gemm_splitk_accum_[a-z]+\d+_(?P<kept>[a-z]+\d+)")
"""Formats of the result and of the partial sums in the name of what adds these up."""


def sums_of(route: Route, k: int) -> Sums | None:
    """Return how `route` adds up K products; None where nothing does, or the kernel is unknown."""
    launches = [one for one in route.launches if one.role == "matmul"]
    if len(launches) != 1 or k == 0:
        return None
    for beginning, order in _ORDERS.items():
        if re.match(beginning, launches[0].kernel):
            return replace(order(_numbers(launches[0]), k), kept=_kept(route))
    return None


def _kept(route: Route) -> str | None:
    """Return the format of partial sums, which the kernel that adds them up has in its name."""
    names = (launch.kernel for launch in route.launches if launch.role == "accumulate")
    found = next((match for match in map(_ACCUMULATES.match, names) if match), None)
    return found["kept"] if found else None


def _numbers(launch: Launch) -> Numbers:
    return {name: int(value) for name, value in _PARTS.findall(launch.kernel)} | dict(launch.params)


def _whole(_: Numbers, k: int) -> Sums:
    return Sums(k)


def _split(numbers: Numbers, k: int) -> Sums:
    """Cut K: the last partition takes the rest, which may be more than any other does."""
    parts, size = numbers["partitions"], numbers["partition_size"]
    return Sums(max(size, k - (parts - 1) * size), parts, parts - 1)


def _thin(numbers: Numbers, k: int) -> Sums:
    """Deal chunks of K to SIMD-groups in turn."""
    groups = numbers["ks"]
    chunks = _ceil(k, THIN_CHUNK)
    longest = min(k, _ceil(chunks, groups) * THIN_CHUNK)
    parts = min(groups, chunks)
    return Sums(longest, parts, parts - 1, "SIMD-groups")


def _down(numbers: Numbers, k: int) -> Sums:
    """Walk down columns: bm SIMD-groups of sm threads share K, tm elements a thread a step."""
    return _vector(k, numbers["bm"], numbers["sm"], numbers["tm"])


def _along(numbers: Numbers, k: int) -> Sums:
    """Walk along rows: bn SIMD-groups of sn threads share K, tn elements a thread a step."""
    return _vector(k, numbers["bn"], numbers["sn"], numbers["tn"])


def _vector(k: int, groups: int, lanes: int, run: int) -> Sums:
    steps = _ceil(k, groups * lanes * run)
    parts = min(groups * lanes, _ceil(k, run))
    return Sums(min(k, steps * run), parts, int(log2(lanes)) + groups - 1, "lanes")


def _wide(numbers: Numbers, k: int) -> Sums:
    """Stream K past kl lanes: runs of 4, 8 runs a block, each block joins the lane's sum."""
    lanes = numbers["kl"]
    blocks = _ceil(k, WIDE_RUN * lanes * WIDE_UNROLL)
    joins = WIDE_UNROLL + blocks + int(log2(lanes))
    return Sums(min(k, WIDE_RUN), _ceil(k, WIDE_RUN), joins, "runs")


def _dot(numbers: Numbers, k: int) -> Sums:
    """Keep four sums a thread; add them, a SIMD-group's, a threadgroup's, and all of those."""
    items, threads = numbers["it"], numbers["tg"]
    groups = _ceil(k, items * threads)
    joins = DOT_SUMS - 1 + SIMD_WIDTH - 1 + threads // SIMD_WIDTH - 1 + groups - 1
    lanes = min(k, groups * threads * DOT_SUMS)
    return Sums(min(k, items // DOT_SUMS), lanes, joins, "lanes")


def _ceil(number: int, by: int) -> int:
    return -(-number // by)


_ORDERS: Final[dict[str, Callable[[Numbers, int], Sums]]] = {
    f"dot_product_{_FORMAT}": _dot,
    f"gemv_wide_{_FORMAT}": _wide,
    f"gemv_t_{_FORMAT}": _down,
    f"gemv_{_FORMAT}": _along,
    "steel_gemm_thin_nax_": _thin,
    "steel_gemm_splitk_": _split,
    "steel_gemm_fused_": _whole,
}
"""Orders by how the names of dense kernels begin; masked and gathering ones are no part of it."""
