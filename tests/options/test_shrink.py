"""`--applegpu-shrink`: the smallest case that still fails, and where it begins to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from tests.conftest import Suites

Logged = Callable[..., list[dict[str, Any]]]

CPU = ("--applegpu-backend", "cpu", "--applegpu-blame", "0")
M5_MAX = ("--applegpu-backend", "emulated", "--applegpu-arch", "applegpu_g17s")

FAULTS = {
    "zero_beyond_k_4096": (
        "matmul-f32-nt-20x30x5000 a=pad:8 fill=cancel tf32=off",
        "matmul-f32-nn-1x1x4097 fill=integer tf32=off",
        "fails from K = 4097 on, right at K = 4096 (tried from K = 1 to 8193)",
    ),
    "zero_where_n_is_ragged": (
        "matmul-bf16-nn-20x200x30-b3 fill=normal tf32=off",
        "matmul-bf16-nn-1x65x1 fill=integer tf32=off",
        (
            "fails where N is no multiple of 64, from N = 65 on, right below "
            "(65, 127, 129 and 257 fail; 128, 192, 256 and 320 are right)"
        ),
    ),
    "zero_beyond_one_row": (
        "matmul-f16-tt-20x33x30-b2x1:1x3 b=step tf32=off",
        "matmul-f16-nn-2x1x1 fill=integer tf32=off",
        "fails from M = 2 on, right at M = 1 (tried from M = 1 to 6720)",
    ),
}


def config(said: object = None) -> Config:
    def lookup(option: Option) -> object:
        return said if option.name == "shrink" else None

    return read_config(lookup, Path("/"), Path("/"))


def test_it_is_off_by_default() -> None:
    assert not config().shrink
    assert config(said=True).shrink


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_worker_is_cut_down_to_where_it_starts(logged: Logged, fault: str) -> None:
    case, smallest, starts = FAULTS[fault]
    words = ("--applegpu-case", case, "--applegpu-shrink")
    (record,) = logged(*CPU, *words, fault=fault)
    found = record["error"]["shrunk"]
    assert found["case"] == smallest
    assert starts in found["starts"]
    assert not any("spent" in said for said in found["starts"])


def test_on_an_emulated_device_the_failure_names_the_rule_that_is_crossed(suites: Suites) -> None:
    case = "matmul-f32-nn-33x64x4200 fill=integer tf32=on"
    words = ("--applegpu-case", case, "--applegpu-blame", "0", "--applegpu-shrink")
    result = suites(*M5_MAX, *words, fault="zero_beyond_k_4096")
    result.stdout.fnmatch_lines(
        [
            "smallest: matmul-f32-nn-1x1x4097 fill=integer tf32=on (* cases tried)",
            (
                "starts: fails from K = 4097 on, right at K = 4096 *dispatch of applegpu_g17s "
                "changes from K = 4096 to 4097: partitions of K, tile: 2 of 2048, * -> 2 of 4096, *"
            ),
            "rerun: pytest *",
        ]
    )


def test_the_smallest_case_fails_and_its_neighbour_does_not(suites: Suites) -> None:
    cases = [f"matmul-f32-nn-1x1x{k} fill=integer tf32=off" for k in (4096, 4097)]
    words = [word for case in cases for word in ("--applegpu-case", case)]
    suites(*CPU, *words, fault="zero_beyond_k_4096").assert_outcomes(passed=1, failed=1)


def test_without_it_nothing_is_shrunk(logged: Logged) -> None:
    case, _, _ = FAULTS["zero_beyond_one_row"]
    (record,) = logged(*CPU, "--applegpu-case", case, fault="zero_beyond_one_row")
    assert record["error"]["shrunk"] is None


def test_ini_twin(logged: Logged, ini: Callable[..., None]) -> None:
    ini("applegpu_shrink = true")
    case = "matmul-f16-nn-2x2x2 fill=integer tf32=off"
    (record,) = logged(*CPU, "--applegpu-case", case, fault="zero_beyond_one_row")
    assert record["error"]["shrunk"]["case"] == "matmul-f16-nn-2x1x1 fill=integer tf32=off"
