"""Numeric correctness and throughput of MLX matrix multiplication, per chip.

PYTEST_DONT_REWRITE: no assertion here is a test's, and a run inside a test has it loaded already.
"""

__version__ = "0.1.0"
