"""The server over standard input and output, for one client."""

from __future__ import annotations

import json
import re
import signal
from functools import partial
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from . import sdk
from .calls import make_server
from .logs import log_in_printable_text
from .tools import Tools

_LAST_ANSWERS_S = 1.0
"""Seconds that calls may continue after the input ended; clients kill the server after two seconds."""

_MAX_UNANSWERED = 256
"""Calls that may be unanswered; no more are read, because their answers wait in memory for the client."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def serve_stdio(tools: Tools) -> None:
    """Serve until the client closes standard input; a signal ends the process at once.

    Anything else that is printed goes to standard error.
    """
    log_in_printable_text()
    # Nothing else can interrupt a thread that waits for input, and there is nothing to clean up:
    # decoders exit when their socket closes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server = make_server(
        tools.for_one_model(),
        text_tool=tools.without_images(),
        host=tools.host,
        instructions=tools.instructions,
        max_result_chars=tools.max_result_chars,
    )
    try:
        anyio.run(partial(_serve, server))
    except* (BrokenPipeError, ConnectionResetError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        # The client also closed the pipe for answers, so no error can be reported to it.
        pass


async def _serve(server: Server[Any]) -> None:
    async with sdk.standard_streams() as (incoming, outgoing), anyio.create_task_group() as pumps:
        wire = _Wire(incoming, outgoing)
        requests_in, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
        answers_in, answers = anyio.create_memory_object_stream[SessionMessage]()
        pumps.start_soon(wire.pass_out, answers)
        async with answers_in:
            with anyio.CancelScope() as running:
                pumps.start_soon(wire.pass_in, requests_in, running)
                await server.run(requests, answers_in, server.create_initialization_options())


class _Wire:
    """The layer between the pipes and the SDK, which fixes three problems of the SDK.

    The SDK drops calls that are running when the input ends, as with `anyread mcp < requests`, or waits
    for them without end, depending on its version. It ignores lines that it cannot parse, so that the
    sender would wait forever.
    """

    def __init__(
        self,
        incoming: ObjectReceiveStream[SessionMessage | Exception],
        outgoing: ObjectSendStream[SessionMessage],
    ) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._unanswered: set[str | int] = set()
        self._answered = anyio.Event()

    async def pass_in(
        self, requests: ObjectSendStream[SessionMessage | Exception], running: anyio.CancelScope
    ) -> None:
        """Pass requests on; after the last one, wait for the answers and then end the server."""
        async with requests:
            async for item in self._incoming:
                message = item if isinstance(item, SessionMessage) else self._repaired(item)
                if message is None:
                    continue
                content = sdk.content_of(message)
                if isinstance(content, JSONRPCError):
                    await self._outgoing.send(message)
                    continue
                if isinstance(content, JSONRPCRequest):
                    await self._fewer_than(_MAX_UNANSWERED)
                self._note(content)
                await requests.send(message)
            with anyio.move_on_after(_LAST_ANSWERS_S):
                await self._fewer_than(1)
            while self._unanswered:
                request_id = self._unanswered.pop()
                await self._outgoing.send(sdk.refusal(request_id, CONNECTION_CLOSED, "Connection closed"))
        running.cancel()

    async def pass_out(self, answers: ObjectReceiveStream[SessionMessage]) -> None:
        """Pass answers on, except those to requests that were cancelled or refused."""
        async with self._outgoing, answers:
            async for item in answers:
                content = sdk.content_of(item)
                if not isinstance(content, JSONRPCResponse | JSONRPCError):
                    await self._outgoing.send(item)
                elif content.id in self._unanswered:
                    # Before it is sent, so that nothing else answers the request meanwhile.
                    self._unanswered.remove(content.id)
                    await self._outgoing.send(item)
                    self._answered.set()

    async def _fewer_than(self, count: int) -> None:
        """Wait until fewer requests are unanswered."""
        while len(self._unanswered) >= count:
            self._answered = anyio.Event()
            await self._answered.wait()

    def _note(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            # A cancelled request is never answered.
            self._forget((message.params or {}).get("requestId"))

    def _forget(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._unanswered.discard(request_id)
        self._answered.set()

    def _repaired(self, error: Exception) -> SessionMessage | None:
        """Return the message of a line that the SDK could not parse, or an error to reply with."""
        if not isinstance(error, ValidationError):
            raise error
        # `given` is the line itself, or the JSON value in it, which is the input if a field is missing.
        found = error.errors()
        given = next((each for each in found if each["type"] == "missing"), found[0])["input"]
        if isinstance(given, str):
            try:
                given = json.loads(given)
                text = _SURROGATE.sub(_spelled, json.dumps(given, ensure_ascii=False))
                return sdk.parsed(text)
            except ValidationError:
                pass
            except (ValueError, RecursionError):
                return sdk.refusal(None, PARSE_ERROR, "the line is not JSON")
        if isinstance(given, dict) and "id" not in given:
            # It is a notification, which is never answered.
            return None
        request_id = given.get("id") if isinstance(given, dict) else None
        return sdk.refusal(
            request_id if isinstance(request_id, str | int) else None,
            INVALID_REQUEST,
            "the line is not one JSON-RPC request, notification or response",
        )


def _spelled(found: re.Match[str]) -> str:
    r"""Write an undecodable byte of a file name as results do, `\xff`, in JSON."""
    code = ord(found[0])
    # Python represents such bytes as these surrogates; other lone surrogates represent no character.
    return f"\\\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else "\ufffd"
