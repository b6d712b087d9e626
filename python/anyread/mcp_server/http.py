"""The server over streamable HTTP, for any number of clients of this machine."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from .calls import make_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tools import Tools

_PATH = "/mcp"
_LAST_ANSWERS_S = 2


def serve_http(tools: Tools, host: str, port: int, *, started: Callable[[str], None]) -> None:
    """Serve on a loopback address until a signal comes.

    Requests that a browser sends for a page of another origin are refused, and so are those that
    were meant for another host (DNS rebinding).

    Args:
        tools: What to serve; each call gets a tool of its own, since nothing tells which of them
            come from one model.
        host: "localhost", or an address such as "127.0.0.1" or "::1".
        port: Where to listen; 0: wherever the system likes.
        started: Called with the URL once clients can connect.

    Raises:
        ValueError: The host is not on loopback.
        OSError: It cannot listen there.
    """
    require_loopback(host)
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        authority = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        hosts = sorted({authority, f"localhost:{port}"})
        app = make_server(tools.make, instructions=tools.instructions).streamable_http_app(
            streamable_http_path=_PATH,
            transport_security=TransportSecuritySettings(
                allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
            ),
        )
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=_LAST_ANSWERS_S
        )
        # It listens already: who connects from now on waits until the loop runs.
        started(f"http://{authority}{_PATH}")
        uvicorn.Server(config).run(sockets=[listener])


def require_loopback(host: str) -> None:
    """See to it that only this machine can reach the server, which asks nobody who they are.

    Raises:
        ValueError: The host is no loopback address.
    """
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ValueError(f"the server listens on loopback only, such as 127.0.0.1 or localhost: {host!r}")


def _listening(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener
