"""Which settings were asked for: TF32, NAX, and architectures to force?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_applegpu.config.values import WrongError, one_of
from pytest_applegpu.device.arch import architectures, newest_with_nax
from pytest_applegpu.device.chips import chips_named
from pytest_applegpu.options import NAX_CHOICES, TF32_CHOICES
from pytest_applegpu.setting import ARCHITECTURE, Setting


def settings(tf32: str, arches: tuple[str | None, ...], nax: str) -> tuple[Setting, ...]:
    """Return every combination of TF32, architecture and NAX that was asked for.

    Raises:
        WrongError: TF32 or NAX is said as it cannot be.
    """

    def modes(name: str, value: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
        chosen = one_of(name, value, allowed)
        return ("on", "off") if chosen == "both" else (chosen,)

    return tuple(
        Setting(mode, arch, accelerators)
        for arch in arches
        for accelerators in modes("nax", nax, NAX_CHOICES)
        for mode in modes("tf32", tf32, TF32_CHOICES)
    )


def arches(text: Callable[[str], str]) -> tuple[str | None, ...]:
    """Return the architectures to force; None is the GPU's own.

    Raises:
        WrongError: one of them is none.
    """
    emulated = text("backend") == "emulated"
    if not text("arch"):
        return (shapes_for(text("shapes-for")),) if emulated else (None,)
    found: dict[str | None, None] = {}
    for word in text("arch").split(","):
        found |= dict.fromkeys(_arch(word.strip(), emulated=emulated))
    return tuple(found)


def _arch(word: str, *, emulated: bool) -> Iterable[str | None]:
    if word == "all":
        return architectures() if emulated else (None, *architectures(nax=False))
    if word == "own" and not emulated:
        return (None,)
    named = chips_named(word)
    if named:
        return (named[0].architecture,)
    if not ARCHITECTURE.fullmatch(word):
        own = "" if emulated else "own, "
        raise WrongError(
            "arch", word, f"{own}all, an architecture such as applegpu_g16s, or a chip"
        )
    return (word,)


def shapes_for(value: str) -> str:
    """Return the architecture that shapes are chosen for.

    Raises:
        WrongError: it is none.
    """
    if value == "newest":
        return newest_with_nax()
    if not ARCHITECTURE.fullmatch(value):
        raise WrongError("shapes-for", value, "newest, or an architecture such as applegpu_g17s")
    return value
