"""A failure to post: a program that needs MLX and NumPy alone, its operands, facts and a map."""
