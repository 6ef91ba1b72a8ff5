"""Select: flat where the mask lies like the values, by strides where it is broadcast."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Shape, dense
from pytest_applegpu.routing.attention.where import select
from pytest_applegpu.routing.launch import Triple


@pytest.mark.parametrize(
    ("mask", "values", "kernel", "grid"),
    [
        ((1, 1), (1, 1, 1, 1), "v_Selectfloat16", (1, 1, 1)),
        ((3, 5), (1, 1, 3, 5), "vs_Selectfloat16", (15, 1, 1)),
        ((256, 256), (1, 1, 256, 256), "vsn_Selectfloat16", (1 << 14, 1, 1)),
        ((1 << 16, 1 << 15), (1, 1, 1 << 16, 1 << 15), "vs2_Selectfloat16", (1 << 29, 1, 1)),
        ((3, 5), (2, 4, 3, 5), "g2_Selectfloat16", (15, 8, 1)),
        ((3, 1), (2, 4, 3, 5), "g3_Selectfloat16", (5, 3, 8)),
        ((2, 1, 3, 1), (2, 4, 3, 5), "gn2_Selectfloat16", (3, 3, 8)),
        ((1 << 14, 1 << 14), (1, 8, 1 << 14, 1 << 14), "g2large_Selectfloat16", (1 << 28, 8, 1)),
    ],
)
def test_kernels_by_how_the_mask_lies(
    mask: Shape, values: Shape, kernel: str, grid: Triple
) -> None:
    launch = select(dense(mask, "bool_"), dense(values, "float16"))
    assert (launch.kernel, launch.grid) == (kernel, grid)
