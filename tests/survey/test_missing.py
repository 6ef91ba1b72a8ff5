"""Kernels that are asked for and not in a library."""

from __future__ import annotations

import pytest

from pytest_applegpu.survey.asked import Whom, asked_line, asked_words
from pytest_applegpu.survey.drafts import Draft
from pytest_applegpu.survey.enumeration import SHARES, calls, crossed
from pytest_applegpu.survey.fields import OPERATIONS
from pytest_applegpu.survey.missing import Check, check, targets_of
from pytest_applegpu.survey.missing_table import missing_table

COUNT = 600


class Everything(frozenset[str]):
    """A library that has every kernel but those whose names hold a word."""

    word: str

    def __contains__(self, name: object) -> bool:
        return self.word not in str(name)


def lacking(word: str) -> Everything:
    """Return a library without kernels that have `word` in their names."""
    made = Everything()
    made.word = word
    return made


@pytest.fixture(scope="module")
def thin() -> Check:
    """What is found where the library has no thin kernels."""
    return check(lacking("_thin_nax_nt_float16_"), "0.32.4", nax=True, count=COUNT, seed=0)


@pytest.fixture
def uncrossed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask only what is drawn."""
    monkeypatch.setattr("pytest_applegpu.survey.missing.crossed", lambda *_: ())


@pytest.mark.usefixtures("uncrossed")
def test_nothing_is_missing_where_all_is_there() -> None:
    found = check(lacking("nowhere"), "0.32.4", nax=True, count=COUNT, seed=0)
    assert found.missing == ()
    assert found.calls == COUNT
    assert found.kernels > 200


def test_a_missing_kernel_is_found_with_a_small_problem_that_asks_for_it(thin: Check) -> None:
    names = {one.kernel for one in thin.missing}
    assert "steel_gemm_thin_nax_nt_float16_um2_un2_sm1_sn1_ks4" in names
    for one in thin.missing:
        assert "_thin_nax_nt_float16_" in one.kernel
        assert {"applegpu_g17s", "applegpu_g18g"} <= set(one.architectures)
        assert "applegpu_g16s" not in one.architectures


def test_the_words_of_a_finding_ask_for_its_kernel(thin: Check) -> None:
    for one in thin.missing:
        whom = Whom(one.target.arch, "0.32.4", one.target.tf32, one.target.nax or None)
        route = asked_words([one.words], whom).route
        assert one.kernel in {launch.kernel for launch in route.launches}
        assert one.kernel in one.as_json()["kernel"]


def test_the_smallest_problem_cannot_be_made_smaller(thin: Check) -> None:
    smallest = min(one.draft.sizes["m"] * one.draft.sizes["n"] for one in thin.missing)
    assert smallest <= 40


@pytest.mark.usefixtures("uncrossed")
def test_a_build_without_nax_is_not_asked_for_it() -> None:
    assert not any(target.nax for target in targets_of("0.32.4", nax=False))
    found = check(lacking("_nax"), "0.32.4", nax=False, count=COUNT, seed=0)
    assert found.missing == ()


def test_the_table_groups_by_path_and_gives_a_command(thin: Check) -> None:
    said = missing_table(thin.missing)
    assert said.startswith(f"{len(thin.missing)} kernels are asked for and not there:")
    assert "thin_nax: " in said
    assert "smallest: applegpu route " in said
    assert " --mlx 0.32.4" in said


def test_calls_are_the_same_for_the_same_seed_and_cover_every_operation() -> None:
    first, again, other = (list(calls("0.32.4", 200, seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert {one.op for one in first} == set(OPERATIONS) == set(SHARES)
    assert sum(SHARES.values()) == 100


def test_every_call_is_one_that_can_be_asked() -> None:
    whom = Whom("applegpu_g17s", "0.32.4")
    for draft in calls("0.32.4", 400, 3):
        assert asked_line(draft.line(), whom).route.path


def test_one_bit_weights_are_asked_of_versions_that_have_them() -> None:
    def bits(mlx: str) -> set[int]:
        drafts = (one for one in calls(mlx, 2000, 0) if one.op == "quantized_matmul")
        return {one.choices["format"][2] for one in drafts}

    assert 1 in bits("0.32.4")
    assert 1 not in bits("0.32.2")


def test_a_call_is_crossed_with_every_format_and_transpose() -> None:
    draft = next(one for one in calls("0.32.4", 100, 0) if one.op == "matmul")
    found = {(one.choices["dtype"], one.choices["transpose"]) for one in crossed(draft, "0.32.4")}
    assert len(found) == 16


def test_the_shapes_of_a_draft() -> None:
    choices = {"dtype": "float16", "transpose": "nt", "layouts": ("pad:8", "step"), "shared": True}
    line = Draft("matmul", {"m": 2, "n": 3, "k": 4, "batch": 5}, choices).line()
    assert line == {
        "op": "matmul",
        "dtype": "float16",
        "a_shape": [5, 2, 4],
        "b_shape": [4, 3],
        "transpose_a": False,
        "a_layout": "pad:8",
        "transpose_b": True,
        "b_layout": "step",
    }
