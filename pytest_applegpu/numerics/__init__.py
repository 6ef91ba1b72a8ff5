"""Is a matrix product right, how far off is it, and what does the pattern of errors say?

Pure NumPy: no MLX, no pytest, no reading or writing. `check.judge` is the way in; `fills.make`
draws the operands that it judges.
"""
