"""For whom does `applegpu route` predict? Its options, read and checked."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pytest

from pytest_applegpu.device.arch import newest_with_nax
from pytest_applegpu.options import BY_NAME
from pytest_applegpu.problem import MOST
from pytest_applegpu.routing.versions import NEWEST, basis_of
from pytest_applegpu.survey.asked import Whom
from pytest_applegpu.survey.gpus import Named, named_gpu


def said(chosen: argparse.Namespace, name: str) -> str | None:
    """Return what was said for one of the plugin's options, None where nothing was."""
    value: str | None = getattr(chosen, BY_NAME[name].destination)
    return value


def one_of(chosen: argparse.Namespace, name: str, allowed: Sequence[str], default: str) -> str:
    """Return the value of an option of the plugin.

    Raises:
        pytest.UsageError: it is not one of `allowed`.
    """
    value = said(chosen, name) or default
    if value not in allowed:
        raise pytest.UsageError(f"--{name}: {value!r} is not one of {', '.join(allowed)}")
    return value


def whole(name: str, text: str | None, default: int, least: int = 1) -> int:
    """Return the whole number that stands for the option `name`.

    Raises:
        pytest.UsageError: it is none, or below `least`.
    """
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and least <= int(text) <= MOST):
        allowed = f"a whole number from {least} to {MOST}"
        raise pytest.UsageError(f"--{name}: {text!r} is not {allowed}")
    return int(text)


def version_of(chosen: argparse.Namespace) -> str:
    """Return the MLX version that was asked for, or the newest whose rules are known.

    Raises:
        pytest.UsageError: it is none, or has no rules.
    """
    return known(said(chosen, "mlx") or NEWEST, "mlx")


def known(version: str, option: str) -> str:
    """Return `version`, once there are rules for it.

    Raises:
        pytest.UsageError: there are none; the message names the option.
    """
    try:
        basis_of(version)
    except ValueError as error:
        raise pytest.UsageError(f"--{option}: {error}") from None
    return version


def gpu_of(chosen: argparse.Namespace) -> Named:
    """Return the GPU that was asked for, or the newest with NAX.

    Raises:
        pytest.UsageError: the word names none.
    """
    try:
        return named_gpu(said(chosen, "arch") or newest_with_nax())
    except ValueError as error:
        raise pytest.UsageError(f"--arch: {error}") from None


def nax_of(chosen: argparse.Namespace) -> bool | None:
    """Return False where NAX is to be off, None where it is as the GPU has it.

    Raises:
        pytest.UsageError: neither on nor off.
    """
    return None if one_of(chosen, "nax", ("on", "off"), "on") == "on" else False


def whom_of(chosen: argparse.Namespace) -> Whom:
    """Return for whom is predicted where a case does not say.

    Raises:
        pytest.UsageError: an option is wrong; the message names it and what is allowed.
    """
    tf32 = one_of(chosen, "tf32", ("on", "off"), "on") == "on"
    return Whom(gpu_of(chosen).arch, version_of(chosen), tf32, nax_of(chosen))
