"""Numeric correctness and throughput of MLX matrix multiplication, per chip."""

__version__ = "0.1.0"
