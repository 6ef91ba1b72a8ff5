"""How are missing kernels shown to a person? By path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_applegpu.device.arch import architectures
from pytest_applegpu.survey.missing import Missing


def missing_table(found: Sequence[Missing]) -> str:
    """Return the missing kernels, those of a path together, with the smallest problem of each."""
    paths: dict[str, list[Missing]] = {}
    for one in found:
        paths.setdefault(one.path.removeprefix("copy+"), []).append(one)
    head = f"{len(found)} kernels are asked for and not there:"
    groups = ("\n".join(_lines(path, group)) for path, group in sorted(paths.items()))
    return "\n\n".join([head, *groups])


def _lines(path: str, group: Sequence[Missing]) -> Iterator[str]:
    first = min(group, key=lambda one: (len(one.words), one.words))
    asking = {arch for one in group for arch in one.architectures}
    yield f"{path}: {len(group)} kernels, on {architectures_words(asking)}"
    yield f"  smallest: applegpu route {first.words} {first.options}"
    yield from (f"  {one.kernel}" for one in group)


def architectures_words(asking: Iterable[str]) -> str:
    """Return the architectures that ask, in few words."""
    every, asking = set(architectures()), set(asking)
    return "every architecture" if asking >= every else ", ".join(sorted(asking))
