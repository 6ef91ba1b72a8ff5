"""Which GPU, operating system and MLX build is this, and in what condition?"""
