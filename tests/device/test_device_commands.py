"""Outside commands: whatever they do, an answer comes back and nothing is left running."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

import pytest

from pytest_applegpu.device.commands import Answer, run_command


def python(code: str) -> tuple[str, ...]:
    """Return the command that runs `code` in a bare interpreter."""
    return (sys.executable, "-I", "-S", "-c", code)


def test_a_command_that_runs_well() -> None:
    answer = run_command(python("import sys; print('yes'); print('hm', file=sys.stderr)"))
    assert (answer.status, answer.stdout, answer.stderr) == ("ok", "yes\n", "hm\n")
    assert answer.returncode == 0
    assert answer.complaint == ""


def test_a_missing_command() -> None:
    answer = run_command(("no-such-command-here", "-g"))
    assert answer.status == "missing"
    assert answer.complaint == "no-such-command-here is not there"


def test_a_failing_command_keeps_what_it_said() -> None:
    answer = run_command(python("print('half'); raise SystemExit('unknown oid')"))
    assert (answer.status, answer.stdout, answer.returncode) == ("failed", "half\n", 1)
    assert "unknown oid" in answer.complaint


@pytest.mark.parametrize("argv", [(), ("",), ("a\0b",), (str(Path(__file__).parent),)])
def test_what_cannot_be_run_at_all(argv: tuple[str, ...]) -> None:
    assert run_command(argv).status in {"failed", "missing"}


def test_a_file_without_the_right_to_run(tmp_path: Path) -> None:
    script = tmp_path / "sysctl"
    script.write_text("#!/bin/sh\necho 1\n")
    assert run_command((str(script),)).status == "failed"


def test_bytes_that_are_no_text() -> None:
    answer = run_command(python("import sys; sys.stdout.buffer.write(b'M5\\xff\\0\\n')"))
    assert answer.status == "ok"
    assert answer.stdout == "M5�\0\n"


def test_no_input_is_waited_for() -> None:
    assert run_command(python("print(repr(input()))")).status == "failed"


def test_a_hanging_command_and_its_children_are_killed(tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    reader = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    answer = run_command(("sh", "-c", f"exec 3>'{held}'; echo begun; sleep 60 & wait"), timeout=1.0)
    assert (answer.status, answer.stdout) == ("timed out", "begun\n")
    assert "no answer in time" in answer.complaint
    ended, _, _ = select.select([reader], [], [], 30)  # readable once its last writer is dead
    assert ended
    os.close(reader)


def test_a_command_that_closes_its_output_and_hangs() -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(60)"
    assert run_command(python(code), timeout=1.0).status == "timed out"


def test_a_flood_of_output_is_stopped() -> None:
    answer = run_command(python("while True: print('y' * 100000)"), timeout=60.0)
    assert answer.status == "failed"
    assert "more than 16 MiB" in answer.complaint


def test_macos_is_asked_for_its_true_version_and_in_one_language() -> None:
    code = "import os; print(os.environ['SYSTEM_VERSION_COMPAT'], os.environ['LC_ALL'])"
    assert run_command(python(code)).stdout == "0 C\n"


def test_variables_can_be_set() -> None:
    code = "import os; print(os.environ['EXTRA'], 'PATH' in os.environ)"
    assert run_command(python(code), env={"EXTRA": "1"}).stdout == "1 True\n"


def test_a_complaint_is_one_line() -> None:
    answer = Answer(("ioreg", "-r"), "failed", stderr="first\nsecond")
    assert answer.complaint == "ioreg -r: failed (first)"
    assert Answer(("ioreg",), "failed").complaint == "ioreg: failed (no message)"
