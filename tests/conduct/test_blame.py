"""A failed case runs elsewhere on the same numbers, and every ending there is a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct import numbers
from pytest_applegpu.conduct.bench import Bench
from pytest_applegpu.conduct.failures.blame import blamed
from pytest_applegpu.conduct.failures.failing import Failing
from pytest_applegpu.conduct.numbers import Numbers
from pytest_applegpu.conduct.planning import Plan
from pytest_applegpu.conduct.start import start
from pytest_applegpu.config import Config, read_config
from pytest_applegpu.report.records import BlameFacts, ErrorFacts
from pytest_applegpu.selftest.run import environment
from pytest_applegpu.setting import Setting

PADDED = "matmul-f32-nn-9x8x7 a=pad:3 fill=normal tf32=on"


def case(text: str = PADDED) -> Case:
    return parse_cases(text, [Setting()])[0]


def config(backend: str = "cpu", **said: str) -> Config:
    found = {"backend": backend, "timeout": "20", **said}
    return read_config(lambda option: found.get(option.name), Path("/"), Path("/"))


@pytest.fixture
def bench(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Return a bench whose workers have the fault that the test names."""
    for name, said in environment({}, request.param, "cpu").items():
        monkeypatch.setenv(name, said)
    started = start(config(), Plan(config()))
    yield started
    started.pool.close()


def verdicts(facts: tuple[BlameFacts, ...]) -> Mapping[str, str | None]:
    return {one.where: one.verdict for one in facts}


@pytest.mark.parametrize("bench", ["offset_ignored"], indirect=True)
def test_a_copy_is_right_where_the_view_is_read_wrongly(bench: Bench) -> None:
    assert numbers.conduct(case(), bench).verdict == "over"
    found = blamed(case(), bench)
    assert verdicts(found) == {"with TF32 off": "over", "on a contiguous copy": "within"}


@pytest.mark.parametrize("bench", ["abort"], indirect=True)
def test_a_crash_elsewhere_is_a_verdict(bench: Bench) -> None:
    found = blamed(case(), bench)
    assert verdicts(found) == {"with TF32 off": "crashed", "on a contiguous copy": "crashed"}
    assert "SIGABRT" in str(found[0].note)


@pytest.mark.parametrize("bench", ["negated"], indirect=True)
def test_the_cpu_backend_is_asked_on_the_same_numbers(bench: Bench) -> None:
    # What runs here passes for a GPU's; workers that start from now on have no fault.
    clean = {name: said for name, said in bench.environment.items() if "SELFTEST" not in name}
    gpu = replace(bench, device=replace(bench.device, backend="cuda"), environment=clean)
    found = verdicts(blamed(case("matmul-f32-nn-9x8x7 fill=normal tf32=off"), gpu))
    assert found == {"on the CPU backend": "within"}


@pytest.mark.parametrize("bench", ["none"], indirect=True)
def test_a_place_where_no_worker_starts_is_not_run(bench: Bench) -> None:
    spoilt = dict(bench.environment) | {"PYTHONHOME": "/nowhere"}
    gpu = replace(bench, device=replace(bench.device, backend="cuda"), environment=spoilt)
    (found,) = blamed(case("matmul-f32-nn-9x8x7 fill=normal tf32=off"), gpu)
    assert (found.where, found.verdict) == ("on the CPU backend", None)
    assert "did not start" in str(found.note)


def test_other_architectures_are_asked_where_dispatch_can_be_directed() -> None:
    asked = config("emulated", arch="applegpu_g17s")
    emulated = start(asked, Plan(asked))
    try:
        one = case("matmul-f32-nn-64x64x64 fill=normal tf32=on arch=applegpu_g17s")
        found = verdicts(blamed(one, emulated))
    finally:
        emulated.pool.close()
    assert found == {
        "with TF32 off": "within",
        "as applegpu_g16s": "within",
        "as applegpu_g16g": "within",
    }


class _Unused:
    """Stands for a bench that nothing may be asked of."""


@pytest.mark.parametrize(
    "found",
    [
        Numbers("within"),
        Numbers("no proof", ErrorFacts(message="dropping K would not be seen")),
        Numbers("unsupported"),
        Numbers("over", ErrorFacts(cause="not repeatable: the same call was right")),
    ],
)
def test_what_no_other_place_tells_more_of_is_left_alone(found: Numbers) -> None:
    unused: Bench = _Unused()  # type: ignore[assignment]
    assert Failing(config()).explained(case(), unused, found) == found


def test_none_is_run_where_none_is_asked_for() -> None:
    unused: Bench = _Unused()  # type: ignore[assignment]
    wrong = Numbers("over", ErrorFacts(share=9.0))
    assert Failing(config(blame="0")).explained(case(), unused, wrong) == wrong
