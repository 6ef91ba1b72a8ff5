"""What is asked, of whom? A line of the recordings, a problem's text, or NAME=VALUE words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from pytest_applegpu.cases.case import parse_cases
from pytest_applegpu.problem import Problem, parse_problem
from pytest_applegpu.routing.calls import Call
from pytest_applegpu.routing.decide import route_of
from pytest_applegpu.routing.launch import Route
from pytest_applegpu.routing.lines import call_of, target_of
from pytest_applegpu.routing.problems import predict
from pytest_applegpu.routing.target import Gpu, Target
from pytest_applegpu.setting import Setting
from pytest_applegpu.survey.fields import OPERATIONS, completed, fields_of

Line = dict[str, Any]

PROBLEM: Final = "problem"
"""The field of a line that holds a problem's text, where other fields cannot say all of it."""

_PLAIN: Final = frozenset({"plain", "vec"})


@dataclass(frozen=True, slots=True)
class Whom:
    """For whom is predicted where a case does not say; `nax` None or True: as the GPU has it."""

    arch: str
    mlx: str
    tf32: bool = True
    nax: bool | None = None

    def fields(self) -> Line:
        """Return the fields of a line that say so."""
        return {"mlx": self.mlx, "arch": self.arch, "tf32": self.tf32}

    @property
    def target(self) -> Target:
        """Whom the dispatch follows.

        Raises:
            ValueError: the architecture is none, or the version has no rules.
        """
        return Gpu(self.arch, self.nax).target(tf32=self.tf32, version=self.mlx)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call to MLX or a problem, for whom it is predicted, and the line that says both."""

    what: Call | Problem
    target: Target
    line: Line

    @property
    def text(self) -> str:
        """The case in the words that `asked_words` reads, without whom it is for."""
        return str(self.what) if isinstance(self.what, Problem) else words_of(self.line)

    @property
    def route(self) -> Route:
        """What MLX launches, or the error that it raises.

        Raises:
            ValueError: the operands have no form that MLX could be asked about.
        """
        with _fitting(self.line):
            return self._route()

    def _route(self) -> Route:
        target = self.target
        if not isinstance(self.what, Problem):
            return route_of(self.what, target)
        setting = Setting("on" if target.tf32 else "off")
        return predict(self.what, Gpu(target.arch, target.nax), setting, target.version)


def asked_line(line: Mapping[str, Any], whom: Whom) -> Asked:
    """Return what a line asks; fields that say for whom come from `whom` where they are missing.

    Raises:
        ValueError: a field is missing or wrong; the message names it and what is allowed.
    """
    said = {name: value for name, value in line.items() if value is not None}
    whole = whom.fields() | said
    target = _target_of(whole, whom.nax)
    whole["nax"] = target.nax
    if PROBLEM in whole:
        return Asked(_problem(whole[PROBLEM]), target, whole)
    whole = completed(whole)
    with _fitting(whole):
        return Asked(call_of(whole), target, whole)


@contextmanager
def _fitting(line: Line) -> Iterator[None]:
    """Say so of shapes, layouts and bits for which there is no array at all."""
    try:
        yield
    except (IndexError, ZeroDivisionError, KeyError) as error:
        own = fields_of(line["op"])
        ours = (name for name in line if name in own and name.endswith(("_shape", "_layout")))
        said = " ".join(f"{name}={_word(line[name])}" for name in ours)
        raise ValueError(f"{line['op']}: shapes and layouts do not fit: {said}") from error


def _target_of(line: Line, nax: bool | None) -> Target:
    said = (line["arch"], line.get("nax"), line["tf32"], line["mlx"])
    try:
        return _target(*said, nax)
    except TypeError:  # a list or an object, which no table of results holds
        return target_of(line)


@lru_cache(maxsize=None, typed=True)
def _target(arch: Any, own_nax: Any, tf32: Any, mlx: Any, nax: bool | None) -> Target:
    said = {"arch": arch, "tf32": tf32, "mlx": mlx}
    if own_nax is not None:
        return target_of(said | {"nax": own_nax})
    plain = target_of(said | {"nax": False})
    return Gpu(plain.arch, nax).target(tf32=plain.tf32, version=plain.version)


def _problem(text: Any) -> Problem:
    try:
        return parse_problem(str(text))
    except ValueError as error:
        raise ValueError(f"{PROBLEM}: {error}") from None


def asked_words(words: Sequence[str], whom: Whom) -> Asked:
    """Return what words ask: a case's text, or an operation and NAME=VALUE pairs.

    Raises:
        ValueError: the words are neither; the message names the part and what is allowed.
    """
    first, *rest = " ".join(words).split() or [""]
    if first in OPERATIONS:
        return asked_line({"op": first, **_read(first, rest)}, whom)
    if "-" not in first:
        raise ValueError(
            f"{first!r} is neither a problem such as matmul-f16-nt-64x64x4096 nor one of the "
            f"operations {', '.join(OPERATIONS)}"
        )
    return _asked_text(" ".join((first, *rest)), whom)


def _read(op: str, words: Sequence[str]) -> Line:
    fields, said = fields_of(op), dict[str, Any]()
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is not a NAME=VALUE pair")
        if name not in fields:
            raise ValueError(f"{name}= is not one of {op}'s words: {', '.join(fields)}")
        if name in said:
            raise ValueError(f"{name}= stands twice")
        kind = fields[name].kind
        try:
            said[name] = kind.read(value)
        except (ValueError, KeyError):
            raise ValueError(f"{name}={value} is not {kind.words}") from None
    return said


def _asked_text(text: str, whom: Whom) -> Asked:
    """Return what a case's text asks; `nax=off` in it forces an architecture, as in a run."""
    case = parse_cases(text, (Setting("on" if whom.tf32 else "off"),))[0]
    setting = case.setting
    arch = setting.dispatched(setting.arch or whom.arch) or whom.arch
    follows = replace(whom, arch=arch, tf32=setting.tf32 == "on")
    return Asked(case.problem, follows.target, _line_of(case.problem, follows))


