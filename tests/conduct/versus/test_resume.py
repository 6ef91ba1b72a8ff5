"""A log that is gone on with: whole lines, torn ones, and runs that are other ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from pytest_applegpu.conduct.versus.resume import read_log
from pytest_applegpu.report.log import line
from pytest_applegpu.report.records import ProblemFacts, Record, SettingFacts
from pytest_applegpu.report.versus_records import RunFacts, SideFacts, VersusFacts

SIDE = SideFacts(mlx="0.32.4", python="3.12.1", numpy="2.4.6", build="abc", executable="/p")
OTHER = structs.replace(SIDE, mlx="0.31.2", build="def")
RUN = RunFacts(this=SIDE, other=OTHER, product="0.1.0", options=("--applegpu-tf32", "off"), timed=3)
OPTION = "--applegpu-resume"


def record(name: str, run: RunFacts | None = RUN) -> Record:
    return Record(
        case=name,
        kind="exact",
        problem=ProblemFacts(op="matmul", dtype="float32", m=1, n=1, k=1),
        setting=SettingFacts(tf32="on"),
        verdict="exact",
        versus=None if run is None else VersusFacts(run=run),
        nodeid=f"some/folder/test_it.py::test[{name}]",
    )


def written(path: Path, *records: Record, torn: bytes = b"") -> Path:
    path.write_bytes(b"".join(map(line, records)) + torn)
    return path


def test_a_record_is_found_from_whatever_folder_its_test_is_run(tmp_path: Path) -> None:
    log = written(tmp_path / "log", record("a"), record("b"))
    found = read_log(log, OPTION)
    assert found.of("elsewhere/test_it.py::test[a]") == record("a")
    assert found.of("test_it.py::test[c]") is None
    assert found.of("test_other.py::test[a]") is None
    assert (found.whole, found.torn) == (log.stat().st_size, False)
    found.check(RUN, OPTION)


@pytest.mark.parametrize("cut", [1, 40, 200])
def test_a_line_that_was_cut_off_is_no_record_and_is_told(tmp_path: Path, cut: int) -> None:
    log = written(tmp_path / "log", record("a"), torn=line(record("b"))[:cut])
    found = read_log(log, OPTION)
    assert list(found.records.values()) == [record("a")]
    assert found.whole == len(line(record("a")))
    (said,) = found.lines(log)
    assert said.endswith(
        "1 case is not run again; its last line was cut off, and that case is run again"
    )


def test_an_empty_log_holds_nothing(tmp_path: Path) -> None:
    found = read_log(written(tmp_path / "log"), OPTION)
    assert found.records == {}
    found.check(RUN, OPTION)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (structs.replace(RUN, seed=4), "seed was 4, and is 0"),
        (structs.replace(RUN, timed=2), "timed was 2, and is 3"),
        (structs.replace(RUN, product="0.0.9"), "product was 0.0.9, and is 0.1.0"),
        (structs.replace(RUN, options=()), "options was none, and is --applegpu-tf32 off"),
        (structs.replace(RUN, other=SIDE), "other mlx was 0.32.4, and is 0.31.2; other build"),
    ],
)
def test_another_run_is_refused_by_what_differs(tmp_path: Path, run: RunFacts, said: str) -> None:
    found = read_log(written(tmp_path / "log", record("a", run)), OPTION)
    with pytest.raises(pytest.UsageError, match=f"{OPTION}: the log is of another run: {said}"):
        found.check(RUN, OPTION)


def test_a_log_of_no_versus_run_is_refused(tmp_path: Path) -> None:
    found = read_log(written(tmp_path / "log", record("a", None)), OPTION)
    with pytest.raises(pytest.UsageError, match="a is of no versus run"):
        found.check(RUN, OPTION)


def test_what_is_no_log_is_refused_by_its_line(tmp_path: Path) -> None:
    log = written(tmp_path / "log", record("a"), torn=b"hello\n")
    with pytest.raises(pytest.UsageError, match=r"--applegpu-resume: line 2 of .* is no record"):
        read_log(log, OPTION)
    with pytest.raises(pytest.UsageError, match="cannot be read"):
        read_log(tmp_path / "nothing", OPTION)
