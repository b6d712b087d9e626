"""Servers in this process and as processes, and the official client over each transport."""

from __future__ import annotations

import base64
import io
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from PIL import Image

from anyread.cli import main
from anyread.mcp_server import make_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from mcp_types import CallToolResult

COMMAND = (sys.executable, "-m", "anyread", "mcp")
# `make dependencies` names a directory with another version of the SDK, for the server only.
OTHER_SDK = os.environ.get("ANYREAD_TEST_MCP")
NEWEST_PROTOCOL = "2025-11-25" if OTHER_SDK and not Path(OTHER_SDK, "mcp_types").exists() else "2026-07-28"
ENVIRONMENT = {**os.environ, **({"PYTHONPATH": OTHER_SDK} if OTHER_SDK else {})}
LEGACY, MODERN = "legacy", "auto"

# A shell runs the server and records what the SDK's client does not: process, errors and exit status.
_SHELL = 'echo $$ >"$0.shell"; "$@" 2>"$0.errors"; echo $? >"$0.status"'


@dataclass(frozen=True)
class Served:
    """A server that runs in `directory`."""

    directory: Path
    notes: Path

    @property
    def process(self) -> int:
        """The id of the server's process."""
        path = Path(f"{self.notes}.process")
        if path.exists():
            return int(path.read_text())
        shell = Path(f"{self.notes}.shell").read_text().strip()
        (child,) = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(child)

    @property
    def errors(self) -> str:
        return Path(f"{self.notes}.errors").read_text()

    @property
    def logged(self) -> str:
        """What an HTTP server wrote to standard error after it started to listen."""
        return Path(f"{self.notes}.logged").read_text()

    @property
    def status(self) -> str:
        return Path(f"{self.notes}.status").read_text().strip()

    @property
    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process}/fd").iterdir()))

    @property
    def open_files(self) -> list[str]:
        """The targets of the server's descriptors, for the message of a test that counts them."""
        found = []
        for link in Path(f"/proc/{self.process}/fd").iterdir():
            # The server may close a file at any time.
            with suppress(FileNotFoundError):
                found.append(str(link.readlink()))
        return sorted(found)

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process}/task").iterdir()))

    @property
    def memory_bytes(self) -> int:
        pages = Path(f"/proc/{self.process}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def stdio(served: Served, *options: str, mode: str) -> AsyncIterator[Client]:
    """Start a server and connect to it by its standard input and output."""
    arguments = ["-c", _SHELL, str(served.notes), *COMMAND, "--root", str(served.directory), *options]
    parameters = StdioServerParameters(command="sh", args=arguments, env=ENVIRONMENT)
    # After two seconds the client would kill the server, which needs longer to end on a loaded machine.
    with patch("mcp.client.stdio.PROCESS_TERMINATION_TIMEOUT", 30):
        async with Client(stdio_client(parameters), mode=mode) as client:
            yield client


@contextmanager
def listening(served: Served, *options: str) -> Iterator[str]:
    """Start a server on a free port and yield its URL; at the end, stop it with SIGTERM."""
    command = [*COMMAND, "--root", str(served.directory), "--http", "127.0.0.1:0", *options]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True
    ) as process:
        assert process.stderr is not None
        Path(f"{served.notes}.process").write_text(str(process.pid))
        try:
            line = process.stderr.readline()
            assert line.startswith("anyread: listening on http://127.0.0.1:"), line
            yield line.split()[-1]
        finally:
            process.terminate()
            errors = process.communicate(timeout=60)[1]
            Path(f"{served.notes}.logged").write_text(errors)
        # The SDK logs the requests that it refuses because of their origin.
        assert all(line.startswith("Invalid ") for line in errors.splitlines()), errors
        assert process.returncode == -signal.SIGTERM


@asynccontextmanager
async def http(served: Served, *options: str, mode: str) -> AsyncIterator[Client]:
    """Start a server and connect to it over streamable HTTP."""
    with listening(served, *options) as url:
        async with Client(url, mode=mode) as client:
            yield client


@asynccontextmanager
async def in_process(served: Served, *options: str, mode: str) -> AsyncIterator[Client]:
    """Make the server that the command line would start, and connect to it without a transport.

    With another version of the SDK the server is a process.
    """
    if OTHER_SDK:
        async with stdio(served, *options, mode=mode) as client:
            yield client
        return
    with patch("anyread.mcp_server.serve_stdio") as serve:
        assert main(["mcp", "--root", str(served.directory), *options]) == 0
    (tools,) = serve.call_args.args
    server = make_server(
        tools.for_one_model(),
        text_tool=tools.without_images(),
        host=tools.host,
        instructions=tools.instructions,
        max_result_chars=tools.max_result_chars,
    )
    async with Client(server, mode=mode) as client:
        yield client


# ------------------------------------------------------------------------------------------------------------


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if block.type == "text"]


def images(result: CallToolResult) -> list[Image.Image]:
    blocks = [block for block in result.content if block.type == "image"]
    found: list[Image.Image] = []
    for block in blocks:
        image = Image.open(io.BytesIO(base64.b64decode(block.data)))
        image.load()
        assert block.mime_type == Image.MIME[image.format or ""]
        found.append(image)
    return found


def endless(path: Path) -> None:
    """Write a sparse file whose scan takes minutes."""
    path.write_bytes(b"begun\n" * 5_000)
    os.truncate(path, 1 << 40)
