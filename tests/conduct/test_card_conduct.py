"""A card is asked once, again where it is in doubt, and fails where no answer comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytest_applegpu.baselines.records import Card, Run, run_id
from pytest_applegpu.baselines.store import Shelf
from pytest_applegpu.baselines.update import gather
from pytest_applegpu.cases.case import Case, parse_cases
from pytest_applegpu.conduct.cards.card import Carded, conduct
from pytest_applegpu.problem import Problem
from pytest_applegpu.setting import Setting
from pytest_applegpu.worker.process import Crashed, TimedOut
from pytest_applegpu.worker.requests import Answer, Refusal
from tests.baselines.samples import HARDWARE, KEY, RUN

TEXT = "matmul-f32-nn-16x16x32 check=card tf32=on"

Arrays = Sequence[np.ndarray]
Multiply = Callable[[Problem, Arrays], Any]


def right(_: Problem, operands: Arrays) -> np.ndarray:
    """Multiply as NumPy does."""
    found: np.ndarray = operands[0] @ operands[1]
    return found


def cut(problem: Problem, operands: Arrays) -> np.ndarray:
    """Multiply what 11 bits keep of the operands."""
    kept = [(x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in operands]
    return right(problem, kept)


class Stand:
    """What conducting a card needs, without a worker: `multiply` answers, and is counted."""

    def __init__(self, *multiply: Multiply, update: bool = False) -> None:
        self.turns = list(multiply)
        self.backend = "stand-in"
        self.config = SimpleNamespace(timeout=1.0, update_baselines=update)
        self.pool = self
        self.cards = 0
        self.asked = 0

    def gap(self, problem: Problem) -> str | None:
        return "no float64 here" if problem.dtype.name == "float64" else None

    def no_room(self, _: Case) -> None:
        return None

    def multiply(
        self, problem: Problem, _: Setting, operands: Arrays, *, repeat: int, limit: float
    ) -> Answer | Refusal:
        assert [x.shape for x in operands] == [problem.shape_a, problem.shape_b]
        assert limit > 0
        self.asked += 1
        # The calls that are repeated come once a card, near its end.
        turn = self.turns[min(self.cards, len(self.turns) - 1)]
        self.cards += repeat > 1
        got = turn(problem, [np.ascontiguousarray(x) for x in operands])
        return got if isinstance(got, Refusal) else Answer((got,), ("same",) * repeat)


def asked(stand: Stand, shelf: Shelf | None = None, text: str = TEXT, run: Run = RUN) -> Carded:
    """Conduct the card of a case."""
    (case,) = parse_cases(text, [Setting("on")])
    return conduct(case, stand, shelf or Shelf(KEY), run)  # type: ignore[arg-type]


def stored(carded: Carded) -> Shelf:
    """Return a shelf that holds the card."""
    assert carded.facts is not None
    part = Card(run_id(RUN), carded.facts.features)
    return Shelf(KEY, ((Path("x.json"), gather(KEY, HARDWARE, [(TEXT, RUN, part)])),))


def test_without_a_stored_card_it_is_asked_once() -> None:
    stand = Stand(right)
    found = asked(stand)
    assert (found.verdict, stand.cards) == ("no stored card", 1)
    assert found.facts is not None
    assert found.facts.features["operand A"] == "24 bits"
    assert (found.facts.times, found.facts.changed, found.facts.run) == (1, (), None)


def test_one_as_stored_is_asked_once() -> None:
    stand = Stand(right)
    found = asked(stand, stored(asked(Stand(right))))
    assert (found.verdict, stand.cards) == ("as stored", 1)


def test_one_that_changed_is_asked_twice_and_said_feature_by_feature() -> None:
    stand = Stand(cut)
    now = Run(RUN.date, "0.33.0", *(getattr(RUN, name) for name in Run.__struct_fields__[2:]))
    found = asked(stand, stored(asked(Stand(right))), run=now)
    assert (found.verdict, stand.cards) == ("card changed", 2)
    assert found.facts is not None
    assert "operand A: 24 bits -> 11 bits, truncated" in found.facts.changed
    assert found.facts.likely_causes == ("MLX 0.32.4 -> 0.33.0",)
    assert found.facts.run is not None
    assert found.facts.run["mlx"] == "0.32.4"


def test_one_that_changed_once_and_not_again_is_unsteady() -> None:
    found = asked(Stand(cut, right), stored(asked(Stand(right))))
    assert found.verdict == "card unsteady"
    assert found.facts is not None
    assert "operand A: 11 bits, truncated -> 24 bits" in found.facts.changed


def test_one_that_is_to_be_stored_is_asked_twice() -> None:
    stand = Stand(right, update=True)
    found = asked(stand)
    assert (found.verdict, stand.cards) == ("no stored card", 2)
    assert found.facts is not None
    assert found.facts.times == 2
    assert asked(Stand(right, cut, update=True)).verdict == "card unsteady"


def crash(*_: object) -> None:
    """End as a worker does."""
    raise Crashed("SIGABRT", "")


def hang(*_: object) -> None:
    """Give no answer."""
    raise TimedOut


@pytest.mark.parametrize(
    ("multiply", "verdict", "said"),
    [
        (crash, "crashed", "SIGABRT"),
        (hang, "timed out", "no answer within"),
        (lambda *_: Refusal("[matmul] no", "ValueError", sticky=False), "raised", "[matmul] no"),
        (lambda p, o: right(p, o)[..., :1], "misshapen", "shape (16, 1)"),
        (lambda p, o: right(p, o).astype(np.float64), "misshapen", "float64"),
    ],
)
def test_a_card_that_cannot_be_read_fails(multiply: Multiply, verdict: str, said: str) -> None:
    stand = Stand(multiply)
    found = asked(stand)
    assert found.verdict == verdict
    assert found.facts is None
    assert found.error is not None
    assert found.error.message is not None
    assert found.error.message.startswith("matmul-f32-nn-16x16x32: ")
    assert said in found.error.message
    assert {one.word for one in found.features} == {"unknown"}
    # A worker that does not outlive a product is not asked again: each time may take a minute.
    assert stand.asked == 1 or verdict in {"raised", "misshapen"}


def test_a_second_card_that_cannot_be_read_fails_too() -> None:
    assert asked(Stand(right, crash, update=True)).verdict == "crashed"


def test_a_refused_number_of_rows_fails_and_is_named() -> None:
    def few(problem: Problem, operands: Arrays) -> Any:
        wide = problem.m == 15
        return Refusal("15?", "ValueError", sticky=False) if wide else right(problem, operands)

    found = asked(Stand(few))
    assert found.verdict == "raised"
    assert found.error is not None
    assert found.error.message == "matmul-f32-nn-15x16x32: 15?"


def test_batches_that_broadcast_are_asked_with_equal_matrices() -> None:
    found = asked(Stand(right), text="matmul-f32-nn-16x16x32-b3x1:2 check=card")
    assert found.verdict == "no stored card"
    assert found.facts is not None
    assert "unknown" not in found.facts.features.values()


def test_a_gap_of_the_backend_is_said() -> None:
    found = asked(Stand(crash), text="matmul-f64-nn-16x16x32 check=card")
    assert found.verdict == "unsupported"
    assert found.error is not None
    assert found.error.message == "no float64 here"
