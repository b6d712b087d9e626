"""Fixtures for the tests of the server: its directories, and each way to connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcp_server.serving import LEGACY, MODERN, Served, http, stdio

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def anyio_backend() -> str:
    """The server is a separate process; only the client runs here, and one event loop is enough for it."""
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


@pytest.fixture(params=[stdio, http], ids=["stdio", "http"])
def connected(request: pytest.FixtureRequest, served: Served, era: str) -> Any:
    """Connect to a server with some options: `async with connected(…) as client`."""
    return lambda *options: request.param(served, *options, mode=era)
