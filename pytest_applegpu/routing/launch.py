"""What is launched: one kernel with its grid, and the route that several of them make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

ROLES: Final = (
    "copy",
    "matmul",
    "accumulate",
    "reduce",
    "index",
    "quantize",
    "elementwise",
    "softmax",
    "attention",
)
"""What a launch is for; `accumulate` adds up the partial sums of K, `index` makes indices."""

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Tile:
    """What a threadgroup computes: bm x bn of the result, bk by bk, with wm x wn SIMD-groups."""

    bm: int
    bn: int
    bk: int
    wm: int
    wn: int

    @property
    def simdgroups(self) -> int:
        """SIMD-groups in a threadgroup."""
        return self.wm * self.wn

    @property
    def sub_tile(self) -> tuple[int, int]:
        """Rows and columns of the result that one SIMD-group computes."""
        return self.bm // self.wm, self.bn // self.wn

    def __str__(self) -> str:
        """Text as it stands in kernel names."""
        return f"bm{self.bm}_bn{self.bn}_bk{self.bk}_wm{self.wm}_wn{self.wn}"


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    `grid` counts threadgroups or threads, as `kind` says; `group` counts threads. `suffix` holds
    the function constants that specialise the kernel: its full name is `kernel + suffix`. `params`
    are the numbers handed over that shapes alone do not give. `staged` is the threadgroup memory
    in bytes that operands pass through, 0 for none, None where it is not known. `label` is this
    launch's part in the path's name.
    """

    kernel: str
    role: str
    grid: Triple
    group: Triple
    kind: str = "threadgroups"
    suffix: str = ""
    params: Mapping[str, int] = field(default_factory=dict)
    label: str = ""
    tile: Tile | None = None
    staged: int | None = None

    @property
    def threadgroups(self) -> int:
        """How many threadgroups run."""
        if self.kind == "threadgroups":
            return prod(self.grid)
        return prod(-(-n // g) for n, g in zip(self.grid, self.group, strict=True))

    def as_json(self) -> dict[str, Any]:
        """Return the launch in the form of the recordings."""
        said: dict[str, Any] = {"kernel": self.kernel}
        if self.suffix:
            said["hash"] = f"+{self.suffix}"
        said |= {"grid": list(self.grid), "group": list(self.group), "kind": self.kind}
        if self.params:
            said["params"] = dict(self.params)
        return said


@dataclass(frozen=True, slots=True)
class Reason:
    """A rule that was taken, in words, and the values that decided."""

    rule: str
    values: str

    def __str__(self) -> str:
        """Text for people: `rule: values`."""
        return f"{self.rule}: {self.values}" if self.values else self.rule


@dataclass(frozen=True, slots=True)
class Route:
    """The ordered launches of one problem, and why.

    `path` is the short label (`splitk_nax`, `copy+gemm`, `none` where nothing is launched, `error`
    where MLX refuses: `error` then says what it raises). `basis` says how the rules of this
    version are known. `unfused` marks attention that runs as matmul, softmax, matmul.
    """

    launches: tuple[Launch, ...]
    reasons: tuple[Reason, ...] = ()
    basis: str = ""
    error: str | None = None
    unfused: str | None = None

    @property
    def path(self) -> str:
        """Labels of the launches in their order, joined by `+`."""
        if self.error is not None:
            return "error"
        labels: list[str] = []
        for launch in self.launches:
            if launch.label and launch.label not in labels[-1:]:
                labels.append(launch.label)
        return "+".join(labels) or "none"

    @property
    def kernels(self) -> tuple[str, ...]:
        """Full names of the kernels, in order."""
        return tuple(f"{one.kernel}{one.suffix}" for one in self.launches)


NO_SUCH_AXIS: Final = "SmallVector out of range."
"""What MLX raises where it asks for an axis that an array does not have."""


class Refused(Exception):  # noqa: N818 - MLX refuses; that is a prediction, not a fault here
    """MLX raises here, with this message."""


@dataclass(slots=True)
class Tape:
    """What an operation launches, written down in order."""

    launches: list[Launch] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    unfused: str | None = None

    def add(self, launch: Launch) -> None:
        """Write down a launch."""
        self.launches.append(launch)

    def because(self, rule: str, values: str = "") -> None:
        """Write down a rule that was taken and the values that decided."""
        self.reasons.append(Reason(rule, values))