def _line_of(problem: Problem, whom: Whom) -> Line:
    target = whom.target
    line = whom.fields() | {"nax": target.nax, "op": problem.op, "dtype": problem.dtype.name}
    if problem.op != "matmul":
        return line | {PROBLEM: str(problem)}
    if not {problem.layout_a, problem.layout_b} <= _PLAIN:
        line[PROBLEM] = str(problem)
    a, b = problem.shape_a, problem.shape_b
    return line | {
        "a_shape": [problem.k] if problem.layout_a == "vec" else list(a),
        "b_shape": [problem.k] if problem.layout_b == "vec" else list(b),
        "transpose_a": problem.transpose[0] == "t" and problem.layout_a != "vec",
        "transpose_b": problem.transpose[1] == "t" and problem.layout_b != "vec",
    }


def options_of(target: Target) -> str:
    """Return the options of `applegpu route` that say for whom is predicted."""
    nax = "" if target.nax or not target.passes_gate else " --nax off"
    tf32 = "" if target.tf32 else " --tf32 off"
    return f"--arch {target.arch} --mlx {target.version}{nax}{tf32}"


def words_of(line: Mapping[str, Any]) -> str:
    """Return a line's case in the words that `asked_words` reads, without whom it is for."""
    if PROBLEM in line:
        return str(line[PROBLEM])
    fields = {name: field.default for name, field in OPERATIONS[line["op"]].items()}
    words = [f"dtype={line['dtype']}"]
    for name, default in fields.items():
        value = line.get(name)
        if value is None or (value is False and not default) or value == "":
            continue
        words.append(f"{name}={_word(value)}")
    return " ".join([line["op"], *words])


def _word(value: Any) -> str:
    if isinstance(value, list):
        return "x".join(map(str, value)) or "_"
    return str(value).lower() if isinstance(value, bool) else str(value)
