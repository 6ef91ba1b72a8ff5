"""Is a large product of integers right, without computing it?

For integers, C r = A (B r) holds exactly in float64 as long as magnitudes stay under 2**53
(R. Freivalds, Probabilistic machines can use less running time, IFIP 1977). It costs
O(MN + MK + KN). r is drawn from -4 to 4 without 0, so a single wrong element in a row always
shows; several that cancel against this r do so with probability at most 1/8. What is no integer
(a last bit flipped, NaN, Inf) is looked for element by element, since its error may be too small
for the sum. Only rows that disagree are then recomputed in full.

With every integer fill |C| <= 2**24 (float64: 2**36), so 4 N |C| <= 2**53 for N up to 2**15.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from pytest_applegpu.dtypes import DType
from pytest_applegpu.numerics.compare import compare_exact
from pytest_applegpu.numerics.finding import Finding
from pytest_applegpu.numerics.rounding import Array, widen
