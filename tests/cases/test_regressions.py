"""The corpus of public bugs: what a file may say, the cases of a run, and the path of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import ValidationError, convert
from msgspec.structs import replace
from packaging.version import Version

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.cases.plan import backend_dtypes
from pytest_applegpu.cases.regressions.bug import Bug
from pytest_applegpu.cases.regressions.corpus import (
    SHIPPED,
    bugs_of,
    read_bugs,
    regression_cases,
    shipped_bugs,
)
from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.issues.entries import EntryFileError
from pytest_applegpu.issues.subject import Place
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting

BOTH = (Setting("on"), Setting("off"))
PLAIN: dict[str, Any] = {
    "id": "mlx-1-wrong",
    "what": "it is wrong",
    "link": "https://github.com/ml-explore/mlx/issues/1",
    "mlx": ">=0.30,<0.31.2",
    "backend": ["cpu", "metal"],
    "gives": "over",
    "seen": "nowhere",
    "cases": ["matmul-f32-nn-4x4x4", "matmul-f16-nn-4x4x4"],
}
CPU = Place("cpu", "0.30.6", "x86_64", None)

TEXT = """
[[bug]]
id = "mlx-1-wrong"
what = "it is wrong"
link = "https://github.com/ml-explore/mlx/issues/1"
mlx = "<0.31"
backend = "metal"
gives = "over"
seen = "nowhere"
cases = ["matmul-f32-nn-4x4x4"]
routed = [{ path = "gemm", arch = "applegpu_g13g", mlx = "0.30.6" }]
"""


def bug(**said: Any) -> Bug:
    return convert(PLAIN | said, Bug)


def asked(
    *bugs: Bug,
    backend: str = "cpu",
    tier: str = "smoke",
    settings: tuple[Setting, ...] = BOTH,
    version: str = "0.32.4",
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16"),
) -> list[str]:
    found = regression_cases(
        bugs,
        backend,
        tuple(DTYPES[name] for name in dtypes),
        tier=tier,
        settings=settings,
        version=Version(version),
    )
    return [str(case) for _, case in found]


def test_a_case_is_run_under_both_settings_where_tf32_bears_on_it() -> None:
    assert asked(bug()) == [
        "matmul-f32-nn-4x4x4 fill=integer tf32=on",
        "matmul-f32-nn-4x4x4 fill=integer tf32=off",
        "matmul-f16-nn-4x4x4 fill=integer tf32=on",
    ]
    assert len(asked(bug(), tier="standard")) == 4


def test_few_workers_are_alive_at_once() -> None:
    four = (*BOTH, Setting("on", "applegpu_g13g"), Setting("off", "applegpu_g13g"))
    archs = ["arch=" in text for text in asked(bug(), bug(id="mlx-2-other"), settings=four)]
    assert archs == [False] * 6 + [True] * 6


def test_a_setting_that_a_case_names_is_kept_to() -> None:
    one = bug(cases=["matmul-f32-nn-4x4x4 tf32=off"])
    assert asked(one) == ["matmul-f32-nn-4x4x4 fill=integer tf32=off"]
    assert asked(one, settings=BOTH[:1]) == []


def test_what_was_not_asked_for_is_left_out() -> None:
    assert asked(bug(), dtypes=("float16",)) == ["matmul-f16-nn-4x4x4 fill=integer tf32=on"]
    assert asked(bug(since="0.30.0"), version="0.29.3") == []
    assert asked(bug(since="0.29.3"), version="0.29.3")


def test_a_tier_has_room_for_what_it_can_afford() -> None:
    large = bug(cases=["matmul-f16-nn-1000x1000x1000", "matmul-f16-nn-4000x4000x4000"])
    assert [len(asked(large, tier=tier, settings=BOTH[:1])) for tier in ("smoke", "standard")] == [
        0,
        1,
    ]
    assert len(asked(large, tier="exhaustive", settings=BOTH[:1])) == 2


@pytest.mark.parametrize(
    ("said", "place", "expected"),
    [
        ({}, CPU, True),
        ({}, Place("cuda", "0.30.6", None, None), False),
        ({}, Place("cpu", "0.31.2", None, None), False),
        ({}, Place("cpu", "0.29.9", None, None), False),
        ({"mlx": "none"}, CPU, False),
        ({"mlx": ""}, CPU, True),
        ({"arch": "applegpu_g17*"}, CPU, False),
        ({"arch": "applegpu_g17*"}, Place("metal", "0.30.6", "applegpu_g17s", None), True),
    ],
)
def test_a_bug_affects_the_places_that_it_names(
    said: dict[str, Any], place: Place, expected: bool
) -> None:
    assert bug(**said).affects(place) is expected


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"id": "MLX 1"}, "id 'MLX 1' is not words of a-z and 0-9 joined by hyphens"),
        ({"mlx": "new"}, "mlx 'new' is not versions, as in"),
        ({"backend": "gpu"}, "backend 'gpu' is not one of metal, cuda, cpu, emulated"),
        ({"backend": []}, "backend is an empty list"),
        ({"gives": "wrong"}, "gives 'wrong' is not one of over, "),
        ({"gives": "slower"}, "gives 'slower' is not one of over, "),
        ({"link": "http://example.org"}, "does not begin with https://github.com/"),
        ({"link": None}, "link or evidence is needed, one of them"),
        ({"evidence": "seen"}, "link or evidence is needed, one of them"),
        ({"what": " "}, "what is empty or holds control characters"),
        ({"seen": "a\nb"}, "seen is empty or holds control characters"),
        ({"since": "new"}, "since 'new' is not a version, as in 0.30.0"),
        ({"cases": []}, "cases: at least one is needed"),
        ({"cases": ["matmul"]}, "cases: 'matmul': 'matmul' is not a problem: write "),
        ({"cases": ["matmul-f32-nn-4x4x4 check=throughput"]}, "asks for no result"),
        ({"routed": [{"path": "gemm", "arch": "g", "mlx": "0.1"}]}, "0.1"),
        ({"fixed": "0.31"}, "unknown field `fixed`"),
    ],
)
def test_what_a_bug_cannot_be_is_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        bug(**said)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[bugs]]", "'bugs' is not known here: the file holds [[bug]] alone"),
        (TEXT + TEXT, "entry 2: the id 'mlx-1-wrong' stands twice"),
        (TEXT.replace("seen", "saw"), "entry 'mlx-1-wrong': Object contains unknown field `saw`, "),
        (
            TEXT.replace("path =", "way ="),
            "entry 'mlx-1-wrong': routed[0]: Object contains unknown field `way`, known are path, ",
        ),
    ],
)
def test_what_is_amiss_in_a_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bugs.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(EntryFileError) as caught:
        read_bugs(file)
    assert str(caught.value).startswith(f"{file}: {said}")


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "bugs.toml"
    file.write_text(TEXT, "utf-8")
    (one,) = read_bugs(file)
    assert (one.source, one.routed[0].path) == (PLAIN["link"], "gemm")


ROUTED = [one for one in shipped_bugs() if one.routed]


@pytest.mark.parametrize("one", ROUTED, ids=[one.id for one in ROUTED])
def test_each_case_goes_down_the_path_that_had_the_bug(one: Bug) -> None:
    taken = set()
    for case in one.asked(BOTH[:1]):
        paths = {
            way.path
            for way in one.routed
            if way.path
            in predict(case.problem, Gpu(way.arch), case.setting, way.mlx).path.split("+")
        }
        assert paths, case
        taken |= paths
    assert taken == {way.path for way in one.routed}


def test_a_path_is_that_of_a_gpu_which_the_bug_affects() -> None:
    for one in ROUTED:
        for way in one.routed:
            assert replace(one, mlx="").affects(Place("metal", None, way.arch, None)), one.id


def test_the_shipped_corpus_is_laid_out_to_be_found() -> None:
    bugs = read_bugs(SHIPPED)
    assert len(bugs) >= 75
    for one in bugs:
        project = one.id.split("-")[0]
        assert one.link is None or one.link.rsplit("/", 1)[-1] in one.id.split("-"), one.id
        assert project in {"mlx", "bonsai", "rmlx", "llama", "ggml", "pytorch", "metal"}


def test_no_case_of_the_shipped_corpus_stands_twice_in_a_bug() -> None:
    for one in shipped_bugs():
        cases = one.asked(BOTH[:1])
        assert len(set(cases)) == len(cases), one.id


def test_a_case_knows_its_bugs_under_any_setting() -> None:
    (case,) = parse_cases("addmm-f32-nn-3x4x0 beta=2 tf32=off", BOTH)
    assert [one.id for one in bugs_of(case)] == ["mlx-2715-addmm-beta-without-k"]
    (other,) = parse_cases("addmm-f32-nn-3x4x5 beta=2 tf32=off", BOTH)
    assert bugs_of(other) == []


def test_smoke_asks_most_bugs_of_every_backend() -> None:
    for backend in ("cpu", "metal", "cuda"):
        found = regression_cases(
            shipped_bugs(),
            backend,
            backend_dtypes(backend),
            tier="smoke",
            settings=BOTH,
            version=None,
        )
        assert len({one.id for one, _ in found}) >= 60, backend
