"""Which kernels do the rules ask for that a Metal library does not have?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_applegpu.device.arch import architectures
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.survey.asked import Asked, Whom, asked_line, options_of, words_of
from pytest_applegpu.survey.drafts import Draft
from pytest_applegpu.survey.enumeration import calls, crossed

_SMALL: Final = (1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 32, 33, 64, 128, 256, 512, 1024, 2048, 4096)
"""Sizes that are tried in place of larger ones."""

_PLAIN: Final = {
    "layouts": ("", ""),
    "transpose": "nn",
    "shared": False,
    "both": False,
    "sorted": False,
    "sinks": False,
    "mask": "",
    "row": False,
}
"""Choices that are tried in place of others."""

_FORMAT: Final = re.compile(
    r"(?:bfloat16|float16|float32|complex64|float)(?:_t(?=_))?|_gs_\d+|_b_\d"
)
"""What of a kernel's name says for which format it is."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A kernel that is asked for and not there: who asks, and the smallest problem that does."""

    kernel: str
    path: str
    target: Target
    draft: Draft
    architectures: tuple[str, ...]

    @property
    def words(self) -> str:
        """The smallest problem in the words of `applegpu route`."""
        return words_of(_asked(self.draft, self.target).line)

    @property
    def options(self) -> str:
        """The options of `applegpu route` that go with the words."""
        return options_of(self.target)

    def as_json(self) -> dict[str, Any]:
        """Return the finding as one object of the JSON lines."""
        return {
            "kernel": self.kernel,
            "path": self.path,
            "architectures": list(self.architectures),
            **_asked(self.draft, self.target).line,
        }


@dataclass(frozen=True, slots=True)
class Check:
    """What a library was asked for: how many calls, how many kernels, and what is missing."""

    calls: int
    refused: int
    kernels: int
    missing: tuple[Missing, ...]


def check(names: Collection[str], mlx: str, *, nax: bool, count: int, seed: int) -> Check:
    """Ask the rules of MLX `mlx` about `count` drawn calls and more, and look in `names`.

    The first call that asks for a kernel of its kind is asked again in every format and layout.
    `nax` tells whether the library was built with NAX kernels: without them MLX has no NAX.

    Raises:
        ValueError: the version has no rules.
    """
    survey = _Survey(names, targets_of(mlx, nax=nax))
    for draft in calls(mlx, count, seed):
        survey.ask(draft, survey.targets[survey.calls % len(survey.targets)])
    while survey.fresh:
        draft, target = survey.fresh.pop()
        for one in crossed(draft, mlx):
            survey.ask(one, target)
    missing = tuple(survey.found[kernel] for kernel in sorted(survey.found))
    return Check(survey.calls, survey.refused, len(survey.asked), missing)


class _Survey:
    """What was asked of the rules, and what is missing in a library."""

    def __init__(self, names: Collection[str], targets: Sequence[Target]) -> None:
        self.names, self.targets = names, targets
        self.calls = self.refused = 0
        self.asked: set[str] = set()
        self.kinds: set[str] = set()
        self.fresh: list[tuple[Draft, Target]] = []
        self.found: dict[str, Missing] = {}

    def ask(self, draft: Draft, target: Target) -> None:
        self.calls += 1
        kernels = _kernels(draft, target)
        self.refused += kernels is None
        for kernel in set(kernels or ()) - self.asked:
            self._meet(kernel, draft, target)

    def _meet(self, kernel: str, draft: Draft, target: Target) -> None:
        """Write down a kernel that was not asked for before."""
        self.asked.add(kernel)
        kind = kind_of(kernel)
        if kind not in self.kinds:
            self.kinds.add(kind)
            self.fresh.append((draft, target))
        if kernel not in self.names:
            self.found[kernel] = _smallest(kernel, draft, target, self.targets)


def kind_of(kernel: str) -> str:
    """Return a kernel's name without what says for which format it is."""
    return _FORMAT.sub("", kernel)


def targets_of(mlx: str, *, nax: bool) -> list[Target]:
    """Return every architecture of the chip table, with TF32 on and off, and NAX where it has it.

    Raises:
        ValueError: the version has no rules.
    """
    found: dict[Target, None] = {}
    for arch in architectures():
        for has in (True, False) if nax else (False,):
            for tf32 in (True, False):
                found[Gpu(arch, has).target(tf32=tf32, version=mlx)] = None
    return list(found)


def _asked(draft: Draft, target: Target) -> Asked:
    whom = Whom(target.arch, target.version, target.tf32)
    return asked_line({**draft.line(), "nax": target.nax}, whom)


def _kernels(draft: Draft, target: Target) -> tuple[str, ...] | None:
    """Return the base names that are asked for, None where MLX raises before it asks."""
    route = _asked(draft, target).route
    return None if route.error is not None else tuple(one.kernel for one in route.launches)


def _smallest(kernel: str, draft: Draft, target: Target, targets: Sequence[Target]) -> Missing:
    """Return the finding with every size as small as it can be while the kernel is asked for."""

    def asks(one: Draft, whom: Target) -> bool:
        return kernel in (_kernels(one, whom) or ())

    while smaller := next((one for one in _smaller(draft) if asks(one, target)), None):
        draft = smaller
    asking = [one for one in targets if asks(draft, one)] or [target]
    plainest = min(asking, key=lambda one: (one.passes_gate and not one.nax, not one.tf32))
    who = sorted({one.arch for one in asking})
    return Missing(kernel, _asked(draft, plainest).route.path, plainest, draft, tuple(who))


def _smaller(draft: Draft) -> Iterator[Draft]:
    """Yield drafts that are plainer, then those with one size smaller, the smallest first."""
    for name, plain in _PLAIN.items():
        if draft.choices.get(name, plain) != plain:
            yield replace(draft, choices={**draft.choices, name: plain})
    for name, size in draft.sizes.items():
        for small in _SMALL:
            if small < size:
                yield replace(draft, sizes={**draft.sizes, name: small})
