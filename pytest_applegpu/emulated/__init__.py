"""What would MLX's Metal kernels do to these numbers? Their arithmetic, done by NumPy.

Which kernels those are is predicted by `routing`. `core` is what a worker imports in place of
`mlx.core`; see `docs/emulated.md` for what is modelled. Nothing here was run on a Mac.
"""
