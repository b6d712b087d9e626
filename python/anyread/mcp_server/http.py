"""The server over streamable HTTP, for any number of clients of this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from ipaddress import ip_address

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from .calls import make_server
from .logs import log_in_printable_text
from .tools import Tools

_PATH = "/mcp"
_LAST_ANSWERS_S = 2


class CannotListenError(Exception):
    """The system does not let a server listen where it should."""


def serve_http(tools: Tools, host: str, port: int, *, started: Callable[[str], None]) -> None:
    """Serve on a loopback address until a signal comes.

    Requests that a browser sends for a page of another origin are refused, and so are those that
    were meant for another host (DNS rebinding).

    Args:
        tools: What to serve.
        host: "localhost", or an address such as "127.0.0.1" or "::1".
        port: Where to listen; 0: wherever the system likes.
        started: Called with the URL once clients can connect.

    Raises:
        ValueError: The host is not on loopback.
        CannotListenError: The system refuses.
    """
    require_loopback(host)
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        names = sorted({_authority(host, port), f"localhost:{port}"})
        server = make_server(
            tools.for_many_models(),
            text_tool=tools.without_pictures(),
            host=tools.host,
            instructions=tools.instructions,
            max_result_chars=tools.max_result_chars,
        )
        app = server.streamable_http_app(
            streamable_http_path=_PATH,
            transport_security=TransportSecuritySettings(
                allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
            ),
        )
        log_in_printable_text()
        config = uvicorn.Config(
            app,
            log_config=None,  # Its own handlers would write what clients sent to the terminal as it is.
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_LAST_ANSWERS_S,
        )
        # It listens already: who connects from now on waits until the loop runs.
        started(f"http://{_authority(host, port)}{_PATH}")
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


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family)
    except OSError as error:
        # Python appends the address, as a tuple.
        reason = str(error.strerror).partition(" (")[0]
        raise CannotListenError(f"cannot listen on {_authority(host, port)}: {reason}") from error
    # Connections inherit it. Without it the end of an answer waits for the client's delayed ACK, 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
