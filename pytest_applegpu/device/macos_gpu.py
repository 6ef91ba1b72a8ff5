"""How many cores has the GPU of this Mac? MLX does not say; ioreg does, then system_profiler.

One name covers several counts (M3 Max: 30 or 40), so a count is taken only where it is printed,
never from the name. Written from recorded outputs; not run on a Mac.
"""

from __future__ import annotations

import json
import plistlib
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from xml.parsers.expat import ExpatError

from pytest_applegpu.device.commands import Commands
from pytest_applegpu.device.facts import Fact, first_known, unknown

IOREG: Final = ("ioreg", "-r", "-d", "1", "-w", "0", "-c", "AGXAccelerator")
IOREG_PLIST: Final = (*IOREG, "-a")
DISPLAYS: Final = ("system_profiler", "SPDisplaysDataType", "-json")

_MOST_CORES: Final = 1024
_PLIST_TROUBLE: Final = (
    plistlib.InvalidFileException,
    ExpatError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    OverflowError,
    RecursionError,
    struct.error,
)
_IOREG_LINE: Final = re.compile(r'^[\s|]*"(gpu-core-count|model)" = (.*?)\s*$')
_QUOTED: Final = re.compile(r'^<?"([^"]*)">?$')
_HEX: Final = re.compile(r"^<((?:[0-9a-f]{2})+)>$")


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU that a command lists: its model and its number of cores, where printed."""

    model: str | None
    cores: int | None


def gpu_cores(commands: Commands, model: str | None) -> Fact[int]:
    """Return the cores of the GPU called `model` (None: of the only one there is).

    The ways are tried in order, each only when those before it told nothing.
    """
    ways: tuple[tuple[tuple[str, ...], Callable[[str], tuple[Gpu, ...]]], ...] = (
        (IOREG_PLIST, parse_ioreg_plist),
        (IOREG, parse_ioreg_text),
        (DISPLAYS, parse_displays),
    )
    asked: list[Fact[int]] = []
    for argv, parse in ways:
        answer = commands(argv)
        source = answer.text or " ".join(argv)
        found = parse(answer.stdout)
        asked.append(choose(found, model, source, answer.complaint))
        if asked[-1].known:
            return asked[-1]
    return first_known(*asked)


def choose(found: tuple[Gpu, ...], model: str | None, source: str, trouble: str = "") -> Fact[int]:
    """Return the count on which all entries of `model` agree."""
    counted = [gpu for gpu in found if gpu.cores is not None]
    fitting = [gpu for gpu in counted if model is None or gpu.model in {None, model}]
    named = [gpu for gpu in fitting if gpu.model is not None]
    counts = sorted({gpu.cores for gpu in named or fitting if gpu.cores is not None})
    if len(counts) == 1:
        return Fact(counts[0], source)
    if counts:
        return unknown(source, f"several GPUs disagree: {', '.join(map(str, counts))} cores")
    if counted:
        models = ", ".join(sorted({str(gpu.model) for gpu in counted}))
        return unknown(source, f"lists {models}, not {model}")
    return unknown(source, trouble or "no core count in its answer")


def parse_ioreg_plist(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in the property list of `ioreg -a`; empty for what is no property list."""
    start = text.find("<?xml")
    if start < 0:
        return ()
    try:
        data = text[start:].encode("utf-8", errors="replace")
        tree = plistlib.loads(data, fmt=plistlib.FMT_XML)
    except _PLIST_TROUBLE:
        return ()
    return tuple(_entry(node) for node in _dicts(tree) if "gpu-core-count" in node)


def parse_ioreg_text(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in ioreg's own text form, one for each `+-o` header (or without any)."""
    parts = re.split(r"^[\s|]*\+-o ", text, flags=re.MULTILINE)
    found = []
    for part in parts:
        lines = (_IOREG_LINE.match(line) for line in part.splitlines())
        pairs = {line[1]: line[2] for line in lines if line}
        if "gpu-core-count" in pairs:
            found.append(Gpu(_text_model(pairs.get("model", "")), _text_count(pairs)))
    return tuple(found)


def parse_displays(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs that system_profiler lists, as JSON or as text."""
    start = text.find("{")
    if start < 0:
        return _displays_text(text)
    try:
        tree = json.loads(text[start:])
    except (ValueError, RecursionError):
        return ()
    listed = tree.get("SPDisplaysDataType") if isinstance(tree, dict) else None
    items = listed if isinstance(listed, list) else []
    return tuple(
        Gpu(_plain(item.get("sppci_model") or item.get("_name")), _count(item.get("sppci_cores")))
        for item in items
        if isinstance(item, dict)
    )


def _displays_text(text: str) -> tuple[Gpu, ...]:
    found = []
    for part in re.split(r"^\s*Chipset Model:", text, flags=re.MULTILINE)[1:]:
        model = part.splitlines()[0] if part else ""
        cores = re.search(r"^\s*Total Number of Cores: *([0-9]{1,6})", part, flags=re.MULTILINE)
        found.append(Gpu(_plain(model), _count(cores[1]) if cores else None))
    return tuple(found)


def _dicts(tree: object) -> Iterator[dict[object, object]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _entry(node: dict[object, object]) -> Gpu:
    return Gpu(_plain(node.get("model")), _count(node.get("gpu-core-count")))


def _text_model(text: str) -> str | None:
    quoted, data = _QUOTED.match(text), _HEX.match(text)
    if quoted:
        return _plain(quoted[1])
    return _plain(bytes.fromhex(data[1])) if data else None


def _text_count(pairs: dict[str, str]) -> int | None:
    text = pairs["gpu-core-count"]
    data = _HEX.match(text)
    return _count(bytes.fromhex(data[1])) if data else _count(text)


def _plain(value: object) -> str | None:
    """Return a model name; ioreg gives some as bytes that end in NUL."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace").rstrip("\0")
    return value.strip() or None if isinstance(value, str) else None


def _count(value: object) -> int | None:
    """Return a believable number of cores from an integer, its text, or little-endian bytes."""
    if isinstance(value, bytes):
        value = int.from_bytes(value, "little")
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,6}", value.strip()):
        value = int(value.strip())
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value <= _MOST_CORES else None
