"""Many cases, a line each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_applegpu.survey.asked import Whom
from pytest_applegpu.survey.stream import WrongLineError, answer_all

WHOM = Whom("applegpu_g17s", "0.32.4")
LINE: dict[str, Any] = {
    "id": 7,
    "op": "matmul",
    "dtype": "float16",
    "a_shape": [64, 4096],
    "b_shape": [4096, 64],
    "transpose_b": True,
    "note": "of the user's own",
}


def answered(line: dict[str, Any]) -> dict[str, Any]:
    """Return the line as it comes back."""
    written: list[bytes] = []
    answer_all([json.dumps(line).encode()], WHOM, written.append, as_json=True)
    found: dict[str, Any] = json.loads(b"".join(written))
    return found


def test_a_line_comes_back_with_its_launches() -> None:
    found = answered(LINE)
    assert {name: found[name] for name in LINE} == LINE
    assert (found["path"], found["basis"], found["nax"]) == ("thin_nax", "recorded", True)
    kernel = "steel_gemm_thin_nax_nt_float16_um2_un2_sm1_sn1_ks4"
    assert [launch["kernel"] for launch in found["launches"]] == [kernel]


def test_what_was_filled_in_before_is_replaced() -> None:
    stale: dict[str, Any] = LINE | {"launches": [], "path": "x", "basis": "y", "error": "z"}
    found = answered(stale)
    assert (found["path"], "error" in found) == ("thin_nax", False)


def test_what_mlx_refuses_has_an_error_and_no_launches() -> None:
    found = answered(LINE | {"dtype": "int32"})
    assert "launches" not in found
    assert found["error"].startswith("[matmul] Only inexact types")
    assert found["path"] == "error"


@pytest.mark.parametrize("as_json", [True, False])
def test_lines_are_answered_in_their_order(*, as_json: bool) -> None:
    written: list[bytes] = []
    lines = [json.dumps(LINE | {"id": number}).encode() + b"\n" for number in range(3)]
    answer_all([*lines, b"\n"], WHOM, written.append, as_json=as_json)
    assert len(written) == 3
    if not as_json:
        assert [one.split()[0] for one in written] == [b"0", b"1", b"2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 2: Input data was truncated"),
        (b"[1]", "line 2: Expected `object`, got `array`"),
        (b'{"op": "matmul", "dtype": "float16"}', "line 2: a_shape: matmul needs it"),
        (b"\xff", "line 2: "),
        (b'{"op":' + b"[" * 100_000, "line 2: "),
    ],
)
def test_a_bad_line_is_named_and_what_came_before_is_written(line: bytes, said: str) -> None:
    written: list[bytes] = []
    with pytest.raises(WrongLineError, match=said):
        answer_all([json.dumps(LINE).encode(), line], WHOM, written.append, as_json=True)
    assert len(written) == 1
