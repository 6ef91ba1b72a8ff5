"""Which faults of MLX are known, and which cases do they show in?"""
