"""The MLX installation, known without importing mlx."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device import installed
from pytest_applegpu.device.build import (
    Build,
    Distribution,
    build_from,
    expected_backend,
    install_line,
    parse_version,
    read_build,
)
from pytest_applegpu.device.commands import Answer, Commands, run_command

MakeBuild = Callable[..., Build]
Answering = Callable[..., Commands]


def site(folder: Path, *wheels: tuple[str, str, str], **files: str) -> Path:
    """Make a site-packages folder with the metadata of these (name, version, tag)."""
    for name, version, tag in wheels:
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nTag: {tag}\n")
        for file, text in files.items():
            (info / file.replace("__", ".")).write_text(text)
    return folder


def collected(folder: Path) -> Build:
    """Return the build that a bare interpreter sees in `folder`."""
    script = Path(installed.__file__).read_text("utf-8")
    code = f"import sys; sys.path.append({str(folder)!r})\n" + script.partition('"""\n\n')[2]
    code = code.replace("from __future__ import annotations\n", "")
    done = subprocess.run(
        (sys.executable, "-I", "-S", "-c", code), capture_output=True, text=True, check=True
    )
    return build_from(json.loads(done.stdout))


def test_a_linux_installation(tmp_path: Path) -> None:
    build = collected(
        site(
            tmp_path,
            ("mlx", "0.32.4", "cp311-cp311-manylinux_2_35_x86_64"),
            ("mlx-cpu", "0.32.4", "py3-none-manylinux_2_35_x86_64"),
            ("numpy", "2.0", "any"),
        )
    )
    assert [one.name for one in build.distributions] == ["mlx", "mlx-cpu"]
    assert build.version.value == "0.32.4"
    assert build.wheel_tag.value == "manylinux_2_35_x86_64"
    assert build.wheel_tag.source == "WHEEL file of mlx-cpu"
    assert (build.kind, build.errors, build.backend_missing) == ("wheel", (), False)


def test_the_library_is_found_in_the_package_without_importing_it(tmp_path: Path) -> None:
    (tmp_path / "mlx" / "lib").mkdir(parents=True)
    (tmp_path / "mlx" / "lib" / "libmlx.so").touch()
    (tmp_path / "mlx" / "core.cpython-311.so").touch()
    (tmp_path / "mlx" / "core.py").write_text("raise SystemExit('imported')")
    build = collected(site(tmp_path, ("mlx", "0.32.4", "cp311-cp311-any")))
    assert build.library == str(tmp_path / "mlx" / "lib")
    assert build.extension == str(tmp_path / "mlx" / "core.cpython-311.so")


def test_homebrew_keeps_its_library_above_the_package(tmp_path: Path) -> None:
    keg = tmp_path / "Cellar" / "mlx" / "0.32.4" / "lib"
    packages = keg / "python3.13" / "site-packages"
    (packages / "mlx").mkdir(parents=True)
    (keg / "mlx.metallib").touch()
    linked = tmp_path / "site-packages"
    linked.mkdir()
    (linked / "mlx").symlink_to(packages / "mlx")
    site(linked, ("mlx", "0.32.4", "cp313-cp313-macosx_26_0_arm64"), INSTALLER="brew\n")
    build = collected(linked)
    assert build.library == str(keg)
    assert build.kind == "homebrew"


def test_an_editable_build(tmp_path: Path) -> None:
    source = tmp_path / "my mlx"
    (source / "python" / "mlx" / "lib").mkdir(parents=True)
    (source / "python" / "mlx" / "lib" / "libmlx.dylib").touch()
    url = json.dumps({"url": (source).as_uri(), "dir_info": {"editable": True}})
    packages = site(
        tmp_path / "site",
        ("mlx", "0.33.0.dev20261101+abc1234", "cp312-cp312-macosx_26_0_arm64"),
        direct_url__json=url,
    )
    build = collected(packages)
    assert build.kind == "editable"
    assert build.library == str(source / "python" / "mlx" / "lib")
    assert (build.is_development, build.is_local) == (True, True)
    assert not build.wheel_tag.known


@pytest.mark.parametrize("text", ["", "[]", "{", '{"dir_info": 3}', '{"url": "https://x"}'])
def test_odd_direct_urls_are_no_editable_build(tmp_path: Path, text: str) -> None:
    packages = site(tmp_path, ("mlx", "0.32.4", "cp312-cp312-any"), direct_url__json=text)
    assert collected(packages).kind == "source"


def test_broken_metadata_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "mlx-9.dist-info").mkdir()
    (tmp_path / "mlx_cpu-9.dist-info").mkdir()
    (tmp_path / "mlx_cpu-9.dist-info" / "METADATA").write_bytes(b"nonsense\xc3\xa9")
    build = collected(tmp_path)
    assert build.kind == "missing"
    assert build.version.note == "mlx is not installed"


