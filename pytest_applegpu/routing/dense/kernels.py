"""In which order is decided which kernels compute a product that has elements and a K?"""

from __future__ import annotations

from pytest_applegpu.routing.dense.dot import dot
from pytest_applegpu.routing.dense.gemv import gemv
from pytest_applegpu.routing.dense.gemv_wide import gemv_wide
from pytest_applegpu.routing.dense.given import Given
from pytest_applegpu.routing.dense.nax import is_thin, nax_gemm, nax_thin
from pytest_applegpu.routing.dense.product import Product
from pytest_applegpu.routing.dense.rules import RULES, DenseRules
from pytest_applegpu.routing.dense.splitk import splitk, splits
from pytest_applegpu.routing.dense.splitk_nax import splitk_nax, splits_nax
from pytest_applegpu.routing.dense.steel import steel
from pytest_applegpu.routing.launch import Tape
from pytest_applegpu.routing.target import Target


def launch_product(tape: Tape, product: Product, given: Given, target: Target) -> None:
    """Write down a product's kernels: those for vectors and few rows first, then tiled ones."""
    rules = RULES.at(target.version)
    if rules.dot and not product.adds and dot(tape, product):
        return
    if rules.gemv_wide and gemv_wide(tape, product, target.gen):
        return
    if min(product.m, product.n) == 1:
        gemv(tape, product)
        return
    _tiled(tape, product, given, target, rules)


def _tiled(tape: Tape, product: Product, given: Given, target: Target, rules: DenseRules) -> None:
    letter = target.letter
    nax = rules.nax and target.use_nax(product.dtype)
    if (rules.splitk_on_nax or not nax) and splits(tape, product, letter, rules):
        splitk(tape, product, given, rules)
    elif not nax:
        steel(tape, product, given, letter)
    elif rules.thin_nax and is_thin(tape, product):
        nax_thin(tape, product, given)
    elif splits_nax(tape, product, rules):
        splitk_nax(tape, product, given, letter, rules)
    else:
        nax_gemm(tape, product, given, letter, rules)
