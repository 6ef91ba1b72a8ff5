"""What is the program that fails where MLX accepts what it must refuse?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Final

import numpy as np

from pytest_applegpu.bundle.operand import Held
from pytest_applegpu.bundle.script import ARRAYS, TINY, entry, stored_lines, view_function

TEMPLATE: Final = Path(__file__).with_name("refusal.template")


@dataclass(frozen=True, slots=True)
class Attempt:
    """All that such a program is made of.

    Attributes:
        case: what it is about, in one line.
        why: why MLX must refuse the call.
        names: words one of which a fitting error has.
        operands: the arrays, by whose names `call` is written.
        call: the expression that calls MLX.
        limit: seconds that the call may take.
        device: MLX's name of the device: cpu or gpu.
        environment: variables that are set before MLX is imported; no other MLX_* one stays.
    """

    case: str
    why: str
    names: tuple[str, ...]
    operands: tuple[Held, ...]
    call: str
    limit: float = 60.0
    device: str = "gpu"
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All numbers, by the names that they are kept under."""
        return {one.name: one.raw for one in self.operands}

    @property
    def tiny(self) -> bool:
        """Whether the numbers stand in the program's own text."""
        return sum(array.nbytes for array in self.arrays.values()) <= TINY

    @property
    def text(self) -> str:
        """The text of the program."""
        beside = "nothing else is needed." if self.tiny else f"{ARRAYS} must lie beside it."
        names = [one.name for one in self.operands]
        return Template(TEMPLATE.read_text("utf-8")).substitute(
            case=self.case,
            why=f"{self.why[0].upper()}{self.why[1:]}.",
            needs=beside,
            limit=f"{self.limit:.4g}",
            environment=dict(self.environment),
            device=self.device,
            names=self.names,
            stored=stored_lines(self.operands, self.arrays, tiny=self.tiny),
            views="\n\n\n".join(map(view_function, self.operands)),
            operands=", ".join(names),
            call=self.call,
            given=", ".join(map(_loaded, self.operands)),
        )


def _loaded(held: Held) -> str:
    storage, dtype, see = entry(held)
    return f"{see}(in_mlx({storage}, {dtype}), mx)"
