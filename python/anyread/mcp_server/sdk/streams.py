"""Messages over standard input and output, which end with LF on every system."""

from __future__ import annotations

import os
import sys
from contextlib import asynccontextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[Any, Any]]:
    """Return the streams of messages over standard input and output.

    From then on, anything else that is printed goes to standard error, and programs that the server starts
    have no input.
    """
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # A thread may still wait for input at the end of the process, so the descriptors stay open.
    lines = TextIOWrapper(os.fdopen(requests, "rb", closefd=False), encoding="utf-8", errors="replace")
    written = TextIOWrapper(os.fdopen(answers, "wb", closefd=False), encoding="utf-8", newline="\n")
    sys.stdout.flush()
    async with stdio_server(anyio.wrap_file(lines), anyio.wrap_file(written)) as streams:
        yield streams
