"""Which rules of dense products differ between MLX releases?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_applegpu.routing.versions import ByVersion


@dataclass(frozen=True, slots=True)
class DenseRules:
    """What a release's `matmul` and `addmm` know, beyond what all of them do alike.

    The defaults are the rules of 0.29.3.

    Attributes:
        dot: a single number out of two dense vectors has a kernel of its own.
        gemv_wide: few rows times a transposed matrix stream the matrix once for up to 5 rows.
        scales_c: `addmm` without any K multiplies c by beta, rather than copying it as it is.
        nax: there are kernels for the neural accelerators.
        nax_tiles: tiles of those kernels go by the device's letter, with those of `ultra_tiles`
            for the letter d; before, all devices have one tile.
        thin_nax: up to 64 columns, or rows, have a kernel of their own.
        splitk_by_size: K is cut where K is not below max(M, N) and the result has up to 1024 or
            2048 tiles of 16x16; before, where it has up to 32 whole ones.
        splitk_on_nax: the SIMD kernels that cut K come before everything on the accelerators.
        splitk_by_tiles: the more tiles the result has, the fewer partitions; before, K alone
            decides.
        nax_splitk: `none`, `large` results of very long K only, or `any` size.
    """

    dot: bool = False
    gemv_wide: bool = False
    scales_c: bool = False
    nax: bool = False
    nax_tiles: bool = False
    ultra_tiles: bool = False
    thin_nax: bool = False
    splitk_by_size: bool = False
    splitk_on_nax: bool = True
    splitk_by_tiles: bool = False
    nax_splitk: str = "none"


RULES: Final = ByVersion(
    DenseRules(),
    {
        "0.30.0": {"nax": True, "scales_c": True},
        "0.30.6": {"splitk_by_size": True, "splitk_by_tiles": True, "nax_splitk": "large"},
        "0.31.2": {"splitk_on_nax": False, "nax_splitk": "any", "nax_tiles": True},
        "0.32.1": {"dot": True, "gemv_wide": True},
        "0.32.3": {"ultra_tiles": True},
        "0.32.4": {"thin_nax": True},
    },
)
"""Rules by the release that brought them; 0.32.2 has those of 0.32.1."""
