"""Every rule of the launch lint on a problem where it fires, and on one beside it where not."""

from typing import Any

import pytest

from pytest_applegpu.lint.rules import RULES
from tests.lint.linting import addmm, attention, found, line, matmul, quantized

SEGMENTS = {"op": "segmented_mm", "segments_shape": [2, 2]}

FIRES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # A floor division left the last columns without a threadgroup up to 0.32.0.
    (
        "uncovered",
        quantized(1, 96, 1024, transpose=False, group_size=32, version="0.31.2"),
        quantized(1, 96, 1024, transpose=False, group_size=32),
    ),
    (
        "false-alignment",
        matmul(64, 32, 64, "nt", arch="g17g", **SEGMENTS),
        matmul(64, 32, 64, "nt", arch="g17s", **SEGMENTS),
    ),
    (
        "ragged-step",
        quantized(32, 64, 64, "nvfp4", version="0.31.2", arch="g15s"),
        quantized(32, 64, 64, "nvfp4", version="0.32.1", arch="g15s"),
    ),
    ("ragged-step", quantized(64, 64, 1040, "nvfp4"), quantized(64, 64, 1024, "nvfp4")),
    ("int32", matmul(2, 1 << 23, 513), matmul(2, (1 << 23) - 1, 513)),
    ("int32", matmul(46341, 46341, 139023), matmul(46340, 46340, 139020)),
    ("int32", quantized(1, 262145, 8192, bits=8), quantized(1, 262144, 8192, bits=8)),
    (
        "int32",
        matmul(1 << 20, 64, 4096, "tn", **SEGMENTS),
        matmul(1 << 20, 64, 4095, "tn", **SEGMENTS),
    ),
    ("int32", matmul(1, 25000, 131072, "nt", version="0.31.2"), matmul(1, 25000, 131072, "nt")),
    ("addend-dropped", addmm(64, 128, 96, alpha=0.0), addmm(64, 128, 96, alpha=0.5)),
    (
        "half-between",
        quantized(33, 512, 512, version="0.32.2"),
        quantized(33, 512, 512, version="0.32.4"),
    ),
    ("half-between", quantized(1, 64, 1024, transpose=False), quantized(1, 64, 1024)),
    ("half-between", attention(1, 1024, 128), attention(1, 1023, 128)),
    ("half-between", attention(64, 64, 192), attention(64, 64, 128)),
    (
        "no-threadgroups",
        line(**matmul(4, 4, 4) | SEGMENTS | {"segments_shape": [0, 2]}),
        matmul(4, 4, 4),
    ),
    ("empty-partition", matmul(32, 32, 255, arch="g15s"), matmul(32, 32, 256, arch="g15s")),
    ("lopsided-partition", matmul(32, 32, 1008, arch="g15s"), matmul(32, 32, 1024, arch="g15s")),
    ("sliver-partition", matmul(128, 128, 513, "tn"), matmul(128, 128, 512, "tn")),
    ("cut-within-step", matmul(65, 65, 256, "tn"), matmul(65, 65, 257, "tn")),
    ("accelerator-unused", quantized(33, 512, 512), quantized(1024, 1024, 512)),
    (
        "accelerator-unused",
        matmul(64, 64, 64, dtype="complex64"),
        matmul(64, 64, 64, dtype="complex64", arch="g16s"),
    ),
    ("accelerator-unused", attention(64, 64, 80), attention(64, 64, 96)),
    (
        "underfilled",
        line(**matmul(2, 2, 2) | {"a_shape": [2, 64, 65536], "b_shape": [2, 65536, 64]}),
        line(
            **matmul(2, 2, 2)
            | {"a_shape": [64, 65536], "b_shape": [65536, 64], "transpose_a": True}
        ),
    ),
    ("cliff", quantized(256, 8192, 4096, "mxfp8"), quantized(256, 8192, 4128, "mxfp8")),
    ("padded-tiles", matmul(2, 16384, 4096), matmul(64, 16384, 4096)),
    ("idle-groups", matmul(64, 8192, 1024), matmul(1024, 8192, 1024)),
    ("scratch", matmul(8192, 8192, 24576), matmul(2048, 2048, 24576)),
    ("scratch", attention(8192, 8192, 192), attention(8192, 8192, 128)),
    ("addend-read", addmm(64, 128, 96, beta=0.0), addmm(64, 128, 96, beta=0.5)),
]


@pytest.mark.parametrize(("rule", "case", "beside"), FIRES)
def test_fires_here_and_not_beside(rule: str, case: dict[str, Any], beside: dict[str, Any]) -> None:
    assert found(rule, case)
    assert not found(rule, beside)


def test_every_rule_that_dispatch_breaks_has_a_case() -> None:
    untouched = {rule.name for rule in RULES} - {rule for rule, *_ in FIRES}
    assert untouched == {"threadgroup-limits"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rules_say_what_and_why(rule: Any) -> None:
    assert rule.severity in {"wrong", "slow", "wasteful"}
    assert rule.seeks
    assert rule.matters
