"""The fleet of files that every engine reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking import Checker
from helpers import fleet


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--files", type=int, default=100_000, help="the number of files in the fleet")


@pytest.fixture(scope="session")
def cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[fleet.Case]:
    """Write the fleet once, and warm the page cache by doing so."""
    return fleet.write(tmp_path_factory.mktemp("engine") / "fleet", request.config.getoption("--files"))


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Return the path of a file that exists once a worker was killed."""
    return tmp_path / "killed"


@pytest.fixture
def checker(cases: list[fleet.Case]) -> Checker:
    return Checker(cases)
