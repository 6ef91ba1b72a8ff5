"""A failure text says what is wrong in at most twelve lines and ends with the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_applegpu.report.failure import LINES, failure_text
from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.words import NUMBERS, SPEED

RERUN = Rerun(options=("--applegpu-backend", "cpu"))


def test_a_wrong_row(make_record: Callable[..., Record]) -> None:
    record = make_record(
        verdict="over",
        error={
            "share": 4.25,
            "ulp": 118.0,
            "relative": 3.1e-2,
            "wrong": 64,
            "total": 4096,
            "worst": [63, 17],
            "got": "1.25",
            "expected": "1.5",
            "pattern": "the last row",
            "cause": "the last row is not written",
        },
        backend="cpu",
        mlx="0.32.4",
        worker={"tf32_measured": "float32"},
        seed=0,
    )
    assert failure_text(record, RERUN).splitlines() == [
        (
            "matmul-f16-nt-64x64x4096 fill=normal tf32=off: "
            "over (an element is further off than its error bound allows)"
        ),
        "worst element [63, 17]: 4.25 of its bound, 118 ULP, relative 0.031",
        "got 1.25, expected 1.5",
        "wrong: 64 of 4096 elements (1.56 %): the last row",
        "cause: the last row is not written",
        "on: cpu, MLX 0.32.4, worker measured float32, seed 0",
        (
            "rerun: pytest suites --applegpu-case 'matmul-f16-nt-64x64x4096 fill=normal tf32=off' "
            "--applegpu-backend cpu"
        ),
    ]


def test_a_bound_is_shown_with_what_it_is_made_of(make_record: Callable[..., Record]) -> None:
    budget = {
        "operand": 0.92,
        "accumulate": 0.0597,
        "output": 0.02,
        "rest": 1e-5,
        "model": "operands 11 bits truncated",
    }
    record = make_record(verdict="over", error={"share": 4.25, "budget": budget})
    assert (
        "bound: operands 92 %, sums 5.97 %, output 2 % (operands 11 bits truncated)"
        in failure_text(record, RERUN).splitlines()
    )


@pytest.mark.parametrize("kind", ["exact", "projection"])
def test_an_exact_check_has_no_bound_to_take_a_share_of(
    make_record: Callable[..., Record], kind: str
) -> None:
    error = {"share": 3.0, "ulp": 3.0, "relative": 0.5, "worst": [0, 1]}
    text = failure_text(make_record(kind=kind, verdict="over", error=error), RERUN)
    assert "worst element [0, 1]: 3 ULP, relative 0.5, no error is allowed\n" in text


def test_a_slowdown(full_record: Record) -> None:
    text = failure_text(full_record, RERUN)
    assert "now 1.23 ms (1.2 ms to 1.26 ms), spread 4 %; before 410 us" in text
    assert "now/before 3 (2.9 to 3.1), limit 1.1" in text
    assert "likely causes: MLX 0.31.0 is now 0.32.4" in text


def test_a_text_with_everything_is_twelve_lines(full_record: Record) -> None:
    lines = failure_text(full_record, RERUN).splitlines()
    assert len(lines) == LINES == 12
    assert lines[-1].startswith("rerun: pytest suites --applegpu-case ")


@pytest.mark.parametrize("verdict", NUMBERS)
def test_every_numeric_verdict_has_a_text(make_record: Callable[..., Record], verdict: str) -> None:
    assert f": {verdict} (" in failure_text(make_record(verdict=verdict), RERUN)


@pytest.mark.parametrize("verdict", SPEED)
def test_every_speed_verdict_has_a_text(make_record: Callable[..., Record], verdict: str) -> None:
    record = make_record(kind="throughput", verdict=verdict)
    assert f": {verdict} (" in failure_text(record, RERUN)


def test_what_is_not_known_is_not_said(make_record: Callable[..., Record]) -> None:
    record = make_record(verdict="crashed", error={"message": "signal 11 (SIGSEGV)"})
    assert failure_text(record, RERUN).splitlines()[1:3] == [
        "message: signal 11 (SIGSEGV)",
        "on: unknown",
    ]


def test_foreign_text_cannot_add_lines_or_steer_the_terminal(
    make_record: Callable[..., Record],
) -> None:
    record = make_record(
        verdict="raised",
        device="GPU\n\x1b[2J",
        error={"message": "Traceback:\n" + "x\n" * 500, "pattern": "\r\x07", "got": "\n\n"},
    )
    lines = failure_text(record, RERUN).split("\n")
    assert len(lines) <= LINES
    assert all(text.isprintable() for text in lines)
    assert max(map(len, lines)) < 260


def test_a_single_wrong_element_in_a_million_is_not_rounded_away(
    make_record: Callable[..., Record],
) -> None:
    record = make_record(verdict="over", error={"wrong": 1, "total": 1_000_000})
    assert "wrong: 1 of 1000000 elements (less than 0.01 %)" in failure_text(record, RERUN)


def test_the_route_stands_in_one_line(make_record: Callable[..., Record]) -> None:
    route = {"arch": "applegpu_g17s", "mlx": "0.32.4", "path": "splitk_nax", "rule": "K is long"}
    text = failure_text(make_record(verdict="over", route={**route, "here": True}), Rerun())
    assert "route: splitk_nax (K is long) on applegpu_g17s, MLX 0.32.4" in text.splitlines()
    text = failure_text(make_record(verdict="over", route=route), Rerun())
    assert "on applegpu_g17s, MLX 0.32.4, whose shapes these are; not run here" in text


def test_a_changed_route_says_what_it_was(make_record: Callable[..., Record]) -> None:
    route = {"arch": "applegpu_g17s", "mlx": "0.32.4", "path": "thin_nax", "here": True}
    changed = {**route, "verdict": "rerouted", "before": ["gemm_nax", "k"]}
    text = failure_text(make_record(verdict="over", route=changed), Rerun())
    assert "route: thin_nax on applegpu_g17s, MLX 0.32.4; rerouted, before: gemm_nax" in text


def test_what_the_pattern_fits_stands_in_one_line(make_record: Callable[..., Record]) -> None:
    error = {"wrong": 6, "total": 70, "matched": ["column 64: a", "K = 4097 is b"]}
    lines = failure_text(make_record(verdict="over", error=error), Rerun()).splitlines()
    assert lines[1:3] == [
        "wrong: 6 of 70 elements (8.57 %)",
        "matched: column 64: a; K = 4097 is b",
    ]


def test_where_there_is_too_much_what_tells_least_is_left_out(
    make_record: Callable[..., Record],
) -> None:
    error = {
        "share": 4.25,
        "worst": [3, 17],
        "got": "1",
        "expected": "2",
        "wrong": 64,
        "pattern": "the last row",
        "cause": "zero wherever it is wrong",
        "message": "m",
        "budget": {"operand": 0.5, "accumulate": 0.25, "output": 0.25},
        "matched": ["row 64: the last, partial tile of BM = 64 (1 row)"],
        "blame": [{"where": "with TF32 off", "verdict": "within"}],
        "shrunk": {"case": "matmul-f16-nn-2x1x1", "starts": ["fails from M = 2 on"], "tried": 9},
    }
    route = {"arch": "applegpu_g17s", "mlx": "0.32.4", "path": "thin_nax", "here": True}
    record = make_record(verdict="over", error=error, route=route)
    lines = failure_text(record, Rerun(), "somewhere").splitlines()
    assert len(lines) == LINES
    left_out = ("message: ", "bound: ", "matched: ")
    assert not [line for line in lines if line.startswith(left_out)]
    for kept in ("got ", "cause: ", "right: ", "smallest: ", "starts: ", "route: ", "on: "):
        assert any(line.startswith(kept) for line in lines), kept
    assert lines[-2] == "bundle: somewhere"
