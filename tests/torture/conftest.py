"""The fixtures of the scoreboard's tests; a full run records how each of them ended."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torture import scoreboard
from torture.operations import write_files

if TYPE_CHECKING:
    from collections.abc import Generator

HERE = Path(__file__).parent
NAMED_ROWS = {"host": "host life", "change": "changes"}
"""The rows without a number, by the first letters of the names of their files."""


@pytest.fixture(autouse=True)
def uncovered(no_cover: None, no_coverage_of_processes: None) -> None:
    """Measure no coverage: these tests run the same lines many times, and their processes are killed."""


@pytest.fixture
def scale() -> scoreboard.Scale:
    """Return the size of a test: small in `make test`, full in `make torture`."""
    return scoreboard.Scale()


@pytest.fixture
def score() -> scoreboard.Score:
    """Record results on the scoreboard."""
    return scoreboard.Score()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the files of `Operations`."""
    directory = tmp_path_factory.mktemp("files")
    write_files(directory)
    return directory


def row_of(item: pytest.Item) -> str | None:
    """Return the row that the file of a test is named after, or `None`."""
    if item.path.parent != HERE:
        return None
    name = item.path.stem.removeprefix("test_")
    if found := re.match(r"s0?(\d+)_", name):
        return f"S{found[1]}"
    return next((row for prefix, row in NAMED_ROWS.items() if name.startswith(prefix)), None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a full run, mark the tests of this directory, so that `-m torture` selects them too.

    One process runs all tests of a file, so the long files start first, or they would run alone at the end.
    """
    if not scoreboard.IS_FULL:
        return
    for item in items:
        if row_of(item) is not None:
            item.add_marker(pytest.mark.torture)
    items.sort(key=lambda item: row_of(item) not in {"S3", "S9"})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record that a test begins; if its process dies, nothing else is recorded about it."""
    note(item, "began")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record how a test ended."""
    report = yield
    if report.when == "call" or not report.passed:
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
        note(item, report.outcome, reason.removeprefix("Skipped: "))
    return report


def note(item: pytest.Item, state: str, detail: str = "") -> None:
    """Record the state of a test in a full run."""
    row = row_of(item)
    if scoreboard.IS_FULL and row is not None:
        scoreboard.write(scoreboard.Outcome(row, item.name, state, detail))
