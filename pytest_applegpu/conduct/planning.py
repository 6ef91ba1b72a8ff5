"""Which cases does a run have, by what was asked for and what is installed?

Nothing is started and MLX is not imported: the list is the same on a machine without a GPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import pytest
from packaging.version import Version

from pytest_applegpu.cases.cards import card_cases, card_cost, card_problems
from pytest_applegpu.cases.case import CHECKS, NUMERIC, Case, parse_cases
from pytest_applegpu.cases.plan import backend_dtypes, numeric_cases
from pytest_applegpu.cases.refusals import refusal_cases
from pytest_applegpu.cases.regressions.bug import Bug
from pytest_applegpu.cases.regressions.corpus import regression_cases, shipped_bugs
from pytest_applegpu.cases.searching.search import Space, searched
from pytest_applegpu.cases.shaped import shaped_cases
from pytest_applegpu.cases.speed import speed_cases
from pytest_applegpu.config import Config
from pytest_applegpu.device.build import Build, expected_backend, parse_version, read_build
from pytest_applegpu.device.chips import chips_named
from pytest_applegpu.device.commands import run_command
from pytest_applegpu.device.macos import read_mac
from pytest_applegpu.dtypes import DType
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.routing.versions import NEWEST, basis_of
from pytest_applegpu.setting import ARCH_VARIABLE, Setting
from pytest_applegpu.shapes.models import shapes_named
from pytest_applegpu.shapes.shapes import ShapesError

FORCED_SINCE: Final = Version("0.31.0")
"""The first MLX whose dispatch can be told to follow another architecture."""


class Plan:
    """The cases of one run, made operation by operation when they are asked for."""

    def __init__(self, config: Config) -> None:
        """Plan nothing yet."""
        self.config = config
        self._planned: dict[str, list[Case]] = {}

    def check(self) -> None:
        """Refuse what was asked for by name and cannot be.

        Raises:
            pytest.UsageError: a case's text is no case, or the backend lacks a format.
        """
        if self.config.dtypes is not None:
            _ = self.dtypes
        _ = self.chosen
        self._check_forced()
        if self.config.mlx is not None:
            self._check_version(self.config.mlx)

    def _check_version(self, version: str) -> None:
        try:
            basis_of(version)
        except ValueError as error:
            raise pytest.UsageError(f"{self.config.named('mlx')}: {error}") from None

    def _check_forced(self) -> None:
        """Refuse to force a dispatch that this backend, or this MLX, does not have.

        Raises:
            pytest.UsageError: the message names the option.
        """
        for name in ("arch", "nax"):
            forced = any(getattr(one, name) not in {None, "on"} for one in self.settings)
            if forced and self.backend in {"cpu", "cuda"}:
                said = f"{self.backend} has no Metal dispatch to direct, only metal and emulated"
                raise pytest.UsageError(f"{self.config.named(name)}: {said}")
            version = parse_version(self.build.version.value)
            if forced and self.backend == "metal" and version and version < FORCED_SINCE:
                said = f"MLX {version} does not heed {ARCH_VARIABLE}, {FORCED_SINCE} and newer do"
                raise pytest.UsageError(f"{self.config.named(name)}: {said}")

    @cached_property
    def build(self) -> Build:
        """Return the MLX installation that the workers will import."""
        return read_build(self.config.python, run_command)

    @cached_property
    def backend(self) -> str:
        """Return the backend to plan for, known without importing MLX."""
        asked = self.config.backend
        return expected_backend(self.build) if asked == "auto" else asked

    @cached_property
    def asked(self) -> list[Case] | None:
        """Return the cases that were asked for by their texts; None where none were.

        Raises:
            pytest.UsageError: a text is no case.
        """
        if not self.config.cases:
            return None
        found: dict[str, Case] = {}
        for text in self.config.cases:
            try:
                cases = parse_cases(text, self.config.settings)
            except ValueError as error:
                raise pytest.UsageError(f"{self.config.named('case')}: {text!r}: {error}") from None
            found |= {str(case): case for case in cases}
        return list(found.values())

    @cached_property
    def shaped(self) -> list[Case] | None:
        """Return the cases of the sets of shapes that were asked for; None where none were.

        Raises:
            pytest.UsageError: there is no such set, or its file is none.
        """
        if not self.config.shapes:
            return None
        try:
            sets = [shapes_named(word) for word in self.config.shapes]
        except ShapesError as error:
            raise pytest.UsageError(f"{self.config.named('shapes')}: {error}") from None
        kept = self.config.dtypes
        problems = (problem for one in sets for problem in one.problems)
        chosen = (problem for problem in problems if kept is None or problem.dtype in kept)
        return shaped_cases(chosen, self.backend, self.config.settings)

    @cached_property
    def chosen(self) -> list[Case] | None:
        """Return the cases that were asked for, by texts or in sets; None where none were.

        Raises:
            pytest.UsageError: a text is no case, or a set is none.
        """
        if self.asked is None:
            return self.shaped
        return list({str(case): case for case in (*self.asked, *(self.shaped or ()))}.values())

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Return the settings of this run, those of cases asked for by their texts included."""
        return (*self.config.settings, *(case.setting for case in self.asked or ()))

    @cached_property
    def dtypes(self) -> tuple[DType, ...]:
        """Return the formats to plan for.

        Raises:
            pytest.UsageError: one was asked for that the backend lacks.
        """
        if self.config.dtypes is None:
            return backend_dtypes(self.backend)
        have = backend_dtypes(self.backend)
        for dtype in self.config.dtypes:
            if dtype not in have:
                names = ", ".join(one.name for one in have)
                said = f"{self.backend} has no {dtype.name}, it has {names}"
                raise pytest.UsageError(f"{self.config.named('dtypes')}: {said}")
        return self.config.dtypes

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Return for whose dispatch the boundaries are sought, under both TF32 settings."""
        own = self._own_architecture()
        version = self.config.mlx or self.build.version.value or NEWEST
        gpus = [Gpu(one.dispatched(own) or own) for one in self.config.settings]
        try:
            found = [
                gpu.target(tf32=tf32, version=version) for gpu in gpus for tf32 in (True, False)
            ]
        except ValueError:  # an MLX without rules: its shapes are chosen without them
            return ()
        return tuple(dict.fromkeys(found))

    def _own_architecture(self) -> str:
        """Return the GPU's own architecture, known without MLX, or the one to choose shapes for."""
        if self.backend != "metal":
            return self.config.shapes_for
        chips = chips_named(read_mac(run_command).chip.value or "")
        return chips[0].architecture if chips else self.config.shapes_for

    def planned(self, op: str, check: str | Sequence[str] | None = None) -> list[Case]:
        """Return the cases of `op` for tests that make `check`, several, or any of numbers.

        Raises:
            pytest.UsageError: there is no such check.
        """
        checks = NUMERIC if check is None else {check} if isinstance(check, str) else {*check}
        unknown = sorted(checks - {*CHECKS})
        if unknown:
            allowed = ", ".join(CHECKS)
            raise pytest.UsageError(
                f"marker applegpu: check={unknown[0]!r} is not one of {allowed}"
            )
        cases = self.chosen if self.chosen is not None else self._plan(op)
        return [case for case in cases if case.problem.op == op and case.check in checks]

    def corpus(self) -> list[tuple[Bug, Case]]:
        """Return the cases of public bugs; none where cases were asked for by text or in sets."""
        if self.chosen is not None:
            return []
        found = regression_cases(
            shipped_bugs(),
            self.backend,
            self.dtypes,
            tier=self.config.tier,
            settings=self.config.settings,
            version=parse_version(self.build.version.value),
        )
        return list(found)

    def searched(self) -> list[Case]:
        """Return the cases of a search; none where cases were asked for by text or in sets."""
        if self.chosen is not None or not self.config.search:
            return []
        space = Space(self.backend, self.dtypes, self.config.settings, self.targets)
        return searched(space, self.config.seed, self.config.search)

    def _plan(self, op: str) -> list[Case]:
        if op not in self._planned:
            config, backend, dtypes = self.config, self.backend, self.dtypes
            cards = card_problems(op, dtypes, backend, config.tier)
            self._planned[op] = [
                *numeric_cases(
                    op,
                    backend,
                    dtypes,
                    tier=config.tier,
                    seed=config.seed,
                    settings=config.settings,
                    targets=self.targets,
                    # Two settings are the rule, as for the numeric cases.
                    reserved=2 * sum(card_cost(problem, backend) for problem in cards),
                ),
                *refusal_cases(op, dtypes, config.settings),
                *card_cases(cards, config.settings),
                *speed_cases(op, backend, dtypes, config.tier, config.settings),
            ]
        return self._planned[op]
