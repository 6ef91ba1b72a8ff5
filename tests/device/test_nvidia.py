"""nvidia-smi: which GPUs, and what holds their clocks back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.nvidia import (
    driver_answers,
    nvidia_gpu,
    parse_gpus,
    parse_reasons,
    throttling,
)

Answering = Callable[..., Commands]

H200 = "GPU-aaaa, NVIDIA H200, 143771, 580.95.05, P0, 34, 0x0000000000000001\n"
HOT = "GPU-bbbb, NVIDIA H200, 143771, 580.95.05, P0, 91, 0x0000000000000068\n"


def test_one_gpu(answering: Answering) -> None:
    gpu = nvidia_gpu(answering({("nvidia-smi",): H200})).value
    assert gpu is not None
    assert (gpu.name, gpu.driver, gpu.pstate, gpu.celsius) == ("NVIDIA H200", "580.95.05", "P0", 34)
    assert gpu.memory_bytes == 143771 * 2**20
    assert gpu.reasons == ("GPU idle",)


def test_the_gpu_is_found_by_its_uuid(answering: Answering) -> None:
    commands = answering({("nvidia-smi",): H200 + HOT})
    hot = throttling(nvidia_gpu(commands, "GPU-bbbb"))
    assert hot.value == (
        "hardware slowdown",
        "software thermal slowdown",
        "hardware thermal slowdown",
    )
    doubtful = nvidia_gpu(commands, "GPU-cccc")
    assert doubtful.value is not None
    assert (doubtful.value.uuid, doubtful.note) == ("GPU-aaaa", "the first of 2 GPUs")


def test_what_a_driver_does_not_support(answering: Answering) -> None:
    line = "GPU-aaaa, NVIDIA A2, [N/A], 535.1, [N/A], [Not Supported], [Not Supported]\n"
    gpu = nvidia_gpu(answering({("nvidia-smi",): line}))
    assert gpu.value is not None
    assert (gpu.value.memory_bytes, gpu.value.celsius, gpu.value.reasons) == (None, None, None)
    assert throttling(gpu).value is None


def test_drivers_that_know_the_older_name_are_asked_again() -> None:
    def ask(argv: Sequence[str]) -> Answer:
        if "clocks_event_reasons" in argv[1]:
            said = 'Field "clocks_event_reasons.active" is not a valid field to query.'
            return Answer(tuple(argv), "failed", said, "", 2)
        return Answer(tuple(argv), "ok", H200, "", 0)

    assert throttling(nvidia_gpu(ask)).value == ("GPU idle",)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(("nvidia-smi",), "missing"), "nvidia-smi is not there"),
        (Answer(("nvidia-smi",), "timed out"), "timed out"),
        (
            Answer(("nvidia-smi",), "failed", H200, "Driver/library version mismatch", 18),
            "mismatch",
        ),
        (Answer(("nvidia-smi",), "ok", "No devices were found\n", "", 0), "lists no GPU"),
    ],
)
def test_no_gpu(answer: Answer, told: str) -> None:
    fact = nvidia_gpu(lambda _: answer)
    assert fact.value is None
    assert told in fact.note
    assert throttling(fact).note == fact.note


def test_a_driver_answers_where_it_lists_a_gpu() -> None:
    def ask(argv: Sequence[str]) -> Answer:
        return Answer(tuple(argv), "ok", "GPU 0: NVIDIA H200 (UUID: GPU-aaaa)\n", "", 0)

    assert driver_answers(ask)
    assert not driver_answers(lambda argv: Answer(tuple(argv), "missing"))


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("0x0000000000000000", ()),
        ("0x0000000000000004", ("power cap",)),
        ("0x60", ("software thermal slowdown", "hardware thermal slowdown")),
        ("", None),
        ("[N/A]", None),
        ("4", None),
        ("0xZZ", None),
    ],
)
def test_masks(text: str, reasons: tuple[str, ...] | None) -> None:
    assert parse_reasons(text) == reasons


@given(st.text())
def test_any_text_is_parsed_without_trouble(text: str) -> None:
    assert isinstance(parse_gpus(text), tuple)
    assert isinstance(parse_gpus("GPU-a," + text), tuple)
