from __future__ import annotations

import numpy as np
import pytest

from pytest_applegpu.dtypes import DTYPES, DType
from pytest_applegpu.numerics import reference
from pytest_applegpu.numerics.reference import magnitude, product
from pytest_applegpu.numerics.rounding import widen


def operands(dtype: DType, a: tuple[int, ...], b: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    parts = [rng.standard_normal(shape) for shape in (a, b)]
    if dtype.is_complex:
        parts = [part + 1j * rng.standard_normal(part.shape) for part in parts]
    return parts[0].astype(dtype.numpy), parts[1].astype(dtype.numpy)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=list(DTYPES))
def test_product_is_the_sum_of_products(dtype: DType) -> None:
    A, B = operands(dtype, (3, 5), (5, 4))
    expected = (widen(A)[:, :, None] * widen(B)[None]).sum(axis=1)
    np.testing.assert_allclose(product(A, B), expected, rtol=1e-13)


def test_magnitude_bounds_both_parts_of_every_term() -> None:
    A, B = operands(DTYPES["complex64"], (6, 1), (1, 6))
    exact, size = product(A, B), magnitude(A, B)
    assert (np.abs(exact.real) <= size).all()
    assert (np.abs(exact.imag) <= size).all()
    assert (np.abs(A.real) * np.abs(B.real) <= size * (1 + 1e-15)).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [((4, 2, 3), (4, 3, 5)), ((4, 1, 2, 3), (3, 3, 5)), ((2, 3), (6, 3, 2)), ((2, 2, 3), (3, 1))],
)
def test_batches_one_by_one_give_what_all_at_once_gives(
    a: tuple[int, ...], b: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    A, B = operands(DTYPES["bfloat16"], a, b)
    at_once = product(A, B)
    monkeypatch.setattr(reference, "_AT_ONCE", 0)
    np.testing.assert_array_equal(product(A, B), at_once)


@pytest.mark.parametrize(("a", "b"), [((0, 3), (3, 2)), ((2, 0), (0, 2)), ((0, 2, 1), (0, 1, 4))])
def test_empty_products_have_their_shape(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    result = product(np.ones(a, np.float32), np.ones(b, np.float32))
    assert result.shape == np.matmul(np.ones(a), np.ones(b)).shape
    assert not result.any()
