"""Which operands and parameters has each operation of MLX, and how is it called?"""
