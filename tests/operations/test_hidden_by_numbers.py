"""What a mask of numbers hides is finite: 0 times NaN may be NaN, or the block is left out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_applegpu.operations.draw import draw
from pytest_applegpu.operations.masked import spread
from pytest_applegpu.problem import parse_problem


@given(st.integers(0, 2**32), st.sampled_from(("l", "r", "lr", "olr")))
def test_no_special_value_lies_where_a_number_hides_it(seed: int, masks: str) -> None:
    said = f"block_masked_mm-f32-nn-70x200x70 block=32 kind=float masks={masks}"
    problem = parse_problem(said)
    rng = np.random.Generator(np.random.Philox(seed))
    drawn = draw(problem, "special", problem.dtype.significand, rng, proven=False)
    sent = dict(zip((one.name for one in problem.operands), drawn.sent, strict=True))
    for name, mask in (("a", "mask_lhs"), ("b", "mask_rhs")):
        if mask in sent:
            hidden = spread(sent[mask], 32, sent[name].shape) == 0
            assert np.isfinite(sent[name][hidden]).all()
