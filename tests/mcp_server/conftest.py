"""Servers as processes, and the official client over each transport in each era of the protocol."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

COMMAND = (sys.executable, "-m", "anyread", "mcp")
LEGACY, MODERN = "legacy", "2026-07-28"

# A shell stands between, which tells whatever the SDK's client does not: process, errors and exit status.
_SHELL = 'echo $$ >"$0.shell"; "$@" 2>"$0.errors"; echo $? >"$0.status"'


@pytest.fixture
def anyio_backend() -> str:
    """The server is a process of its own; only the client runs here, and once is enough for that."""
    return "asyncio"


@dataclass(frozen=True)
class Served:
    """A server that runs in `folder`."""

    folder: Path
    notes: Path

    @property
    def process(self) -> int:
        """The number of the server's process."""
        shell = Path(f"{self.notes}.shell").read_text().strip()
        (child,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(child)

    @property
    def errors(self) -> str:
        return Path(f"{self.notes}.errors").read_text()

    @property
    def status(self) -> str:
        return Path(f"{self.notes}.status").read_text().strip()

    @property
    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process}/fd"))

    @property
    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process}/task"))

    @property
    def memory_bytes(self) -> int:
        pages = Path(f"/proc/{self.process}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def served(tmp_path: Path) -> Served:
    folder = tmp_path / "root"
    folder.mkdir()
    return Served(folder, tmp_path / "server")


@asynccontextmanager
async def stdio(served: Served, *options: str, mode: str) -> AsyncIterator[Client]:
    """Start a server and connect to it by its standard input and output."""
    arguments = ["-c", _SHELL, str(served.notes), *COMMAND, "--root", str(served.folder), *options]
    parameters = StdioServerParameters(command="sh", args=arguments, env=dict(os.environ))
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


@contextmanager
def listening(served: Served, *options: str) -> Iterator[str]:
    """Start a server on a free port and give its URL; at the end it goes by SIGTERM."""
    command = [*COMMAND, "--root", str(served.folder), "--http", "127.0.0.1:0", *options]
    shell = ["sh", "-c", f"{_SHELL}; exit 0", str(served.notes), *command]
    errors = Path(f"{served.notes}.errors")
    os.mkfifo(errors)
    process = subprocess.Popen(shell, stdin=subprocess.DEVNULL)
    try:
        with errors.open() as said:
            line = said.readline()
            assert line.startswith("anyread: listening on http://127.0.0.1:"), line
            try:
                yield line.split()[-1]
            finally:
                os.kill(served.process, 15)
                process.wait(10)
            assert said.read() == ""
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def http(served: Served, *options: str, mode: str) -> AsyncIterator[Client]:
    """Start a server and connect to it over streamable HTTP."""
    with listening(served, *options) as url:
        async with Client(url, mode=mode) as client:
            yield client


@pytest.fixture(params=[LEGACY, MODERN])
def era(request: pytest.FixtureRequest) -> str:
    mode: str = request.param
    return mode


@pytest.fixture(params=[stdio, http], ids=["stdio", "http"])
def connected(request: pytest.FixtureRequest, served: Served, era: str) -> Any:
    """Connect to a server with some options: `async with connected(…) as client`."""
    return lambda *options: request.param(served, *options, mode=era)
