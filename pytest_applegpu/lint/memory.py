"""Is memory used out of proportion, or more than a threadgroup can have?"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from pytest_applegpu.lint.subject import Fault, Subject, partitions
from pytest_applegpu.routing.arrays import ITEMSIZE
from pytest_applegpu.routing.calls import Attention

TIMES: Final = 1
"""Times operands and result from which on scratch memory is out of proportion."""

LEAST: Final = 1 << 26
"""Bytes of scratch memory below which its proportion does not matter."""

STAGED: Final = 32768
"""Threadgroup memory of an Apple GPU, in bytes."""

THREADS: Final = 1024
"""Threads that a threadgroup can have."""


def scratch(subject: Subject) -> Iterator[Fault]:
    """Yield partial sums, or scores, that take more memory than operands and result together."""
    plain = subject.operand_bytes + subject.result_bytes
    for family, what, size in _scratches(subject):
        if size >= LEAST and size >= TIMES * plain:
            yield Fault(
                family,
                f"{what}: {size / 2**20:.0f} MiB, {size / plain:.1f} times operands and result",
            )


def _scratches(subject: Subject) -> Iterator[tuple[str, str, int]]:
    for launch, sizes in subject.multiplied:
        parts = partitions(launch)
        if parts > 1:
            each = 8 if "complex64" in launch.kernel else 4
            size = parts * sizes.m * sizes.n * each
            yield launch.label, f"{parts} partial results of {sizes.m}x{sizes.n}", size
    call = subject.call
    if isinstance(call, Attention) and unfused(subject):
        (batch, heads, length, _), keys = call.q.shape, call.k.shape[2]
        size = prod((batch, heads, length, keys)) * ITEMSIZE[call.q.dtype]
        yield "unfused", f"scores of {batch * heads} heads, {length}x{keys}", size


def unfused(subject: Subject) -> bool:
    """Return whether attention runs as matmul, softmax, matmul over whole scores."""
    launches = subject.route.launches
    return (
        bool(launches)
        and all(one.role != "attention" for one in launches)
        and not _in_blocks(subject)
    )


def _in_blocks(subject: Subject) -> bool:
    return any("sdpa_blocked" in one.kernel for one in subject.route.launches)


def too_much_for_a_threadgroup(subject: Subject) -> Iterator[Fault]:
    """Yield launches that no Apple GPU can make: too much threadgroup memory, too many threads."""
    for launch in subject.route.launches:
        family, threads = launch.label or launch.role, prod(launch.group)
        if launch.staged is not None and launch.staged > STAGED:
            yield Fault(family, f"{launch.staged} bytes of threadgroup memory, {STAGED} are there")
        if threads > THREADS:
            yield Fault(family, f"{threads} threads in a threadgroup, {THREADS} are allowed")
