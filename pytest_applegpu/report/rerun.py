"""Which command runs exactly these cases again?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SHIPPED: Final = ("--pyargs", "pytest_applegpu.suites")
"""The suites as an installed wheel has them."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """How this run was started, as far as a rerun must repeat it.

    `suites` are the words that name the suites; `options` are the further options that change
    what a case does (backend, seed, interpreter), as separate words, and `choice` those that
    choose the cases (tier, dtypes, TF32).
    """

    suites: tuple[str, ...] = ("suites",)
    options: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()

    def command(self, *cases: str) -> str:
        """Return the command for a shell that runs `cases` and nothing else."""
        chosen = [word for case in cases for word in ("--applegpu-case", case)]
        return _join(("pytest", *self.suites, *chosen, *self.options))

    def plain(self, *words: str) -> str:
        """Return the command that repeats the whole run with `words` added."""
        return _join(("pytest", *self.suites, *words, *self.choice, *self.options))


def _join(words: Sequence[str]) -> str:
    return " ".join(map(_quote, words))


def _quote(word: str) -> str:
    """Quote a word for a shell; unprintable characters go into bash's and zsh's $'...'."""
    if word.isprintable():
        return shlex.quote(word)
    inside = "".join(_shell_escape(character) for character in word)
    return f"$'{inside}'"


def _shell_escape(character: str) -> str:
    if character in "'\\":
        return "\\" + character
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
