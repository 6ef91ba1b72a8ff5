"""What changes kernel between two versions."""

from __future__ import annotations

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.problem import parse_problem
from pytest_applegpu.routing.target import Gpu
from pytest_applegpu.setting import Setting
from pytest_applegpu.survey.changes import changes, changes_table, suite_problems

GPU = Gpu("applegpu_g17s")
THIN = parse_problem("matmul-f16-nt-64x64x4096")
SAME = parse_problem("matmul-f32-nn-2048x2048x2048")


def test_a_problem_that_changes_is_found_and_another_is_not() -> None:
    (found,) = changes([(THIN, Setting()), (SAME, Setting())], GPU, "0.31.2", "0.32.4")
    assert (found.problem, found.what) == (THIN, "kernels")
    assert (found.old.path, found.new.path) == ("splitk_nax", "thin_nax")
    said = found.as_json()
    assert said["problem"] == str(THIN)
    assert [one["path"] for one in (said["old"], said["new"])] == ["splitk_nax", "thin_nax"]
    assert said["new"]["launches"]


def test_another_grid_alone_is_a_change_of_launches() -> None:
    ultra = Gpu("applegpu_g17d")
    tall = parse_problem("matmul-f32-nn-4096x2048x512")
    found = changes([(tall, Setting())], ultra, "0.32.1", "0.32.4")
    assert [one.what for one in found] == ["kernels"]
    deep = parse_problem("matmul-f32-nt-64x64x2048")
    found = changes([(deep, Setting("off"))], Gpu("applegpu_g16s"), "0.30.0", "0.30.6")
    assert [one.what for one in found] == ["launches"]


def test_nothing_changes_between_a_version_and_itself() -> None:
    assert changes([(THIN, Setting())], GPU, "0.32.4", "0.32.4") == []


def test_the_table_counts_and_shows_the_smallest() -> None:
    larger = parse_problem("matmul-f16-nt-64x64x8192")
    problems = [(one, Setting()) for one in (larger, THIN)]
    table = changes_table(changes(problems, GPU, "0.31.2", "0.32.4"))
    row = table.splitlines()[-1].split()
    assert row[:5] == ["splitk_nax", "thin_nax", "float16", "kernels", "2"]
    assert row[5] == str(THIN)


def test_the_suite_has_boundaries_of_both_versions_and_timed_products() -> None:
    found = suite_problems(GPU, ("0.31.2", "0.32.4"), "smoke", ("on",), (DTYPES["float16"],))
    problems = {str(problem) for problem, _ in found}
    assert "matmul-f16-nt-2048x2048x2048" in problems
    paths = {one.new.path for one in changes(found, GPU, "0.31.2", "0.32.4")}
    assert {"thin_nax", "gemv_wide"} <= paths
    assert len(found) == len(set(found))


def test_problems_whose_dispatch_is_not_known_are_left_out() -> None:
    found = suite_problems(GPU, ("0.32.4",), "smoke", ("on",), (DTYPES["float16"],))
    packed = [one for one, _ in found if one.op == "quantized_matmul"]
    assert packed
    assert all(one.k for one in packed)
