"""A summary never lets emulated numbers pass for a GPU's."""

from __future__ import annotations

from collections.abc import Callable

from pytest_applegpu.report.notices import warnings
from pytest_applegpu.report.records import Record


def test_what_was_emulated_is_said_once(make_record: Callable[..., Record]) -> None:
    setting = {"tf32": "on", "arch": "applegpu_g17s"}
    records = [make_record(backend="emulated", mlx="0.32.4", setting=setting)] * 2
    said = "emulated: applegpu_g17s with MLX 0.32.4: not a GPU, not run on a Mac"
    assert list(warnings(records)) == [said]


def test_without_a_forced_architecture_the_device_is_named(
    make_record: Callable[..., Record],
) -> None:
    record = make_record(backend="emulated", mlx="0.32.4", device="emulated applegpu_g13g")
    assert next(warnings([record])).startswith("emulated: emulated applegpu_g13g with MLX")


def test_other_backends_say_nothing_of_it(make_record: Callable[..., Record]) -> None:
    assert list(warnings([make_record(backend="metal")])) == []
