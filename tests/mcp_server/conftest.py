"""Fixtures for the tests of the server: its directories, and each way to connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcp_server.serving import LEGACY, MODERN, Served, listening

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def anyio_backend() -> str:
    """The client and the server use the SDK's own loop, so one event loop is enough."""
    return "asyncio"


@pytest.fixture
def served(tmp_path: Path) -> Served:
    directory = tmp_path / "root"
    directory.mkdir()
    return Served(directory, tmp_path / "server")


@pytest.fixture(params=[LEGACY, MODERN])
def era(request: pytest.FixtureRequest) -> str:
    mode: str = request.param
    return mode


@pytest.fixture(scope="session")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """Return a server over HTTP without further options, and its URL."""
    directory = tmp_path_factory.mktemp("http")
    (directory / "root").mkdir()
    served = Served(directory / "root", directory / "server")
    with listening(served) as url:
        yield served, url
