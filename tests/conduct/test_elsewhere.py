"""Where a failed case runs again: never where it ran already, and never where it must not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.failures.elsewhere import contiguous, places
from pytest_applegpu.device.arch import architectures, parse_architecture
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.setting import Setting

PLAIN = "matmul-f32-nn-8x8x8 fill=integer"


def case(text: str) -> Case:
    return parse_cases(text, [Setting()])[0]


def bench(backend: str, own: str | None = None, mlx: str = "0.32.4") -> Any:
    device = SimpleNamespace(
        architecture=SimpleNamespace(value=own), mlx_version=SimpleNamespace(value=mlx)
    )
    return SimpleNamespace(backend=backend, device=device)


def where(text: str, on: Any) -> dict[str, str]:
    return {one.where: str(one.case) for one in places(case(text), on)}


def test_a_plain_case_on_the_cpu_runs_nowhere_else() -> None:
    assert where(f"{PLAIN} tf32=off", bench("cpu")) == {}
    assert where("matmul-f16-nn-8x8x8 fill=integer tf32=on", bench("cpu")) == {}


def test_every_way_on_a_gpu_with_nax() -> None:
    metal = bench("metal", "applegpu_g17s")
    assert where("matmul-f32-nt-8x8x8 b=pad:8 fill=integer tf32=on", metal) == {
        "on the CPU backend": "matmul-f32-nt-8x8x8 b=pad:8 fill=integer tf32=on",
        "with TF32 off": "matmul-f32-nt-8x8x8 b=pad:8 fill=integer tf32=off",
        "as applegpu_g16s": ("matmul-f32-nt-8x8x8 b=pad:8 fill=integer tf32=on arch=applegpu_g16s"),
        "as applegpu_g16g": ("matmul-f32-nt-8x8x8 b=pad:8 fill=integer tf32=on arch=applegpu_g16g"),
        "on a contiguous copy": f"{PLAIN} tf32=on",
    }


def test_the_cpu_alone_is_another_backend() -> None:
    runs = places(case(f"{PLAIN} tf32=off"), bench("cuda"))
    assert [(one.where, one.on_cpu) for one in runs] == [("on the CPU backend", True)]
    assert where(f"{PLAIN} tf32=off", bench("emulated", "applegpu_g13g")) == {
        "as applegpu_g13s": f"{PLAIN} tf32=off arch=applegpu_g13s"
    }


def test_accelerators_that_are_off_already_are_not_left_out_again() -> None:
    metal = bench("metal", "applegpu_g17s")
    assert list(where(f"{PLAIN} tf32=off nax=off", metal)) == [
        "on the CPU backend",
        "as applegpu_g16g",
    ]


@pytest.mark.parametrize("own", architectures())
def test_no_architecture_with_nax_is_ever_forced(own: str) -> None:
    for text in (PLAIN, f"{PLAIN} tf32=off nax=off", f"{PLAIN} tf32=on arch=applegpu_g15d"):
        forced = [
            one.case.setting.arch
            for one in places(case(text), bench("metal", own))
            if one.where.startswith("as ")
        ]
        assert forced
        assert not any(found.has_nax for found in map(parse_architecture, forced) if found)


@pytest.mark.parametrize(
    ("own", "mlx"), [("air64_v27", "0.32.4"), (None, "0.32.4"), ("applegpu_g17s", "0.30.6")]
)
def test_nothing_is_forced_where_it_would_not_be_heeded(own: str | None, mlx: str) -> None:
    assert list(where(f"{PLAIN} tf32=off", bench("metal", own, mlx))) == ["on the CPU backend"]


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("matmul-f32-tt-8x9x7-b2 a=bc b=heads", "matmul-f32-nn-8x9x7-b2"),
        ("matmul-f32-tn-1x9x7 a=vec", None),
        ("matmul-f32-tn-1x9x7 a=vec b=step", "matmul-f32-nn-1x9x7 a=vec"),
        ("matmul-f32-nn-8x9x7 via=operator", None),
        ("addmm-f32-nn-8x9x7 c=off:1", "addmm-f32-nn-8x9x7"),
        ("quantized_matmul-f32-nt-8x64x64", None),
    ],
)
def test_a_copy_keeps_all_but_how_operands_lie(text: str, copied: str | None) -> None:
    found = contiguous(parse_problem(text))
    assert (found and str(found)) == copied
