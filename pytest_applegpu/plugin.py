"""Which hooks and options are there? Nothing else: each hook hands over to the session.

This module is loaded by every pytest run in the environment, so it imports nothing that takes
time; the rest of the product is imported once a run turns out to hold its suites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_applegpu.options import OPTIONS, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from pytest_applegpu.cases.case import Case
    from pytest_applegpu.session import Session

MARKER = "applegpu"

_SESSION: pytest.StashKey[Session] = pytest.StashKey()
_WRONG: pytest.StashKey[str] = pytest.StashKey()
_RECORD = "applegpu_record"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register every option and its ini twin."""
    group = parser.getgroup("applegpu", "MLX matrix multiplication on Apple GPUs")
    for option in OPTIONS:
        _add_option(parser, group, option)


def _add_option(parser: pytest.Parser, group: pytest.OptionGroup, option: Option) -> None:
    if option.form == "flag":
        group.addoption(
            option.flag,
            action="store_true",
            default=None,
            dest=option.destination,
            help=option.help,
        )
        parser.addini(option.ini, option.help, type="bool", default=False)
        return
    action = "append" if option.form == "list" else "store"
    group.addoption(
        option.flag,
        action=action,
        default=None,
        dest=option.destination,
        metavar=option.metavar,
        help=option.help,
    )
    kind: Literal["linelist", "string"] = "linelist" if option.form == "list" else "string"
    parser.addini(option.ini, option.help, type=kind)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse bad options before anything is collected."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(op, check): run the test for each planned case of MLX's operation `op` "
        "that `check` (exact, bounded, projection, isolation, repeat, throughput, card, ..., or a "
        "tuple of them) is made for; without `check`, for those of all checks of numbers; "
        "(corpus=True): for each case of a public bug; (search=True): for each that is drawn at "
        "random for --applegpu-search",
    )
    if not config.pluginmanager.hasplugin("benchmark"):
        config.pluginmanager.register(_WithoutBenchmark(), "applegpu-without-benchmark")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Receiver(config), "applegpu-receiver")
    if any(config.getoption(option.destination) for option in OPTIONS):
        session_of(config)


def _said(config: pytest.Config, option: Option) -> Any:
    """Return an option's value as it was written, on the command line or else in the ini file."""
    value = config.getoption(option.destination)
    return _ini(config, option) if value is None else value


def _ini(config: pytest.Config, option: Option) -> Any:
    """Return an option's value as it stands in the ini file, None where it does not."""
    try:
        return config.getini(option.ini) or None
    except (ValueError, TypeError, pytest.UsageError) as error:
        raise pytest.UsageError(f"{option.ini}: {error}") from None


def _source(config: pytest.Config, option: Option) -> str:
    """Return the name that an option was set by: its flag, or else its name in the ini file."""
    if config.getoption(option.destination) is not None or _ini(config, option) is None:
        return option.flag
    return f"{option.ini} in {config.inipath.name}" if config.inipath else option.ini


def session_of(config: pytest.Config) -> Session:
    """Return the session of this run, made when it is first asked for.

    Raises:
        pytest.UsageError: an option's value is not allowed.
    """
    if _SESSION not in config.stash:
        from pytest_applegpu.session import Session  # noqa: PLC0415 - only where it is needed

        config.stash[_SESSION] = Session.of(
            config, lambda option: _said(config, option), lambda option: _source(config, option)
        )
    return config.stash[_SESSION]


def _live(config: pytest.Config) -> Session | None:
    """Return the session if there is one whose suites are in this run."""
    session = config.stash.get(_SESSION, None)
    return session if session is not None and session.used else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a marked test its planned cases."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    if marker is None:
        return
    config = metafunc.config
    cases: list[Case] = []
    names: list[str] | None = None
    # What is wrong is raised once all is collected: here it would count as one module's error.
    try:
        session = session_of(config)
    except pytest.UsageError as error:
        config.stash.setdefault(_WRONG, str(error))
    else:
        try:
            if marker.kwargs == {"corpus": True}:
                names, cases = _apart(session.corpus())
            elif marker.kwargs == {"search": True}:
                cases = session.searched()
            else:
                cases = session.planned(*marker.args, **marker.kwargs)
        except (pytest.UsageError, TypeError) as error:
            config.stash.setdefault(_WRONG, f"{metafunc.definition.nodeid}: {error}")
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", cases, ids=names or str)


def _apart(named: list[tuple[str, Case]]) -> tuple[list[str], list[Case]]:
    """Return the names and the cases of named cases."""
    return [name for name, _ in named], [case for _, case in named]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that have no case, and tell pytest-benchmark where the time comes from."""
    wrong = config.stash.get(_WRONG, None)
    if wrong is not None:
        raise pytest.UsageError(wrong)
    session = config.stash.get(_SESSION, None)
    if session is not None:
        items[:] = session.arranged(items)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Start the first worker, unless nothing is to be run."""
    ours = session.config.stash.get(_SESSION, None)
    if ours is not None and not session.config.option.collectonly:
        ours.begin(session.items, parallel=hasattr(session.config, "workerinput"))


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say what is tested: device, MLX, NAX, and the arithmetic that was measured."""
    session = config.stash.get(_SESSION, None)
    return session.header() if session is not None and session.used else []


@pytest.fixture
def prove(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """Return the function that runs a numeric case and fails the test unless it is right."""
    return session_of(request.config).prover(request.node)


@pytest.fixture
def clock(request: pytest.FixtureRequest, benchmark: Any) -> Callable[[Case], None]:
    """Return the function that times a case and fails the test if it has become slower.

    The measured times are replayed into pytest-benchmark, where that is enabled.
    """
    return session_of(request.config).timer(request.node, benchmark)


@pytest.fixture
def card(request: pytest.FixtureRequest) -> Callable[[Case], None]:
    """Return the function that asks a route for its feature card, and fails if none comes.

    A card that is not as stored is news in the summary.
    """
    return session_of(request.config).carder(request.node)


class _WithoutBenchmark:
    """Stands in where pytest-benchmark is switched off with `-p no:benchmark`."""

    @pytest.fixture
    def benchmark(self) -> None:
        """Offer no benchmark: the product's own timing needs none."""

    def pytest_configure(self, config: pytest.Config) -> None:
        """Know the marker that timed tests carry."""
        config.addinivalue_line("markers", "benchmark: options of pytest-benchmark")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let the record of a case travel on its report, also from one process to another."""
    report = yield
    session = _live(item.config)
    if session is not None and report.when == "call":
        setattr(report, _RECORD, session.taken(item))
        report.sections += session.sections(item)
    return report


class _Receiver:
    """Takes in what reports bring, in the process that writes logs and summaries."""

    def __init__(self, config: pytest.Config) -> None:
        """Belong to the run of `config`."""
        self.config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Receive the record of a case that is over."""
        record = getattr(report, _RECORD, None)
        if record is not None:
            session_of(self.config).receive(record)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive what a worker of pytest-xdist knows of its machine."""
        facts = getattr(node, "workeroutput", {}).get(MARKER)
        if facts is not None:
            session_of(self.config).learn(facts)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the summary of this run's cases."""
    session = terminalreporter.config.stash.get(_SESSION, None)
    text = session.summary() if session is not None else ""
    if text:
        terminalreporter.section("applegpu")
        terminalreporter.write_line(text)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the workers, and store baselines where that was asked for."""
    ours = session.config.stash.get(_SESSION, None)
    if ours is None:
        return
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[MARKER] = ours.known()
    else:
        ours.finish(whole=not (session.shouldfail or session.shouldstop))
        if ours.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no worker behind, however the run ended."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()
