"""Which faults were asked for, by names and groups, and which of them can a run meet?"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_applegpu.selftest.faults import FAULTS, GROUPS, Fault


@dataclass(frozen=True, slots=True)
class Reach:
    """What a run has that a fault can be met by.

    Attributes:
        dtypes: names of its formats.
        modes: TF32 on, off or both.
        ops: operations that its backend has and that are planned.
        checks: which checks are planned of which operation, as pairs.
        routed: whether the routes of products are known, so that no bit may differ.
    """

    dtypes: frozenset[str]
    modes: frozenset[str]
    ops: frozenset[str]
    checks: frozenset[tuple[str, str]]
    routed: bool

    def lacks(self, fault: Fault) -> str | None:
        """Return why no case can meet `fault`; None where one can."""
        if fault.op not in self.ops:
            return f"no {fault.op} is run"
        if fault.formats and fault.formats.isdisjoint(self.dtypes):
            return f"no {' or '.join(sorted(fault.formats))} is run"
        if fault.tf32_off and "off" not in self.modes:
            return "nothing is run with TF32 off"
        if fault.checks and self.checks.isdisjoint((fault.op, one) for one in fault.checks):
            return f"no case is checked by {' or '.join(fault.checks)}"
        if fault.routed and not self.routed:
            return "the routes of this backend are not known, nor which bits are to be equal"
        return None


def chosen_faults(text: str) -> list[Fault]:
    """Return the faults that `text` names, in the order of the table; all means every one.

    Raises:
        ValueError: a word is neither a fault nor a group; the message lists what there is.
    """
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in {"all", *GROUPS, *FAULTS}:
            raise ValueError(
                f"{word!r} is not all, one of the groups {', '.join(GROUPS)}, "
                f"nor one of the faults {', '.join(FAULTS)}"
            )
    return [fault for fault in FAULTS.values() if {"all", fault.group, fault.name} & set(words)]
