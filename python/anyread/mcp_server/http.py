"""The server over streamable HTTP, for any number of clients on this machine."""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from . import sdk
from .calls import make_server
from .connections import Connection, EndOldestSession, RequireToken
from .logs import log_in_printable_text
from .tools import Tools

_PATH = "/mcp"
_LAST_ANSWERS_S = 2


class CannotListenError(Exception):
    """The system does not let the server listen on the address."""


def serve_http(
    tools: Tools, host: str, port: int, *, token: str | None = None, started: Callable[[str], None]
) -> None:
    """Serve on a loopback address until a signal arrives.

    Requests that a browser sends for a page of another origin are refused, and so are requests for
    another host name (DNS rebinding).

    Args:
        tools: The tools to serve.
        host: "localhost", or an address such as "127.0.0.1" or "::1".
        port: The port to listen on; 0: a free port.
        token: The bearer token that each request must have; `None`: no authentication.
        started: Called with the URL once clients can connect.

    Raises:
        ValueError: The host is not a loopback address.
        CannotListenError: The system does not let the server listen on the address.
    """
    require_loopback(host)
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        names = sorted({_authority(host, port), f"localhost:{port}"})
        server = make_server(
            tools.for_many_models(),
            text_tool=tools.without_images(),
            host=tools.host,
            instructions=tools.instructions,
            max_result_chars=tools.max_result_chars,
        )
        security = TransportSecuritySettings(
            allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
        )
        app = EndOldestSession(sdk.http_app(server, _PATH, security))
        log_in_printable_text()
        _raise_descriptor_limit()
        config = uvicorn.Config(
            app if token is None else RequireToken(app, token),
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,  # its own handlers would write client data to the terminal unescaped
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=_LAST_ANSWERS_S,
        )
        # The socket is already listening: clients that connect now wait until the loop runs.
        started(f"http://{_authority(host, port)}{_PATH}")
        uvicorn.Server(config).run(sockets=[listener])


def _raise_descriptor_limit() -> None:
    """Allow as many descriptors as the system allows this process, for many clients at once."""
    if sys.platform != "win32":
        import resource

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        # macOS refuses "unlimited".
        with suppress(ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def require_loopback(host: str) -> None:
    """Ensure that only this machine can reach the server, whose connections are not encrypted.

    Raises:
        ValueError: The host is not a loopback address.
    """
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ValueError(f"the server listens only on a loopback address, such as 127.0.0.1: `{host}`")


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family)
    except OSError as error:
        # `create_server` appends the address, as a tuple, to `strerror`.
        is_of_lookup = isinstance(error, socket.gaierror)
        reason = error.strerror if is_of_lookup else os.strerror(error.errno or errno.EIO)
        raise CannotListenError(f"cannot listen on {_authority(host, port)}: {reason}") from error
    # Connections inherit it; otherwise the end of a reply waits 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
