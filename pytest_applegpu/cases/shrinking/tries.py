"""Which cases were tried so far, and did each fail?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pytest_applegpu.cases.case import Case

Fails = Callable[[Case], bool | None]
"""Whether a case fails as the first one did; None where that cannot be told."""


class Spent(Exception):  # noqa: N818 - no error: the search says what it has found until then
    """No further case may be run; the text says which limit was met."""


class Tries:
    """Runs each case once, by its text, and no more than `most` of them.

    `spent` says which limit was met; empty where none was.
    """

    def __init__(self, fails: Fails, most: int) -> None:
        """Try nothing yet."""
        self._fails, self._most = fails, most
        self._known: dict[str, bool | None] = {}
        self.spent = ""

    @property
    def count(self) -> int:
        """How many cases were tried."""
        return len(self._known)

    def __call__(self, case: Case | None) -> bool | None:
        """Tell whether a case fails; None where it cannot be told, or there is no such case.

        Raises:
            Spent: no further case may be run.
        """
        if case is None:
            return None
        text = str(case)
        if text not in self._known:
            if self.count >= self._most:
                raise Spent(f"{self._most} cases were tried")
            self._known[text] = self._fails(case)
        return self._known[text]

    def known(self, case: Case | None) -> bool | None:
        """Return what was found of a case; None where it was not tried, or cannot be told."""
        return None if case is None else self._known.get(str(case))

    @contextmanager
    def until_spent(self) -> Iterator[None]:
        """Go on behind the block where a limit is met in it: what was found is told."""
        try:
            yield
        except Spent as limit:
            self.spent = str(limit)
