"""A machine without what the switch switches says so before anything is measured."""

from __future__ import annotations

import pytest

from pytest_applegpu.conduct.compare.fit import null, unsupported
from pytest_applegpu.conduct.compare.toggle import Toggle
from pytest_applegpu.setting import Setting
from tests.conduct.compare.made_comparison import NAX, bench

TF32 = Toggle("tf32", ("on", "off"), (Setting("on"), Setting("off")))


def test_a_gpu_without_nax_cannot_do_without_it() -> None:
    said = unsupported(bench(nax="no"), NAX)
    assert said == "M5 Max has no NAX to compare with: generation 16, letter s"
    assert unsupported(bench(nax="no"), TF32) is None
    assert unsupported(bench(nax="yes"), NAX) is None
    assert unsupported(bench(nax="unknown"), NAX) is None


def test_the_cpu_has_no_tf32_and_cuda_has() -> None:
    assert null(bench("cpu", None, "no"), TF32) == "the CPU backend has no TF32: both are the same"
    assert null(bench("cuda", None, "no"), TF32) is None


@pytest.mark.parametrize(
    ("own", "nax", "fixed", "same"),
    [
        ("applegpu_g17s", "yes", {}, False),
        ("applegpu_g17s", "unknown", {}, False),
        ("applegpu_g17s", "no", {}, True),
        ("applegpu_g17s", "yes", {"nax": "off"}, True),
        ("applegpu_g17s", "yes", {"arch": "applegpu_g16s"}, True),
        ("applegpu_g16s", "no", {}, True),
    ],
)
def test_on_metal_tf32_is_the_accelerators(
    own: str, nax: str, fixed: dict[str, str], same: bool
) -> None:
    toggle = Toggle("tf32", ("on", "off"), (Setting("on", **fixed), Setting("off", **fixed)))
    said = null(bench(own=own, nax=nax), toggle)
    assert said == ("without NAX no kernel multiplies in TF32: both are the same" if same else None)


def test_two_names_of_one_dispatch_are_the_same() -> None:
    toggle = Toggle("arch", ("own", "applegpu_g16s"), (Setting(), Setting(arch="applegpu_g16s")))
    said = null(bench(own="applegpu_g16s", nax="no"), toggle)
    assert said == "both sides follow the dispatch of applegpu_g16s: they are the same"
    assert null(bench(own="applegpu_g15s", nax="no"), toggle) is None
    assert null(bench(own=None, nax="unknown"), toggle) is None
    assert null(bench(), NAX) is None
