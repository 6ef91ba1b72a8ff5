"""The child side: it multiplies what it is told to, in a process of its own.

`serve.py` loads it by its path, under a name of its own, so it works in an interpreter where the
product is not installed: it needs the standard library, NumPy and MLX, and nothing else. In MLX's
place it takes a module that is named to it, which offers the same names. It decides nothing: it
takes operands from shared memory, calls MLX by its public names (looked up at each call, so that a
patched MLX is what gets run) and hands back bytes, seconds or the error.

Requests and replies are JSON, one a line, over two pipes. See `process.py` for the parent.
"""

from .program import main

__all__ = ["main"]
