"""The log keeps every record that was written, and harms no file that is not its own."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_applegpu.report.log import ReportLog, ReportLogError, line
from pytest_applegpu.report.records import Record, from_builtins


def test_each_record_is_one_line(tmp_path: Path, full_record: Record) -> None:
    path = tmp_path / "report.jsonl"
    with ReportLog(path) as log:
        log.write(full_record)
        log.write(full_record)
    lines = path.read_text().splitlines()
    assert [from_builtins(json.loads(text)) for text in lines] == [full_record, full_record]


def test_a_record_is_in_the_file_before_the_log_is_closed(
    tmp_path: Path, make_record: Callable[..., Record]
) -> None:
    path = tmp_path / "report.jsonl"
    log = ReportLog(path)
    log.write(make_record())
    kept = path.read_bytes()
    log.close()
    assert kept == line(make_record())


def test_closing_twice_is_harmless(tmp_path: Path) -> None:
    log = ReportLog(tmp_path / "report.jsonl")
    log.close()
    log.close()


def test_line_ends_in_a_text_do_not_end_the_line(make_record: Callable[..., Record]) -> None:
    record = make_record(error={"message": "first\nsecond\r\x1b[31m\u2028"})
    assert line(record).count(b"\n") == 1
    assert from_builtins(json.loads(line(record))) == record


@pytest.mark.parametrize(
    "kept", [b"", b'{"schema":1,"case":"matmul-f32', b'{"schema":9,"case":"x"}\n']
)
def test_an_empty_file_or_an_earlier_log_is_written_anew(
    tmp_path: Path, make_record: Callable[..., Record], kept: bytes
) -> None:
    path = tmp_path / "report.jsonl"
    path.write_bytes(kept)
    with ReportLog(path) as log:
        log.write(make_record())
    assert path.read_bytes() == line(make_record())


@pytest.mark.parametrize(
    "kept", [b"my thesis\n", b'{"$report_type": "SessionStart"}\n', b"\x00\x01", b"\n"]
)
def test_any_other_file_is_left_alone(tmp_path: Path, kept: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(kept)
    with pytest.raises(ReportLogError, match=r"--applegpu-report-log: .*notes\.txt.* exists"):
        ReportLog(path)
    assert path.read_bytes() == kept


def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(ReportLogError, match=r"--applegpu-report-log: .*nowhere.* not exist"):
        ReportLog(tmp_path / "nowhere" / "report.jsonl")
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReportLogError, match="is a folder; name a file"):
        ReportLog(tmp_path)


def test_a_pipe_can_be_the_log(tmp_path: Path, make_record: Callable[..., Record]) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    with ReportLog(path) as log:
        log.write(make_record())
    reader.join(timeout=10)
    assert read == [line(make_record())]


def test_what_the_system_refuses_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReportLogError, match=r"report\.jsonl.* cannot be written: Permission"):
        ReportLog(tmp_path / "report.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_full_disk_is_one_clear_error(make_record: Callable[..., Record]) -> None:
    with (
        ReportLog(Path("/dev/full")) as log,
        pytest.raises(ReportLogError, match="cannot be written: No space left"),
    ):
        log.write(make_record())
