"""The suites: what is proved of MLX's matrix multiplication, and timed."""
