"""Whole devices, put together from recorded outputs."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.device.build import Build, Distribution
from pytest_applegpu.device.chips import Chip
from pytest_applegpu.device.commands import Answer, Commands
from pytest_applegpu.device.condition import unfit
from pytest_applegpu.device.detect import Device, detect
from pytest_applegpu.device.show import device_json, device_lines, device_rows

Recorded = Callable[[str], str]
MakeCommands = Callable[..., Commands]
MakeBuild = Callable[..., Build]
Make = Callable[..., Path]
Bytes = Callable[..., bytes]

NAX = ("steel_gemm_fused_nax_nt_float16_float16_bm64_bn64_bk256_wm2_wn2", "arangefloat32")
PLAIN = ("steel_gemm_fused_nt_float16_float16_bm64_bn64_bk16_wm2_wn2", "arangefloat32")
JIT = ("argmax_float32",)

PHONE_IOREG = (
    '+-o AGX  <class AGX>\n  {\n    "model" = "Apple A18 Pro"\n    "gpu-core-count" = 5\n  }\n'
)


def info_of(text: str) -> dict[str, object]:
    """Return a recorded `mx.device_info`, JSON or as Python printed it."""
    line = text.strip().splitlines()[-1]
    return dict(json.loads(text)) if text.startswith("{\n") else dict(ast.literal_eval(line))


def hello(
    info: Mapping[str, object] | None = None, mac_ver: str = "26.5", **more: object
) -> dict[str, object]:
    """Return what a worker on a Mac reports."""
    return {
        "mlx": "0.32.4",
        "backend": "metal",
        "device_info": info or {},
        "device_info_error": None,
        "python": "3.12.4",
        "executable": "/usr/bin/python3",
        "machine": "arm64",
        "mac_ver": mac_ver,
        "mlx_file": "/nowhere/mlx/core.cpython-312-darwin.so",
        **more,
    }


def gpu_info(name: str, architecture: str, memory: int = 2**37) -> dict[str, object]:
    """Return a device info in the form that MLX gives on Metal."""
    return {"device_name": name, "architecture": architecture, "memory_size": memory}


@pytest.mark.parametrize(
    ("info", "said", "key", "family", "nax"),
    [
        ("m1-16gb.txt", {"displays": "sp-displays-m1-7c.json"}, "metal-m1-7c", "Apple7", "no"),
        (
            "m1-max-32gb.txt",
            {"ioreg": "ioreg-agx-m1-max-32c.txt"},
            "metal-m1-max-32c",
            "Apple7",
            "no",
        ),
        (
            "m3-pro-36gb.txt",
            {"ioreg": "ioreg-agx-m3-pro.txt", "displays": "sp-displays-m3-pro-14c.json"},
            "metal-m3-pro-14c",
            "Apple9",
            "no",
        ),
        ("m4-32gb-in-gb.txt", {"ioreg": "ioreg-agx-m4-10c.txt"}, "metal-m4-10c", "Apple9", "no"),
        (
            "m4-pro-48gb.txt",
            {"ioreg_plist": "ioreg-agx-m4-pro-16c.plist"},
            "metal-m4-pro-16c",
            "Apple9",
            "no",
        ),
        (
            "m5-pro-64gb.txt",
            {"ioreg": "ioreg-agx-m5-pro-20c-macos27.txt"},
            "metal-m5-pro-20c",
            "Apple10",
            "yes",
        ),
        (
            "m5-max-128gb-wired-raised.txt",
            {"displays": "sp-displays-m5-max-40c-macos27.json"},
            "metal-m5-max-40c",
            "Apple10",
            "yes",
        ),
    ],
)
def test_recorded_macs(
    mac_commands: MakeCommands,
    mac_build: MakeBuild,
    recorded: Recorded,
    library: Make,
    info: str,
    said: dict[str, str],
    key: str,
    family: str,
    nax: str,
) -> None:
    commands = mac_commands(**{name: recorded(file) for name, file in said.items()})
    module = library(NAX).parent / "core.so"
    report = hello(info_of(recorded(f"mlx-device-info-{info}")), mlx_file=str(module))
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert (device.key.value, device.family.value) == (key, family)
    assert device.nax.available == nax
    assert isinstance(device.chip, Chip)
    assert key.endswith(f"{device.chip.gpu_cores}c")
    assert device.memory_bytes.value is not None
    assert device.memory_bytes.value >= 2**33
    assert (device.errors, device.remarks, device.virtual.value) == ((), (), False)


@pytest.mark.parametrize(("cores", "bandwidth"), [(30, 300.0), (40, 400.0)])
def test_an_m3_max_is_one_of_two(
    mac_commands: MakeCommands,
    mac_build: MakeBuild,
    recorded: Recorded,
    cores: int,
    bandwidth: float,
) -> None:
    said = {
        30: {"ioreg": "ioreg-agx-m3-max-30c.txt"},
        40: {"displays": "sp-displays-m3-max-40c.json"},
    }
    commands = mac_commands(**{name: recorded(file) for name, file in said[cores].items()})
    report = hello(gpu_info("Apple M3 Max", "applegpu_g15s"))
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert device.key.value == f"metal-m3-max-{cores}c"
    assert device.chip is not None
    assert device.chip.bandwidth_gbs == bandwidth


def test_an_m3_max_of_unknown_cores_has_no_key(
    mac_commands: MakeCommands, mac_build: MakeBuild
) -> None:
    report = hello(gpu_info("Apple M3 Max", "applegpu_g15s"))
    device = detect(report, mac_commands(), {}, "darwin", build=mac_build())
    assert (device.key.value, device.chip, device.family.value) == (None, None, "Apple9")
    assert "GPU cores unknown" in device.key.note


def test_a_macbook_with_a_phone_chip(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded, library: Make
) -> None:
    info = info_of(recorded("mlx-device-info-a18-pro-8gb.json"))
    module = library(NAX).parent / "core.so"
    commands = mac_commands(ioreg=PHONE_IOREG)
    report = hello(info, mlx_file=str(module))
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert (device.key.value, device.family.value) == ("metal-a18-pro-5c", "Apple9")
    assert device.nax.available == "no"
    assert device.nax.reasons[0] == "generation 17, letter p: NAX needs generation 18"


@pytest.mark.parametrize("architecture", ["", "air64_v26", "air64_v27", "air64_v28"])
def test_a_hosted_runner(
    mac_commands: MakeCommands,
    mac_build: MakeBuild,
    recorded: Recorded,
    library: Make,
    architecture: str,
) -> None:
    info = info_of(recorded("mlx-device-info-paravirtual.txt")) | {"architecture": architecture}
    commands = mac_commands(
        sysctl=recorded("sysctl-vm-m1-virtual-macos26.txt"),
        sw_vers=recorded("sw_vers-26.6.2-vm.txt"),
    )
    module = library(NAX).parent / "core.so"
    report = hello(info, mlx_file=str(module))
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert device.virtual.value is True
    assert device.nax.available == "no"
    assert device.key.value is None
    assert device.key.note == "virtual GPU (Apple Paravirtual device)"
    assert device.family.value is None
    assert "virtual GPU" in unfit(device.condition)
    assert device_lines(device)[0].endswith("(virtual)")


def test_a_virtual_mac_whose_mlx_finds_no_gpu(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded
) -> None:
    commands = mac_commands(sysctl=recorded("sysctl-vm-m1-virtual-macos26.txt"))
    report = hello(device_info_error="[metal::load_device] No Metal device available.")
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert (device.name.value, device.virtual.value) == ("Apple M1 (Virtual)", True)
    assert not device.key.known
    assert "No Metal device available" in device.errors[0]


def test_a_virtual_mac_on_its_cpu_is_no_virtual_gpu(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded
) -> None:
    commands = mac_commands(sysctl=recorded("sysctl-vm-m1-virtual-macos26.txt"))
    info = {"device_name": "Apple M1 (Virtual)", "architecture": "arm64"}
    device = detect(hello(info, backend="cpu"), commands, {}, "darwin", build=mac_build())
    assert (device.virtual.value, device.key.value) == (False, "cpu-m1-virtual")
    assert "VirtualMac2,1" in device.virtual.note
    assert "virtual GPU" not in unfit(device.condition)


def test_a_sysctl_without_an_answer_leaves_virtual_to_name_and_architecture(
    mac_build: MakeBuild,
) -> None:
    report = hello(gpu_info("Apple M4", "applegpu_g16g"))
    device = detect(
        report, lambda argv: Answer(tuple(argv), "missing"), {}, "darwin", build=mac_build()
    )
    assert device.virtual.value is False
    assert device.virtual.source == "device name and architecture"


def test_rosetta(mac_commands: MakeCommands, recorded: Recorded) -> None:
    brand = recorded("sysctl-n-brand-rosetta.txt").strip()
    sysctl = f"machdep.cpu.brand_string: {brand}\n" + recorded("sysctl-proc_translated-1.txt")
    build = Build(platform="darwin", machine="x86_64")
    device = detect({}, mac_commands(sysctl=sysctl), {}, "darwin", build=build)
    assert device.backend == "cpu"
    assert any("Rosetta" in error for error in device.errors)
    assert not device.key.known


def test_python_that_takes_macos_26_for_16(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded, library: Make
) -> None:
    module = library(PLAIN, target=(15, 0)).parent / "core.so"
    commands = mac_commands(displays=recorded("sp-displays-m5-max-40c-macos27.json"))
    mac_ver = ast.literal_eval(recorded("python-mac_ver-16.0-on-26.txt"))[0]
    info = gpu_info("Apple M5 Max", "applegpu_g17s")
    report = hello(info, mac_ver, mlx_file=str(module))
    device = detect(report, commands, {}, "darwin", build=mac_build(tag="macosx_15_0_arm64"))
    assert device.os_version.value == "26.5.1"
    assert device.nax.available == "no"
    assert "takes macOS 26.5.1 for 16.0" in device.remarks[0]
    assert device.key.value == "metal-m5-max-40c"


def test_macos_that_only_ever_says_16(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded, library: Make
) -> None:
    module = library(NAX).parent / "core.so"
    commands = mac_commands(sw_vers=recorded("sw_vers-26.0-as-16.0-compat.txt"))
    report = hello(gpu_info("Apple M5", "applegpu_g17g"), "16.0", mlx_file=str(module))
    device = detect(report, commands, {}, "darwin", build=mac_build())
    assert (device.os_version.value, device.os_build.value) == ("26.0", "25A354")
    assert device.nax.available == "no"
    assert "mlx issue 4525" in device.errors[0]


@pytest.mark.parametrize(
    ("environ", "reported", "forced", "key", "nax"),
    [
        ({}, "applegpu_g17s", None, "metal-m5-max-40c", "yes"),
        ({"MLX_METAL_GPU_ARCH": "applegpu_g16s"}, "applegpu_g16s", "applegpu_g16s", None, "no"),
        ({}, "applegpu_g16s", "applegpu_g16s", None, "no"),
        (
            {"MLX_METAL_GPU_ARCH": "applegpu_g17s"},
            "applegpu_g17s",
            "applegpu_g17s",
            "metal-m5-max-40c",
            "yes",
        ),
        ({"MLX_METAL_GPU_ARCH": "applegpu_g16s"}, "applegpu_g17s", None, "metal-m5-max-40c", "yes"),
        ({"MLX_METAL_GPU_ARCH": ""}, "applegpu_g17s", None, "metal-m5-max-40c", "yes"),
    ],
)
def test_a_forced_architecture(
    mac_commands: MakeCommands,
    mac_build: MakeBuild,
    recorded: Recorded,
    library: Make,
    environ: dict[str, str],
    reported: str,
    forced: str | None,
    key: str | None,
    nax: str,
) -> None:
    commands = mac_commands(displays=recorded("sp-displays-m5-max-40c-macos27.json"))
    module = library(NAX).parent / "core.so"
    report = hello(gpu_info("Apple M5 Max", reported), mlx_file=str(module))
    device = detect(report, commands, environ, "darwin", build=mac_build())
    assert (device.forced.value, device.key.value) == (forced, key)
    assert device.nax.available == nax
    assert device.family.value == "Apple10"
    assert device.errors == ()


def test_nax_forced_on_a_gpu_without_it_is_an_error(
    mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded
) -> None:
    commands = mac_commands(ioreg=recorded("ioreg-agx-m1-max-32c.txt"))
    environ = {"MLX_METAL_GPU_ARCH": "applegpu_g17s"}
    report = hello(gpu_info("Apple M1 Max", "applegpu_g17s"))
    device = detect(report, commands, environ, "darwin", build=mac_build())
    assert device.nax.available == "no"
    assert "wrong numbers" in device.errors[0]
    assert "applegpu_g17s is forced on Apple M1 Max" in device.key.note


@pytest.mark.parametrize(
    ("name", "architecture", "family"),
    [("Apple M7 Max", "applegpu_g19s", None), ("Apple M7", "applegpu_g18g", "Apple11")],
)
def test_a_chip_that_is_not_in_the_table(
    mac_commands: MakeCommands,
    mac_build: MakeBuild,
    name: str,
    architecture: str,
    family: str | None,
) -> None:
    ioreg = f'"model" = "{name}"\n"gpu-core-count" = 44\n'
    report = hello(gpu_info(name, architecture))
    device = detect(report, mac_commands(ioreg=ioreg), {}, "darwin", build=mac_build())
    assert (device.family.value, device.chip) == (family, None)
    assert device.nax.available == "yes"
    assert device.key.value == f"metal-{name[6:].lower().replace(' ', '-')}-44c"


def test_a_count_that_the_table_does_not_have_is_noted(
    mac_commands: MakeCommands, mac_build: MakeBuild
) -> None:
    ioreg = '"model" = "Apple M5 Max"\n"gpu-core-count" = 36\n'
    report = hello(gpu_info("Apple M5 Max", "applegpu_g17s"))
    device = detect(report, mac_commands(ioreg=ioreg), {}, "darwin", build=mac_build())
    assert (device.gpu_cores.value, device.chip) == (36, None)
    assert "32, 40 cores" in device.gpu_cores.note


@pytest.mark.parametrize(
    ("tag", "nax"), [("macosx_26_0_arm64", "yes"), ("macosx_15_0_arm64", "no"), ("any", "unknown")]
)
def test_a_jit_build_without_a_readable_library_goes_by_its_tag(
    mac_commands: MakeCommands, mac_build: MakeBuild, library: Make, tag: str, nax: str
) -> None:
    module = library(JIT).parent / "core.so"
    (module.parent / "lib" / "mlx.metallib").write_bytes(b"MTLB broken")
    report = hello(gpu_info("Apple M5", "applegpu_g17g"), mlx_file=str(module))
    device = detect(report, mac_commands(), {}, "darwin", build=mac_build(tag=tag))
    assert device.nax.available == nax
    assert "decided by build target, not by kernel names" in device.nax.reasons[-1]


@pytest.mark.parametrize(("minos", "nax"), [((26, 4), "yes"), ((26, 0), "no"), ((14, 0), "no")])
def test_a_development_build_goes_by_the_target_of_its_library(
    mac_commands: MakeCommands,
    library: Make,
    dylib_bytes: Bytes,
    minos: tuple[int, int],
    nax: str,
) -> None:
    version = "0.33.0.dev20261101+abc1234"
    folder = library(JIT, dylib_bytes(minos))
    build = Build(
        platform="darwin",
        machine="arm64",
        distributions=(Distribution("mlx", version, source=str(folder.parent)),),
        library=str(folder),
    )
    report = hello(gpu_info("Apple M5", "applegpu_g17g"), mlx=version)
    device = detect(report, mac_commands(), {}, "darwin", build=build)
    assert (device.nax.available, device.build_kind) == (nax, "editable")
    assert device.mlx_version.value == version
    assert (device.errors, device.remarks) == ((), ())


def test_two_installed_backends_are_an_error() -> None:
    names = ("mlx", "mlx-cpu", "mlx-cuda-13")
    build = Build(platform="linux", distributions=tuple(Distribution(n, "0.32.4") for n in names))
    device = detect(
        {"backend": "cpu"}, lambda argv: Answer(tuple(argv), "missing"), {}, "linux", build=build
    )
    assert "both installed" in device.errors[0]


def test_another_mlx_than_metadata_lists_is_remarked(
    mac_commands: MakeCommands, mac_build: MakeBuild
) -> None:
    device = detect(hello(mlx="0.31.2"), mac_commands(), {}, "darwin", build=mac_build())
    assert device.mlx_version.value == "0.31.2"
    assert "imported MLX 0.31.2, while metadata lists 0.32.4" in device.remarks[0]


def test_linux_on_the_cpu_runs_no_command() -> None:
    def refuse(argv: object) -> Answer:
        raise AssertionError(argv)

    info = {"device_name": "AMD EPYC 9654 96-Core Processor", "architecture": "x86_64"}
    report = {"mlx": "0.32.4", "backend": "cpu", "device_info": info, "executable": sys.executable}
    device = detect(report, refuse, {}, "linux", read=lambda _: "")
    assert device.key.value == "cpu-amd-epyc-9654-96-core-processor"
    assert device.nax.available == "no"
    assert device.gpu_cores.value is None


def test_an_nvidia_gpu() -> None:
    line = "GPU-aaaa, NVIDIA H200, 143771, 580.95.05, P0, 34, 0x0000000000000001\n"
    info = {"device_name": "NVIDIA H200", "architecture": "sm_90", "total_memory": 150754820096}
    build = Build(platform="linux", distributions=(Distribution("mlx-cuda-13", "0.32.4"),))
    device = detect(
        {"mlx": "0.32.4", "device_info": info},
        lambda argv: Answer(tuple(argv), "ok", line, "", 0),
        {},
        "linux",
        build=build,
    )
    assert (device.backend, device.key.value) == ("cuda", "cuda-nvidia-h200")
    assert (device.architecture.value, device.memory_bytes.value) == ("sm_90", 150754820096)
    assert device.chip is not None
    assert device.chip.name == "NVIDIA H200"
    assert device.condition.throttle.value == ("GPU idle",)
    assert device_lines(device)[3].endswith("thermal unknown")


def test_what_holds_the_clocks_back_is_in_the_header() -> None:
    line = "GPU-aaaa, NVIDIA H200, 143771, 580.95.05, P0, 80, 0x0000000000000005\n"
    device = detect(
        {"backend": "cuda"},
        lambda argv: Answer(tuple(argv), "ok", line, "", 0),
        {},
        "linux",
        build=Build(platform="linux"),
    )
    assert device_lines(device)[3].endswith("clocks held back by power cap")


def test_cuda_without_device_info_asks_the_driver() -> None:
    line = "GPU-aaaa, NVIDIA H100 80GB HBM3, 81559, 580.1, P0, 34, 0x0\n"
    device = detect(
        {"backend": "cuda", "device_info": None},
        lambda argv: Answer(tuple(argv), "ok", line, "", 0),
        {},
        "linux",
        build=Build(platform="linux"),
    )
    assert device.key.value == "cuda-nvidia-h100-80gb-hbm3"
    assert device.memory_bytes.value == 81559 * 2**20


@pytest.mark.parametrize("status", ["missing", "timed out", "failed"])
@pytest.mark.parametrize("platform", ["darwin", "linux", "win32"])
@pytest.mark.parametrize("backend", ["metal", "cuda", "cpu", "none such"])
def test_a_machine_that_answers_nothing(
    mac_build: MakeBuild, status: str, platform: str, backend: str
) -> None:
    def ask(argv: object) -> Answer:
        return Answer(("x",), status)  # type: ignore[arg-type]

    device = detect({"backend": backend}, ask, {}, platform, build=mac_build(), read=lambda _: "")
    assert not device.key.known
    assert device.key.note
    assert device.nax.available in {"no", "unknown"}
    assert len(device_lines(device)) <= 6
    assert json.dumps(device_json(device))


@given(
    st.text(max_size=40),
    st.dictionaries(
        st.sampled_from(["device_name", "architecture", "memory_size"]),
        st.text() | st.integers() | st.none(),
    ),
)
def test_nonsense_gives_a_device(mac_build: MakeBuild, text: str, info: dict[str, object]) -> None:
    def ask(argv: object) -> Answer:
        return Answer(("x",), "ok", text, "", 0)

    for backend in ("metal", "cuda", "cpu"):
        report = {"backend": backend, "device_info": info, "mac_ver": text}
        device = detect(report, ask, {"MLX_METAL_GPU_ARCH": text}, "darwin", build=mac_build())
        assert isinstance(device, Device)
        assert all(line.isprintable() for line in device_lines(device))
        assert json.dumps(device_json(device))


class TestWhatIsShown:
    """The header, the table and the JSON of one device."""

    @pytest.fixture
    def device(
        self, mac_commands: MakeCommands, mac_build: MakeBuild, recorded: Recorded, library: Make
    ) -> Device:
        """Return an M5 Max whose MLX holds NAX kernels."""
        module = library(NAX).parent / "core.so"
        commands = mac_commands(displays=recorded("sp-displays-m5-max-40c-macos27.json"))
        info = info_of(recorded("mlx-device-info-m5-max-128gb.txt"))
        report = hello(info, mlx_file=str(module))
        return detect(report, commands, {}, "darwin", build=mac_build())

    def test_the_header(self, device: Device) -> None:
        assert device_lines(device) == [
            "applegpu: metal, Apple M5 Max, applegpu_g17s (Apple10), 40 GPU cores, 128 GiB",
            "macOS 26.5.1 (25F80), MLX 0.32.4 (macosx_26_0_arm64)",
            f"NAX: yes: {'; '.join(device.nax.reasons)}",
            "power: AC, normal mode, thermal nominal",
            "baseline key: metal-m5-max-40c",
        ]

    def test_every_reason_for_nax(self, device: Device) -> None:
        assert device.nax.reasons == (
            "generation 17, letter s: NAX from generation 17 on",
            "macOS 26.5.1 is 26.2 or newer",
            "mlx.metallib names 1 NAX kernels",
        )

    def test_the_table_says_how_each_fact_is_known(self, device: Device) -> None:
        rows = {label: (text, known) for label, text, known in device_rows(device)}
        assert rows["backend"][0] == "metal"
        assert rows["GPU cores"] == ("40", "system_profiler SPDisplaysDataType -json")
        assert rows["memory"] == ("128 GiB", "mx.device_info memory_size")
        assert rows["wheel tag"] == ("macosx_26_0_arm64", "WHEEL file of mlx-metal")
        assert rows["NAX"][0] == "yes"
        assert rows["virtual GPU"][0] == "no"
        assert all(known for _, known in rows.values())

    def test_the_json_holds_plain_values_and_their_sources(self, device: Device) -> None:
        shown = json.loads(json.dumps(device_json(device)))
        assert (shown["backend"], shown["key"]) == ("metal", "metal-m5-max-40c")
        assert (shown["gpu_cores"], shown["family"]) == (40, "Apple10")
        assert shown["nax"]["available"] == "yes"
        assert len(shown["nax"]["reasons"]) == 3
        assert shown["chip"]["peak_confidence"] == "low"
        assert (shown["power_source"], shown["thermal"]) == ("AC", "nominal")
        assert shown["known_by"]["gpu_cores"]["source"].startswith("system_profiler")
        assert set(shown["known_by"]) <= set(shown)

    def test_errors_stand_in_the_header(
        self, mac_commands: MakeCommands, mac_build: MakeBuild
    ) -> None:
        report = hello(device_info_error="no device", executable="/nowhere")
        device = detect(report, mac_commands(), {}, "darwin", build=mac_build())
        assert device_lines(device)[-1] == "error: MLX cannot describe its device: no device"
        assert ("error", device.errors[0], "") in device_rows(device)
