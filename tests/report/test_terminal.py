"""The summary fits a terminal and says what the records say."""

from __future__ import annotations

from collections.abc import Callable

from pytest_applegpu.report.records import Record
from pytest_applegpu.report.rerun import Rerun
from pytest_applegpu.report.terminal import WIDTH, summary_text


def test_no_records_no_summary() -> None:
    assert summary_text([], Rerun()) == ""


def test_a_small_run(make_record: Callable[..., Record]) -> None:
    records = [
        make_record(error={"share": 0.25, "ulp": 1.0}),
        make_record(verdict="exact"),
        make_record(
            kind="throughput",
            verdict="same",
            time={"seconds": 1e-3, "tflops": 12.5, "peak_share": 0.42, "spread": 0.01},
            baseline={"verdict": "same", "ratio": 1.02},
        ),
    ]
    assert summary_text(records, Rerun()).splitlines() == [
        "operation  dtype    setting   cases  failed  of bound  ULP  TFLOP/s  of peak  change",
        "---------  -------  --------  -----  ------  --------  ---  -------  -------  ------",
        "matmul     float16  tf32 off      3       0      0.25    1     12.5     42 %  -2.0 %",
        "",
        "shapes  dtype    setting   cases  TFLOP/s  of peak  spread  change  slowest",
        "------  -------  --------  -----  -------  -------  ------  ------  -------",
        "gemm    float16  tf32 off      1     12.5     42 %     1 %  -2.0 %   -2.0 %",
        "",
        "3 cases: 1 exact, 1 within, 1 same",
    ]


def test_columns_that_nothing_stands_in_are_left_out(make_record: Callable[..., Record]) -> None:
    head = summary_text([make_record()], Rerun()).splitlines()[0].split()
    assert head == ["operation", "dtype", "setting", "cases", "failed"]


def test_long_names_are_broken_so_that_tables_stay_narrow(
    make_record: Callable[..., Record], full_record: Record
) -> None:
    long = make_record(
        problem={
            "op": "scaled_dot_product_attention",
            "dtype": "complex64",
            "m": 1,
            "n": 8,
            "k": 8,
        },
        setting={"tf32": "off", "arch": "applegpu_g16s"},
        kind="throughput",
        verdict="not comparable",
        error={"share": 1.234e-7, "ulp": 1.234e12},
        time={"seconds": 1e-3, "tflops": 1.234e-5, "gbs": 1234.0, "peak_share": 0.123},
        baseline={"verdict": "not comparable", "reasons": ["on battery"]},
    )
    text = summary_text([long, full_record], Rerun())
    tables = text.rpartition("\n\n")[0]
    assert tables.count("\n\n") == 1
    assert max(map(len, tables.splitlines())) <= WIDTH
    assert "not comparable" in tables


def test_the_lines_below_the_tables(full_record: Record) -> None:
    lines = summary_text([full_record], Rerun()).rpartition("\n\n")[2].splitlines()
    assert lines == [
        "1 case: 1 slower",
        "changed since the baseline: MLX 0.31.0 is now 0.32.4",
        (
            "to rerun the case that failed: pytest suites --applegpu-case "
            "'matmul-f16-nt-64x64x4096 fill=normal tf32=off'"
        ),
    ]


def test_foreign_text_is_escaped(make_record: Callable[..., Record]) -> None:
    record = make_record(
        problem={"op": "mat\x1b[2Jmul", "dtype": "float16", "m": 1, "n": 1, "k": 1},
        case="c\x07",
        verdict="creeping",
    )
    assert all(text.isprintable() for text in summary_text([record], Rerun()).split("\n"))
