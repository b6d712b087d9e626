"""Connections of the HTTP server, limited so that no client can block the others."""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .sdk.call import MAX_SESSIONS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_S = 10
"""Seconds in which a client must send a whole request."""
UNREAD_S = 30
"""Seconds in which a client must read some of an answer that does not fit into the buffers of the system."""
MAX_UNFINISHED = 256
"""Connections that have not sent a whole request; for another one, the oldest is closed."""


_SESSION = b"mcp-session-id"


class Connection(H11Protocol):
    """A connection that is closed unless it sends whole requests, and reads their answers, in time."""

    _unfinished: dict[Connection, asyncio.TimerHandle] = {}  # noqa: RUF012 - of all connections
    _unread: asyncio.TimerHandle | None = None

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
        self._stop_waiting()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Expect that the client reads."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with the answer."""
        self._stop_waiting()
        super().resume_writing()

    def _stop_waiting(self) -> None:
        if self._unread is not None:
            self._unread.cancel()

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


class EndOldestSession:
    """An application that ends the session with the oldest request when there are too many.

    Otherwise any program on this machine could open so many that nobody gets another one.

    Args:
        app: The application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._running: dict[bytes, int] = {}
        """The number of unanswered requests of each session; those with the oldest request come first."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count it if it is one of a session."""
        # The stream that a GET request opens stays open while its client does nothing.
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        session: bytes | None = dict(scope["headers"]).get(_SESSION)
        if session in self._running:
            self._running[session] = self._running.pop(session) + 1

        async def passed(message: Message) -> None:
            nonlocal session
            if message["type"] == "http.response.start" and session is None and message["status"] < 400:
                session = dict(message["headers"]).get(_SESSION)
                if session is not None:
                    self._running[session] = 1
            await send(message)

        try:
            await self._app(scope, receive, passed)
        finally:
            if session in self._running:
                self._running[session] -= 1
        while len(self._running) > MAX_SESSIONS:
            idle = next((each for each, requests in self._running.items() if not requests), None)
            if idle is None:
                break
            del self._running[idle]
            host = [header for header in scope["headers"] if header[0] == b"host"]
            await self._app(
                {**scope, "method": "DELETE", "headers": [*host, (_SESSION, idle)]}, _nothing, _drop
            )


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _drop(message: Message) -> None:
    """Ignore the answer to a request of this server: the session may have ended already."""


class RequireToken:
    """An application that answers only requests with a bearer token.

    Args:
        app: The application.
        token: The token, in ASCII.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it with the status 401."""
        given: dict[bytes, Any] = dict(scope.get("headers", ()))
        scheme, _, token = given.get(b"authorization", b"").partition(b" ")
        is_allowed = hmac.compare_digest(token.strip(), self._expected) and scheme.lower() == b"bearer"
        if scope["type"] != "http" or is_allowed:
            await self._app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body"})
