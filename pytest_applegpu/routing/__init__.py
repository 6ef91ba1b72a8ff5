"""Which kernels will MLX launch for this problem, on this GPU, in this MLX version?

Written from recordings of MLX's own dispatch (see `docs/routing.md`); MLX itself is not asked,
and nothing here was run on a Mac. `predict` is the way in.
"""

from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu

__all__ = ["Gpu", "predict"]
