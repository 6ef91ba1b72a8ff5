"""A Mac is kept awake by `caffeinate` from the first case to the last, and only there."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_applegpu.conduct.awake import Awake


def test_it_runs_for_this_process_and_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "began")
    program = tmp_path / "caffeinate"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/began\nexec cat {tmp_path}/never\n')
    program.chmod(0o755)
    os.mkfifo(tmp_path / "never")
    awake = Awake("darwin", lambda _: str(program))
    awake.begin()
    awake.begin()
    assert (tmp_path / "began").read_text().split() == ["-i", "-w", str(os.getpid())]
    process = awake._process
    assert process is not None
    assert process.poll() is None
    awake.end()
    assert process.poll() is not None
    awake.end()


def test_elsewhere_and_without_it_nothing_is_started() -> None:
    asked: list[str] = []
    for platform in ("linux", "darwin"):
        awake = Awake(platform, asked.append)
        awake.begin()
        awake.end()
    assert asked == ["caffeinate"]


def test_one_that_cannot_be_started_does_no_harm(tmp_path: Path) -> None:
    awake = Awake("darwin", lambda _: str(tmp_path / "absent"))
    awake.begin()
    awake.begin()
    awake.end()
