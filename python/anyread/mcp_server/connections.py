"""What one client of the HTTP server may do to the others: nothing."""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

REQUEST_S = 10
"""Seconds in which a client must send a whole request."""
MAX_UNFINISHED = 256
"""Connections that have not sent a whole request; for another one, the oldest is closed."""


class Connection(H11Protocol):
    """A connection that is closed unless it sends whole requests in time."""

    _unfinished: dict[Connection, asyncio.TimerHandle] = {}  # noqa: RUF012 - of all connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as its base
        """Expect a request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Expect the rest of the request unless it is complete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Expect another request."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self.forget()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self.forget()
        elif self not in self._unfinished:
            self._unfinished[self] = self.loop.call_later(REQUEST_S, self.transport.abort)
            if len(self._unfinished) > MAX_UNFINISHED:
                oldest = next(iter(self._unfinished))
                oldest.forget()
                oldest.transport.abort()

    def forget(self) -> None:
        """Stop expecting a request."""
        timer = self._unfinished.pop(self, None)
        if timer is not None:
            timer.cancel()


class RequireToken:
    """An application that answers only requests with a bearer token.

    Args:
        app: The application.
        token: The token, in ASCII.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with the status 401."""
        given: dict[bytes, Any] = dict(scope.get("headers", ()))
        is_allowed = hmac.compare_digest(given.get(b"authorization", b""), self._expected)
        if scope["type"] != "http" or is_allowed:
            await self._app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body"})
