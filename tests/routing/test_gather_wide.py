"""Few rows times picked matrices: one pass over a matrix for up to 5 rows."""

from __future__ import annotations

import pytest

from pytest_applegpu.routing.arrays import Array, dense, transposed
from pytest_applegpu.routing.calls import GatherMM
from pytest_applegpu.routing.gathered.gather import gather_mm
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.target import Target

B = transposed(dense((4, 64, 512), "float16"))


def routed(a: Array, b: Array = B, arch: str = "applegpu_g15s", version: str = "0.32.1") -> Tape:
    tape = Tape()
    target = Target(arch, nax=False, tf32=True, version=version)
    gather_mm(GatherMM(a, b, (8,), (8,), sorted=False), target, tape)
    return tape


def test_rows_share_passes() -> None:
    launch = routed(dense((8, 11, 512), "float16")).launches[-1]
    assert launch.kernel + launch.suffix == "gemv_wide_gather_float16_nv4_kl32_axpby0"
    assert (launch.grid, launch.group) == ((3, 16, 8), (32, 4, 1))
    assert launch.label == "gemv_wide_gather"


@pytest.mark.parametrize(
    ("a", "b", "arch", "version"),
    [
        (dense((8, 11, 512), "float16"), B, "applegpu_g15s", "0.31.2"),
        (dense((8, 11, 512), "float16"), B, "applegpu_g14s", "0.32.1"),
        (dense((8, 16, 512), "float16"), B, "applegpu_g15s", "0.32.1"),
        (dense((8, 11, 512), "float16"), dense((4, 512, 64), "float16"), "applegpu_g15s", "0.32.1"),
        (transposed(dense((8, 512, 11), "float16")), B, "applegpu_g15s", "0.32.1"),
        (
            dense((8, 11, 6), "float16"),
            transposed(dense((4, 64, 6), "float16")),
            "applegpu_g15s",
            "0.32.1",
        ),
        (Array((8, 11, 512), (5632, 512, 1), "float16", offset=2), B, "applegpu_g15s", "0.32.1"),
    ],
    ids=["version", "generation", "rows", "b plain", "a transposed", "K % 4", "offset"],
)
def test_one_condition_that_fails_leaves_the_tiles(
    a: Array, b: Array, arch: str, version: str
) -> None:
    assert [one.label for one in routed(a, b, arch, version).launches] == ["gather"]


def test_the_reason_says_which_condition() -> None:
    tape = routed(transposed(dense((8, 512, 11), "float16")))
    assert "not gemv_wide: a lies transposed" in map(str, tape.reasons)


def test_rows_with_steps_are_copied_and_count_as_the_copy() -> None:
    a = Array((8, 11, 512), (11265, 1024, 2), "float16", offset=1, data_size=90000)
    assert [one.label for one in routed(a).launches] == ["copy", "gemv_wide_gather"]
