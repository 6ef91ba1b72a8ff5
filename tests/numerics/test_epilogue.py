"""Factors, addends and masks: what is expected, what they may cost, and what goes wrong by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.dtypes import DTYPES
from pytest_applegpu.numerics.bounds import promise
from pytest_applegpu.numerics.check import judge
from pytest_applegpu.numerics.epilogue import PLAIN, Epilogue, Weights
from pytest_applegpu.numerics.finding import Finding

F32 = DTYPES["float32"]


def operands(k: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    A, B = rng.integers(-4, 5, (9, k)) * 2, rng.integers(1, 9, (k, 11))
    A[:, -1] += 1
    return A.astype(np.float32), B.astype(np.float32), rng.integers(1, 99, (9, 11)).astype(float)


def found(got: Any, epilogue: Epilogue, check: str = "exact") -> Finding:
    A, B, _ = operands()
    rng = np.random.default_rng(0)
    stored = np.asarray(got).astype(np.float32)
    return judge(check, A, B, stored, F32, promise(F32), rng, epilogue=epilogue)


A, B, C = operands()
PRODUCT = A.astype(float) @ B.astype(float)
WHOLE = Epilogue(0.5, 2 * C)
MASK = np.zeros((9, 11))
MASK[:5] = 1
MASKED = Epilogue(scale=MASK)


@pytest.mark.parametrize("check", ["exact", "projection", "bounded"])
def test_the_right_result_passes_every_check(check: str) -> None:
    assert found(WHOLE.apply(PRODUCT), WHOLE, check).passed
    assert found(MASKED.apply(PRODUCT), MASKED, check).passed


@pytest.mark.parametrize(
    ("got", "epilogue", "cause"),
    [
        (0.5 * PRODUCT, WHOLE, "the addend is ignored"),
        (0.5 * PRODUCT - 2 * C, WHOLE, "the addend is subtracted"),
        (2 * C, WHOLE, "the product is ignored, only the addend is there"),
        (PRODUCT + 2 * C, WHOLE, "alpha is ignored"),
        (0.25 * PRODUCT + 2 * C, WHOLE, "alpha is applied twice"),
        (0.5 * PRODUCT + C, WHOLE, "alpha is applied to the addend too"),
        (PRODUCT, MASKED, "the mask of the result is ignored"),
    ],
)
def test_a_wrong_epilogue_is_named(got: Any, epilogue: Epilogue, cause: str) -> None:
    assert found(got, epilogue).cause == cause


@pytest.mark.parametrize("check", ["exact", "projection"])
def test_a_fault_of_the_product_is_named_through_the_epilogue(check: str) -> None:
    lost = WHOLE.apply(A[:, :-3].astype(float) @ B[:-3].astype(float))
    assert "the last 3 elements of K" in str(found(lost, WHOLE, check).cause)


def test_an_addend_that_would_not_be_missed_is_no_proof() -> None:
    far = Epilogue(1.0, np.where(PRODUCT == 0, 0, 1e-12 * C))
    verdict = found(PRODUCT, far)
    assert (verdict.verdict, verdict.detail) == (
        "no proof",
        "dropping the addend would not be seen",
    )


def test_segments_are_asked_for_their_own_last_element() -> None:
    stack = np.stack([np.where(np.arange(40) < stop, A, 0) for stop in (40, 7, 0)])
    exact = stack.astype(float) @ B
    ends = Epilogue(last=(39, 6, -1))
    rng = np.random.default_rng(0)
    right = judge(
        "exact", stack, B, exact.astype(np.float32), F32, promise(F32), rng, epilogue=ends
    )
    assert right.verdict == "exact"
    missed = judge("exact", stack, B, exact.astype(np.float32), F32, promise(F32), rng)
    assert missed.verdict == "no proof"


def test_weights_are_allowed_their_own_roundings_and_no_more() -> None:
    weights = Weights(np.abs(B).astype(float), 2.0**-11)
    rng = np.random.default_rng(0)
    near, far = ((1 + share * weights.relative) * PRODUCT for share in (0.5, 30))
    for got, passes in ((near, True), (far, False)):
        stored = got.astype(np.float32)
        verdict = judge("bounded", A, B, stored, F32, promise(F32), rng, weights=weights)
        assert verdict.passed is passes


@given(
    st.sampled_from([1.0, -1.0, 0.5, 2.0, -0.25]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_undoing_an_epilogue_gives_the_product_back(alpha: float, added: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.integers(-999, 999, (4, 5)).astype(float)
    epilogue = Epilogue(alpha, rng.integers(-99, 99, (4, 5)).astype(float) if added else None)
    product = epilogue.undo(epilogue.apply(whole))
    assert product is not None
    np.testing.assert_array_equal(product, whole)


def test_nothing_is_undone_where_it_cannot_be() -> None:
    assert Epilogue(0.0).undo(PRODUCT) is None
    assert MASKED.undo(PRODUCT) is None
    assert PLAIN.is_plain
    assert not PLAIN.allowed(PRODUCT, 1.0).any()
