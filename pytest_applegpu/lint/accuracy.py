"""Is a result rounded between launches, or is the matrix to be added left out?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_applegpu.lint.memory import unfused
from pytest_applegpu.lint.subject import HALF, Fault, Subject, partitions
from pytest_applegpu.routing.calls import AddMM, Attention

_VECTORS_SPLIT: Final = "qvm_split_k"


def half_between(subject: Subject) -> Iterator[Fault]:
    """Yield results that pass through half precision before the last launch."""
    if subject.dtype not in HALF:
        return
    for launch, _ in subject.multiplied:
        parts, summed = partitions(launch), subject.launch_with("accumulate")
        if launch.label == "qmm_t_splitk" and summed is None:
            yield Fault(launch.label, f"{parts} partial sums of K in {subject.dtype}")
        if launch.label == _VECTORS_SPLIT:
            cut = launch.kernel.rpartition("_spk_")[2]
            yield Fault(launch.label, f"{cut} partial sums of K in {subject.dtype}")
        if "2pass_1" in launch.kernel:
            text = f"partial results of the keys' blocks in {subject.dtype}, not divided yet"
            yield Fault(launch.label, text)
    yield from _scores(subject)


def _scores(subject: Subject) -> Iterator[Fault]:
    if not isinstance(subject.call, Attention) or not subject.route.launches:
        return
    if not subject.call.k.size:
        return  # no keys, no scores
    if unfused(subject):
        yield Fault("unfused", f"scaled queries, scores and weights in {subject.dtype}")
    elif any("sdpa_blocked" in one.kernel for one in subject.route.launches):
        yield Fault("blocked", f"scaled queries, scores and weights in {subject.dtype}")


def addend_dropped(subject: Subject) -> Iterator[Fault]:
    """Yield kernels that are told to add nothing although beta is not 0.

    Complex products are scaled and added by launches of their own.
    """
    call = subject.call
    if not isinstance(call, AddMM) or not call.beta:
        return
    for launch, _ in subject.multiplied:
        if "_use_out_source_n" in launch.suffix and "complex64" not in launch.kernel:
            yield Fault(
                launch.label,
                f"alpha {call.alpha:g}, beta {call.beta:g}: c is left out, and alpha with it: "
                "the result is a @ b",
            )


def addend_read(subject: Subject) -> Iterator[Fault]:
    """Yield kernels that read c although beta is 0: NaN in c reaches the result."""
    call = subject.call
    for launch, _ in subject.multiplied:
        name = launch.kernel + launch.suffix
        read = "_use_out_source_t" in launch.suffix or "_axpby1" in name
        if isinstance(call, AddMM) and call.beta == 0 and read:
            yield Fault(launch.label, f"alpha {call.alpha:g}, beta 0: c is read all the same")
