"""What do operands mean? Drawn for MLX, and reduced to the product that they stand for."""
