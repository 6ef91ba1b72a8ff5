"""`--applegpu-arch`: the architectures whose dispatch MLX is told to follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pytest_applegpu.config import Config, read_config
from pytest_applegpu.options import Option
from tests.conftest import Suites


def config(**said: str) -> Config:
    def lookup(option: Option) -> str | Sequence[str] | None:
        return said.get(option.name.replace("-", "_"))

    return read_config(lookup, Path("/"), Path("/"))


def arches(**said: str) -> list[str | None]:
    return list(dict.fromkeys(setting.arch for setting in config(**said).settings))


def test_the_gpu_itself_is_the_default() -> None:
    assert arches() == [None]


def test_a_list_is_forced_in_its_order() -> None:
    assert arches(arch="applegpu_g16s, own,applegpu_g13g") == [
        "applegpu_g16s",
        None,
        "applegpu_g13g",
    ]


def test_all_is_the_gpu_and_every_other_without_nax() -> None:
    found = arches(arch="all")
    assert found[0] is None
    assert {"applegpu_g13g", "applegpu_g16s", "applegpu_g15d", "applegpu_g17p"} <= set(found)
    assert not {"applegpu_g17s", "applegpu_g18p"} & set(found)


def test_an_emulated_device_is_the_newest_with_nax_unless_said() -> None:
    assert arches(backend="emulated") == [config().shapes_for]
    assert "applegpu_g17s" in arches(backend="emulated", arch="all")


@pytest.mark.parametrize("word", ["g16s", "applegpu_g1s", "air64_v26", ""])
def test_what_is_no_architecture_is_refused(word: str) -> None:
    with pytest.raises(pytest.UsageError, match=r"--applegpu-arch: .* is not own, all, an arch"):
        config(arch=f"applegpu_g16s,{word}")


@pytest.mark.parametrize("extra", [("--applegpu-arch", "applegpu_g16s")])
def test_a_backend_without_metal_dispatch_refuses(suites: Suites, extra: tuple[str, ...]) -> None:
    result = suites("--applegpu-backend", "cpu", *extra)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-arch: cpu has no Metal dispatch to direct*"])


def test_so_does_a_case_that_forces_one(suites: Suites) -> None:
    text = "matmul-f32-nt-8x8x8 fill=integer tf32=on arch=applegpu_g16s"
    result = suites("--applegpu-backend", "cpu", "--applegpu-case", text)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--applegpu-arch: cpu has no Metal dispatch to direct*"])


def test_the_ini_twin(suites: Suites, ini: Callable[..., None]) -> None:
    ini("applegpu_arch = applegpu_g16s")
    result = suites("--applegpu-backend", "cpu")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*applegpu_arch in tox.ini: cpu has no Metal dispatch*"])


def test_a_chip_stands_for_its_architecture() -> None:
    assert arches(arch="M5 Max,M1") == ["applegpu_g17s", "applegpu_g13g"]
