"""One switch with two values makes two settings; all else is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_applegpu.conduct.compare.toggle import Toggle, read_toggle
from pytest_applegpu.config import Config, read_config
from pytest_applegpu.setting import Setting


def read(values: Mapping[str, str]) -> Config:
    here = Path.cwd()
    return read_config(lambda one: values.get(one.name), here, here, lambda one: one.short)


@pytest.mark.parametrize(
    ("said", "settings"),
    [
        ({"nax": "on,off"}, (Setting(), Setting(nax="off"))),
        ({"nax": " off , on "}, (Setting(nax="off"), Setting())),
        ({"tf32": "on,off"}, (Setting("on"), Setting("off"))),
        ({"tf32": "on,off", "nax": "off"}, (Setting("on", nax="off"), Setting("off", nax="off"))),
        (
            {"arch": "own,M4 Max", "tf32": "off"},
            (Setting("off"), Setting("off", "applegpu_g16s")),
        ),
    ],
)
def test_the_first_value_is_the_first_side(
    said: dict[str, str], settings: tuple[Setting, Setting]
) -> None:
    toggle, config = read_toggle(said, read)
    assert toggle.settings == settings
    assert sorted(map(str, config.settings)) == sorted(map(str, settings))


def test_names_are_as_they_were_written() -> None:
    toggle, _ = read_toggle({"arch": "own,M4 Max"}, read)
    assert toggle.names == ("arch=own", "arch=M4 Max")


@pytest.mark.parametrize("said", ["applegpu_g16s,own", "applegpu_g16s,applegpu_g17s"])
def test_the_gpu_is_known_by_the_side_that_leaves_it_its_accelerators(said: str) -> None:
    toggle, config = read_toggle({"arch": said}, read)
    assert isinstance(toggle, Toggle)
    assert toggle.settings[0].arch == "applegpu_g16s"
    assert config.settings == toggle.settings[::-1]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "nothing is compared: give one switch two values: --nax on,off, --tf32 on,off"),
        ({"tf32": "off"}, "nothing is compared"),
        ({"tf32": "on,off", "nax": "on,off"}, "--nax and --tf32: one switch is compared at a time"),
        ({"tf32": "both"}, "--tf32: 'both' has no order: write two values, as in on,off or off,on"),
        ({"nax": "on,off,on"}, "--nax: 'on,off,on' is not two values, as in on,off or off,on"),
        ({"nax": "on,"}, "--nax: 'on,' is not two values"),
        ({"tf32": "on,on"}, "--tf32: 'on,on' is one setting twice"),
        ({"tf32": "on,maybe"}, "--tf32: 'maybe' is not one of on, off"),
        ({"arch": "M4 Max,applegpu_g16s"}, "--arch: 'M4 Max,applegpu_g16s' is one setting twice"),
        ({"arch": "own,all"}, "--arch: 'all' is several: two values, as in own,applegpu_g16s"),
        ({"arch": "own,g99"}, "--arch: 'g99' is not own, all, an architecture"),
    ],
)
def test_what_is_no_comparison(said: dict[str, str], message: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        read_toggle(said, read)
    assert str(refused.value).startswith(message)
