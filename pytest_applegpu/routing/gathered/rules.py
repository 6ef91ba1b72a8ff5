"""Which rules of `gather_mm` differ between MLX releases?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.versions import ByVersion


@dataclass(frozen=True, slots=True)
class GatherRules:
    """What a release's `gather_mm` knows; the fields are those of 0.29.3 where they have defaults.

    Attributes:
        nax: rows that meet matrices in order have a kernel for the neural accelerators.
        rows_apart: rows in order are taken to lie K apart; before, as the stride of the axis of
            size 1 says, which is not always so.
        wide: few rows times transposed matrices stream each matrix once for up to 5 rows.
        offsets: a launch finds where each matrix begins in the sorted indices, and threadgroups
            are laid by matrix. Its matrices are counted over all batch axes of b; before, along the
            first axis alone.
    """

    nax: bool = False
    rows_apart: bool = False
    wide: bool = False
    offsets: bool = False


RULES: Final = ByVersion(
    GatherRules(),
    {
        "0.30.0": {"nax": True},
        "0.32.1": {"rows_apart": True, "wide": True},
        "0.32.3": {"offsets": True},
    },
)
"""Rules by the release that brought them; 0.30.6 to 0.31.2 have those of 0.30.0."""