def test_two_backends_of_one_file_are_an_error(tmp_path: Path) -> None:
    build = collected(
        site(
            tmp_path,
            ("mlx", "0.32.4", "cp311-cp311-manylinux_2_35_x86_64"),
            ("mlx-cpu", "0.32.4", "py3-none-manylinux_2_35_x86_64"),
            ("mlx-cuda-13", "0.32.4", "py3-none-manylinux_2_35_x86_64"),
        )
    )
    assert len(build.errors) == 1
    assert build.errors[0].startswith("mlx-cpu and mlx-cuda-13 are both installed")


def test_versions_that_differ_are_an_error(mac_build: MakeBuild) -> None:
    one, _ = mac_build().distributions
    build = Build(distributions=(one, Distribution("mlx-metal", "0.31.2")))
    assert build.errors == ("mlx 0.32.4 stands beside mlx-metal 0.31.2",)


def test_a_missing_backend() -> None:
    build = Build(platform="linux", distributions=(Distribution("mlx", "0.32.4"),))
    assert build.backend_missing
    assert not Build().backend_missing


@pytest.mark.parametrize(
    ("version", "installer", "kind"),
    [
        ("0.32.4", "pip", "source"),
        ("0.32.4", "conda", "conda"),
        ("0.33.0.dev20261101+abc1234", "uv", "source"),
    ],
)
def test_one_package_without_backends(version: str, installer: str, kind: str) -> None:
    mlx = Distribution("mlx", version, ("cp312-cp312-macosx_26_0_arm64",), installer)
    build = Build(distributions=(mlx,))
    assert build.kind == kind
    assert build.wheel_tag.value == "macosx_26_0_arm64"


@pytest.mark.parametrize("text", ["", "main", None, "0.33.0.dev+", "не версия"])
def test_versions_that_are_none(text: str | None) -> None:
    assert parse_version(text) is None


@pytest.mark.parametrize(
    ("platform", "machine", "packages", "backend"),
    [
        ("darwin", "arm64", ("mlx-metal",), "metal"),
        ("darwin", "arm64", (), "metal"),
        ("darwin", "x86_64", (), "cpu"),
        ("linux", "x86_64", ("mlx-cpu",), "cpu"),
        ("linux", "x86_64", ("mlx-cuda-12",), "cuda"),
        ("linux", "aarch64", ("mlx-cuda-13",), "cuda"),
        ("linux", "x86_64", (), "cpu"),
    ],
)
def test_the_backend_is_expected_from_metadata(
    platform: str, machine: str, packages: Sequence[str], backend: str
) -> None:
    found = tuple(Distribution(name, "0.32.4") for name in packages)
    build = Build(platform=platform, machine=machine, distributions=found)
    assert expected_backend(build) == backend


@pytest.mark.parametrize(
    ("platform", "said", "line"),
    [
        ("darwin", None, "pip install mlx"),
        ("linux", None, "pip install 'mlx[cpu]'"),
        ("linux", "GPU 0: NVIDIA H200 (UUID: GPU-1)\n", "pip install 'mlx[cuda13]'"),
        ("linux", "No devices found.\n", "pip install 'mlx[cpu]'"),
    ],
)
def test_the_line_that_installs_a_backend(
    answering: Answering, platform: str, said: str | None, line: str
) -> None:
    table = {} if said is None else {("nvidia-smi", "-L"): said}
    assert install_line(platform, answering(table)) == line


def test_a_failing_driver_is_no_driver(answering: Answering) -> None:
    argv = ("nvidia-smi", "-L")
    failing = Answer(argv, "failed", "GPU 0: H200", "couldn't communicate", 9)
    assert install_line("linux", answering({argv: failing})).endswith("[cpu]'")


def test_this_interpreter_and_another_agree() -> None:
    own = read_build(None, run_command)
    binary = Path(sys.executable)
    other = read_build(f"{binary.parent}/./{binary.name}", run_command)
    assert own.distributions == other.distributions
    assert own.python == other.python
    assert own.complaint == other.complaint == ""


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer((), "missing"), "is not there"),
        (Answer((), "timed out"), "timed out"),
        (Answer((), "failed", "", "Traceback\nSyntaxError: bad", 1), "SyntaxError: bad"),
        (Answer((), "ok", "hello\n", "", 0), "answered 'hello'"),
        (Answer((), "ok", "", "", 0), "answered ''"),
        (Answer((), "ok", '{"python": 3}\n', "", 0), "answered"),
    ],
)
def test_an_interpreter_that_does_not_answer(answer: Answer, told: str) -> None:
    build = read_build("/opt/python", lambda _: answer)
    assert build.kind == "missing"
    assert build.errors
    assert told in build.errors[0]
    assert "/opt/python" in build.errors[0]


def test_what_an_interpreter_prints_before_the_answer_is_passed_over() -> None:
    said = "a sitecustomize says hello\n" + json.dumps({"python": "3.10.1", "distributions": []})
    assert read_build("p", lambda _: Answer((), "ok", said, "", 0)).python == "3.10.1"


@given(st.text())
def test_any_answer_gives_a_build(text: str) -> None:
    assert isinstance(read_build("p", lambda _: Answer((), "ok", text, "", 0)), Build)
