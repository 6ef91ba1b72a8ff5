"""Which calls must MLX refuse, and how is a right call spoilt into one?"""
