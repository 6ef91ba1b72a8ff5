"""The table of routes that a run exercised."""

from __future__ import annotations

from collections.abc import Callable

from pytest_applegpu.conduct.coverage import unreached
from pytest_applegpu.report.coverage import Dispatch, coverage_text, dispatches
from pytest_applegpu.report.records import Record

ROUTE = {"arch": "applegpu_g17s", "mlx": "0.32.4", "basis": "recorded", "here": True}
M5_MAX = Dispatch("applegpu_g17s", "0.32.4", here=True, basis="recorded")
M1 = Dispatch("applegpu_g13g", "0.32.4", here=True, basis="recorded")

Make = Callable[..., Record]


def routed(make_record: Make, path: str, verdict: str = "exact", **more: object) -> Record:
    route = {**ROUTE, "path": path, "kernels": [f"{path}_kernel"], **more}
    return make_record(kind="exact", verdict=verdict, route=route)


def test_cases_failures_and_kernels_are_counted_by_route(make_record: Make) -> None:
    records = [routed(make_record, "gemm"), routed(make_record, "gemm", "over")]
    text = coverage_text(M5_MAX, records, {})
    assert text.splitlines()[0] == "routes on applegpu_g17s, MLX 0.32.4 (recorded):"
    assert text.splitlines()[2].split() == ["gemm", "2", "1", "1"]


def test_routes_of_shapes_alone_are_called_so(make_record: Make) -> None:
    record = routed(make_record, "gemm", here=False)
    (dispatch,) = dispatches([record])
    assert "its kernels did not run here:" in coverage_text(dispatch, [record], {})


def test_what_was_not_reached_is_named_with_the_reason(make_record: Make) -> None:
    missed = {"gemv": "no case", "dot": "no case", "thin_nax": "no NAX"}
    text = coverage_text(M5_MAX, [routed(make_record, "gemm")], missed)
    assert text.splitlines()[-2:] == [
        "not reached (no NAX): thin_nax",
        "not reached (no case): dot, gemv",
    ]


def test_each_architecture_has_a_table(make_record: Make) -> None:
    records = [routed(make_record, "gemm"), routed(make_record, "gemm", arch="applegpu_g13g")]
    assert dispatches(records) == [M1, M5_MAX]
    assert dispatches([make_record()]) == []


def test_reasons_tell_chance_from_hardware(make_record: Make) -> None:
    records = [routed(make_record, "gemm", arch="applegpu_g13g")]
    missed = unreached(M1, records)
    assert missed["gemv"] == "no case of this run is routed there"
    assert missed["gemm_nax"] == "applegpu_g13g has no NAX"
    assert missed["gemv_wide"] == "applegpu_g13g does not take it"
    assert "gemm" not in missed
