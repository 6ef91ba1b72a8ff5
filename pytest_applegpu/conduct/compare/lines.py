"""How is a comparison said in JSON? One object; speed-ups as in the tables, times in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from pytest_applegpu.conduct.compare.groups import Pass, by_group, by_route, group_of
from pytest_applegpu.conduct.compare.product import Compared
from pytest_applegpu.conduct.compare.run import Comparison
from pytest_applegpu.conduct.speed import Ended
from pytest_applegpu.throughput.paired import Geometric


def comparison_json(found: Comparison) -> dict[str, Any]:
    """Return the comparison as one object; `sides` names both, the first one first everywhere."""
    return {
        "device": found.device,
        "backend": found.backend,
        "switch": found.toggle.switch,
        "sides": list(found.toggle.names),
        "settings": [one.as_json() for one in found.toggle.settings],
        "null": found.null,
        "products": [_product(one) for one in found.products],
        "routes": _means(by_route(found.products)),
        "groups": _means(by_group(found.products)),
        "passes": [_pass(one) for one in found.passes],
    }


def _product(one: Compared) -> dict[str, Any]:
    bits, time = one.numbers.bits, one.paired
    return {
        "case": one.case.data,
        "group": group_of(one.case.problem),
        "routes": [route or None for route in one.routes],
        "bits": bits
        and {
            "identical": bits.identical,
            "differing": bits.differing,
            "total": bits.total,
            "ulp": bits.ulp,
            "misfit": bits.misfit,
        },
        "errors": [finite(error) for error in one.numbers.errors],
        "verdicts": [word or None for word in one.numbers.verdicts],
        "time": time
        and {
            "seconds": [time.seconds, time.other_seconds],
            **_speed_up(time.ratio, time.low, time.high),
            "spread": time.spread,
            "count": time.count,
            "rounds": time.rounds,
        },
        "unstable": one.doubt or None,
        "ended": [one.time.verdict, one.time.message] if isinstance(one.time, Ended) else None,
    }


def finite(value: float | None) -> float | None:
    """Return the value, or None for what JSON has no number for."""
    return value if value is not None and isfinite(value) else None


def _speed_up(ratio: float, low: float, high: float) -> dict[str, float]:
    return {"speed_up": 1 / ratio, "low": 1 / high, "high": 1 / low}


def _means(means: Mapping[str, Geometric]) -> list[dict[str, Any]]:
    return [
        {"name": name, "products": one.cases, **_speed_up(one.ratio, one.low, one.high)}
        for name, one in means.items()
    ]


def _pass(one: Pass) -> dict[str, Any]:
    whole = one.whole
    both = (whole.seconds, whole.other_seconds) if whole else ()
    return {
        "set": one.name,
        "phase": one.phase or None,
        "tokens": one.tokens or None,
        "seconds": list(both) or None,
        "tokens_per_second": [one.tokens / each for each in both] if one.tokens and both else None,
        **(_speed_up(whole.ratio, whole.low, whole.high) if whole else {}),
        "products": [
            {
                "case": str(shape.problem),
                "part": shape.part,
                "count": shape.count,
                "shares": list(shares),
            }
            for (shape, _), shares in zip(one.timed, _shares(one), strict=True)
        ],
        "untimed": [
            {"case": str(shape.problem), "part": shape.part, "count": shape.count}
            for shape in one.untimed
        ],
    }


def _shares(one: Pass) -> list[tuple[float, float]]:
    whole = one.whole
    return list(zip(whole.shares, whole.other_shares, strict=True)) if whole else []
