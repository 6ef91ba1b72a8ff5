"""Subnormals, order, rows, calls and complex products; and a card of everything at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics.card import alike
from pytest_applegpu.numerics.card.ask import Ask, UnansweredError
from pytest_applegpu.numerics.card.complexes import complexes
from pytest_applegpu.numerics.card.modes import ZERO
from pytest_applegpu.numerics.card.questions import features
from pytest_applegpu.numerics.card.subnormals import read, subnormals
from tests.numerics.arithmetics import Arithmetic, ask, halves, long

ALL = ("operand A", "operand B", "products", "sums")


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
@pytest.mark.parametrize(
    ("flushes", "flushed"),
    [
        ((), ()),
        (("operands",), ALL[:2]),
        (("results",), ALL[2:]),
        (("operands", "results"), ALL),
    ],
)
def test_subnormals(dtype: DType, flushes: tuple[str, ...], flushed: tuple[str, ...]) -> None:
    bits = max(24, dtype.significand)
    lines = subnormals(ask(Arithmetic(dtype, bits=bits, flushes=flushes)))
    words = {one.name.removeprefix("subnormal "): one.word for one in lines}
    assert words == {name: "flushed" if name in flushed else "kept" for name in ALL}


def test_a_subnormal_that_is_neither_kept_nor_flushed_is_unknown() -> None:
    assert read("sums", np.array([1.0, 0.0]), 1.0, "x").word == "unknown"


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_the_order_of_terms_matters_where_sums_are_rounded(dtype: DType) -> None:
    bits = max(24, dtype.significand)
    assert alike.order(ask(Arithmetic(dtype, bits=bits))).word == "matters"
    assert alike.order(ask(Arithmetic(dtype, bits=bits, order=halves))).word == "matters"


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_it_does_not_where_they_are_exact(dtype: DType) -> None:
    assert alike.order(ask(Arithmetic(dtype, bits=53, order=long))).word == "does not matter"


@pytest.mark.parametrize(
    ("rows_at", "word"),
    [(None, "alike"), (2, "1 | 2 15 16 64"), (16, "1 2 15 | 16 64"), (64, "1 2 15 16 | 64")],
)
def test_rows_that_are_multiplied_otherwise_among_more(rows_at: int | None, word: str) -> None:
    assert alike.rows(ask(Arithmetic(rows_at=rows_at), n=2)).word == word


@pytest.mark.parametrize(("shaky", "word"), [(False, "alike"), (True, "5 of 10 alike")])
def test_calls_that_differ(shaky: bool, word: str) -> None:
    assert alike.calls(ask(Arithmetic(shaky=shaky))).word == word


@pytest.mark.parametrize(("three", "word"), [(True, "three"), (False, "four")])
def test_complex_products(three: bool, word: str) -> None:
    (found,) = complexes(ask(Arithmetic(DTYPES["complex64"], three=three)))
    assert found.word == f"{word} real products"


def test_real_formats_have_no_complex_products() -> None:
    assert complexes(ask(Arithmetic())) == []


def test_a_card_of_everything() -> None:
    machine = Arithmetic(operand_bits=11, operand_mode=ZERO)
    found = {one.name: one for one in features(ask(machine, n=8))}
    assert {name: one.word for name, one in found.items()} == {
        "operand A": "11 bits, truncated",
        "operand B": "11 bits, truncated",
        "products": "exact",
        "accumulator": "24 bits",
        "rounding of sums": "nearest, ties to even",
        "extra bits": "6 or more",
        "terms fused": "1",
        "rounding of results": "none",
        "subnormal operand A": "kept",
        "subnormal operand B": "kept",
        "subnormal products": "kept",
        "subnormal sums": "kept",
        "order of terms": "matters",
        "rows 1 2 15 16 64": "alike",
        "10 calls": "alike",
    }
    assert all(one.evidence for one in found.values())


class Library:
    """NumPy's own product: some BLAS, with blocks, lanes and threads that nobody wrote down."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return A B."""
        result: np.ndarray = np.matmul(a, b)
        return result

    def repeat(self, a: np.ndarray, b: np.ndarray, times: int) -> list[bytes]:
        """Return the bytes of each call."""
        return [self.multiply(a, b).tobytes() for _ in range(times)]


@pytest.mark.parametrize(("m", "n", "k"), [(64, 64, 64), (32, 32, 512), (1, 64, 256)])
@pytest.mark.parametrize(("name", "bits"), [("float32", 24), ("float64", 53)])
def test_a_library_whose_order_of_terms_is_not_known(
    name: str, bits: int, m: int, n: int, k: int
) -> None:
    found = {one.name: one.word for one in features(Ask(DTYPES[name], m, n, k, (), Library()))}
    assert found["operand A"] == found["operand B"] == found["accumulator"] == f"{bits} bits"
    assert found["rounding of sums"] == "nearest, ties to even"
    assert found["terms fused"] == "1"


class Silent(Arithmetic):
    """Gives no answer to any product."""

    def multiply(self, *_: np.ndarray) -> np.ndarray:
        """Raise."""
        raise UnansweredError("crashed: the worker ended with SIGABRT")


def test_no_answer_is_told_in_every_line_and_ends_nothing() -> None:
    machine = Silent()
    found = features(Ask(machine.dtype, 1, 8, 32, (), machine))
    unanswered = [one for one in found if one.word == "unknown"]
    assert {one.evidence for one in unanswered} == {"crashed: the worker ended with SIGABRT"}
    assert len(found) - len(unanswered) == 1  # the calls, which do not ask for a product


def test_overflowing_sums_are_told_as_such() -> None:
    class Overflowing(Arithmetic):
        def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            got = super().multiply(a, b)
            return np.where(np.abs(a).max() > 2.0**14, np.float16(np.nan), got)

    machine = Overflowing(DTYPES["float16"])
    words = {one.name: one for one in features(ask(machine, m=8, n=1))}
    assert words["accumulator"].word == "unknown"
    assert "not finite" in words["accumulator"].evidence


def test_equal_lines_with_different_products_are_not_taken_for_one_answer() -> None:
    class Uneven(Arithmetic):
        def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            got = super().multiply(a, b).copy()
            got[..., -1, :] *= 2
            return got

    found = {one.name: one for one in features(ask(Uneven(), m=2, n=16))}
    assert found["accumulator"].word == "unknown"
    assert "equal lines of a matrix" in found["accumulator"].evidence


def test_equal_matrices_of_a_batch_with_different_products_neither() -> None:
    class Uneven(Arithmetic):
        def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            got = super().multiply(a, b).copy()
            got[-1] *= 2
            return got

    question = replace(ask(Uneven()), batch=(2,))
    with pytest.raises(UnansweredError, match="equal matrices of a batch"):
        question.product(np.ones((1, 32)), np.ones((32, 16)))


def test_a_question_keeps_to_what_its_format_holds() -> None:
    with pytest.raises(ValueError, match="float16 does not hold"):
        ask(Arithmetic(DTYPES["float16"])).stored(np.array([[2.0**20]]))
