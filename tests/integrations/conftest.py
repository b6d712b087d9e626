"""Fixtures for the tests of integrations: files of every kind, and the table of what frameworks show."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import cells
import samples

pytest.register_assert_rewrite("framework_tests")
_CELLS = pytest.StashKey[dict[str, cells.Cells]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--framework", help="the framework whose section of docs/integrations.md is checked")


def pytest_configure() -> None:
    """Let Ctrl-C interrupt these tests, even if this process was started with SIGINT ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run agents in the `MODES` of the test file, for frameworks that also have a synchronous loop."""
    if "mode" in metafunc.fixturenames:
        metafunc.parametrize("mode", getattr(metafunc.module, "MODES", ("async",)))


@pytest.fixture
def files(tmp_path: Path) -> samples.Samples:
    """Write one file of each kind into an empty directory."""
    return samples.write(tmp_path)


@pytest.fixture
def cell(request: pytest.FixtureRequest) -> Iterator[cells.RecordCell]:
    """Record what the framework of this test file shows of a kind; counts only if the whole run passes."""
    framework = request.path.stem.removeprefix("test_")
    found: cells.Cells = {}

    def record(kind: cells.Kind, shown: cells.Shown) -> None:
        assert kind in cells.KINDS, kind
        assert shown in cells.SHOWN, shown
        found[kind] = shown

    yield record
    assert found, "the test requested `cell` and recorded nothing"
    request.config.stash.setdefault(_CELLS, {}).setdefault(framework, {}).update(found)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Record the cells of a framework after a run of all its tests in which every test passed."""
    if exitstatus != pytest.ExitCode.OK:
        return
    for framework, found in session.config.stash.get(_CELLS, {}).items():
        if set(found) == set(cells.KINDS):
            cells.record(framework, found)
