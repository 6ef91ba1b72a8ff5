"""Which faults does MLX's dispatch itself have? Found without a GPU, from predicted launches."""
