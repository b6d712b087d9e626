"""`anyread mcp`: serve a read tool to hosts of the Model Context Protocol."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyread.arguments.gutter import GUTTERS
from anyread.errors import ReadError

if TYPE_CHECKING:
    from argparse import Namespace

    from .terminal import Terminal


def _token(file: str | None, terminal: Terminal) -> str | None:
    """Return the bearer token for HTTP; `None`: no authentication.

    Raises:
        ValueError: It cannot be read, is not in a regular file, is empty, or has other characters than
            visible ASCII.
    """
    if file is None:
        token = os.environ.get("ANYREAD_MCP_TOKEN")
        source = "ANYREAD_MCP_TOKEN"
    else:
        source = f"`{file}`"
        try:
            state = Path(file).stat()
            if not stat.S_ISREG(state.st_mode):
                # A FIFO could block forever.
                raise ValueError(f"the token cannot be read from {source}: it is not a regular file")
            if state.st_mode & stat.S_IROTH and os.name == "posix":
                terminal.err(f"anyread: every user of this machine can read the token in {source}: chmod 600")
            token = Path(file).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"the token cannot be read from {source}: {error}") from error
    if token is not None and not (token.isascii() and token.isprintable() and token and " " not in token):
        raise ValueError(f"the token in {source} must be one word of visible ASCII characters")
    return token


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Serve until the client disconnects; return 2 if the server cannot start."""
    try:
        from anyread.mcp_server import CannotListenError, Tools, serve_http, serve_stdio
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "anyread":
            raise
        # Older versions of the SDK have other modules and do not work either.
        terminal.err(f"anyread: the MCP server requires packages: pip install 'anyread[mcp]' ({error})")
        return 2
    try:
        with terminal.showing_warnings():
            tools = Tools(
                arguments.tool,
                roots=arguments.root,
                deny=arguments.deny,
                decompress=arguments.decompress,
                model=arguments.model,
                pdf=arguments.pdf,
                max_tokens=arguments.max_tokens,
                host=arguments.host,
                gutter=GUTTERS[arguments.gutter or "tab"],
            )
        if arguments.http is None:
            if sys.stdin is not None and sys.stdin.isatty():
                # Without a host the command would wait silently for what nobody types.
                terminal.err(
                    "anyread: waiting for a host of the Model Context Protocol on standard input; "
                    "hosts start this command themselves, and Ctrl-C ends it"
                )
            serve_stdio(tools)
        else:
            host, port = arguments.http
            token = _token(arguments.token_file, terminal)
            serve_http(
                tools,
                host,
                port,
                token=token,
                started=lambda url: terminal.err(f"anyread: listening on {url}"),
            )
    except ReadError:
        # A root cannot be opened; the command line reports this itself.
        raise
    except (ValueError, CannotListenError) as error:
        terminal.err(f"anyread: {error}")
        return 2
    return 0
