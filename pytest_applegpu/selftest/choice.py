"""Which faults were asked for? Names and groups, separated by commas."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_applegpu.selftest.faults import FAULTS, GROUPS, Fault


def out_of_reach(fault: Fault, dtypes: Iterable[str], modes: Iterable[str]) -> str | None:
    """Return why no case of a run can meet `fault`; None where one can.

    The run has the formats `dtypes`, and TF32 in `modes`: on, off or both.
    """
    if fault.formats and fault.formats.isdisjoint(dtypes):
        return f"no {' or '.join(sorted(fault.formats))} is run"
    if fault.tf32_off and "off" not in modes:
        return "nothing is run with TF32 off"
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
