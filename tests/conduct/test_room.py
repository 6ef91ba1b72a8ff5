"""What does not fit into memory is refused by computed bytes, before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.room import host_bytes, lack, machine_memory
from pytest_applegpu.setting import Setting

Logged = Callable[..., list[dict[str, Any]]]


def case(text: str) -> Case:
    """Return the case of a text."""
    (found,) = parse_cases(text, [Setting("on")])
    return found


def test_a_small_case_fits_any_machine() -> None:
    assert host_bytes(case("matmul-f32-nn-64x64x64")) < 1 << 20
    assert lack(case("matmul-f32-nn-64x64x64"), 1 << 30) is None
    assert lack(case("matmul-f32-nn-64x64x64"), None) is None


def test_this_machine_says_how_much_memory_it_has() -> None:
    memory = machine_memory()
    assert memory is None or memory > 1 << 26


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "matmul-f32-nn-100000x100000x8",
            "the case takes 520 GB of memory, and this machine has 16 GB",
        ),
        ("matmul-f32-nn-100000x100000x0", "takes 520 GB"),
        ("matmul-f32-nn-8x8x8 a=pad:900000000000", "takes 202 TB"),
        ("matmul-f32-nn-2000000000x2000000000x2000000000-b1000000000", "10**29 bytes and more"),
        ("matmul-c64-nn-20000x20000x8 check=projection", "only if judged whole"),
    ],
)
def test_both_figures_are_said(text: str, said: str) -> None:
    reason = lack(case(text), 16 * 10**9)
    if said == "only if judged whole":
        assert reason is None
        reason, said = lack(case(text.replace(" check=projection", "")), 16 * 10**9), "takes"
    assert reason is not None
    assert said in reason


def test_a_gpu_with_memory_of_its_own_is_asked_too() -> None:
    reason = lack(case("matmul-f32-nn-30000x30000x8"), 10**12, 10**9)
    assert reason == "the case takes 3.6 GB of the GPU's memory, which is 1 GB"


@pytest.mark.parametrize("check", ["exact", "throughput"])
@pytest.mark.parametrize("sizes", ["2000000x2000000x64", "2x2x2-b2000000000x2000000000"])
def test_an_absurd_case_is_a_verdict_at_once(logged: Logged, sizes: str, check: str) -> None:
    text = f"matmul-f32-nn-{sizes} fill=integer check={check} tf32=on"
    fill = text.replace("integer", "normal") if check == "throughput" else text
    (record,) = logged("--applegpu-backend", "cpu", "--applegpu-case", fill)
    assert record["verdict"] == "unsupported"
    assert "of memory, and this machine has" in record["error"]["message"]
