"""The recording side: it runs inside the program, needs the standard library, and decides nothing.

It is loaded by its path, so that the product need not be installed where the program runs.
"""

from .watch import begin

__all__ = ["begin"]
