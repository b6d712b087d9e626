"""The server over standard input and output, for one client."""

from __future__ import annotations

import json
import re
import signal
from functools import partial
from typing import Any

import anyio
import mcp_types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

from .calls import make_server
from .logs import log_in_printable_text
from .tools import Tools

_LAST_ANSWERS_S = 1.0
"""How long calls may go on after the client closed its end: it waits for two seconds before it kills."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def serve_stdio(tools: Tools) -> None:
    """Serve until the client closes standard input; a signal ends the process at once.

    Everything else that is printed meanwhile goes to standard error.
    """
    log_in_printable_text()
    # A thread that waits for input cannot be interrupted otherwise, and there is nothing to save:
    # decoders end when their socket closes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    server = make_server(
        tools.for_one_model(),
        text_tool=tools.without_pictures(),
        host=tools.host,
        instructions=tools.instructions,
        max_result_chars=tools.max_result_chars,
    )
    try:
        anyio.run(partial(_serve, server))
    except* (BrokenPipeError, ConnectionResetError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        # The client closed the pipe of the answers, too, and with it our way there: nobody is left to tell.
        pass


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as pumps:
        wire = _Wire(incoming, outgoing)
        requests_in, requests = anyio.create_memory_object_stream[SessionMessage | Exception]()
        answers_in, answers = anyio.create_memory_object_stream[SessionMessage]()
        pumps.start_soon(wire.pass_in, requests_in)
        pumps.start_soon(wire.pass_out, answers)
        await server.run(requests, answers_in, server.create_initialization_options())


class _Wire:
    """What lies between the pipes and the SDK, and does for a client what the SDK does not.

    The SDK drops calls that run when input ends, as of `anyread mcp < requests`, and says nothing
    of lines that it cannot parse, so that their sender would wait for ever.
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

    async def pass_in(self, requests: ObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand requests on; after the last one wait until all are answered."""
        async with requests:
            async for item in self._incoming:
                message = item if isinstance(item, SessionMessage) else self._mended(item)
                if message is None:
                    continue
                if isinstance(message.message, JSONRPCError):
                    await self._outgoing.send(message)
                    continue
                self._note(message.message)
                await requests.send(message)
            with anyio.move_on_after(_LAST_ANSWERS_S):
                while self._unanswered:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def pass_out(self, answers: ObjectReceiveStream[SessionMessage]) -> None:
        """Hand answers on."""
        async with self._outgoing, answers:
            async for item in answers:
                await self._outgoing.send(item)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    self._forget(item.message.id)

    def _note(self, message: mcp_types.JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            # What was cancelled is never answered.
            self._forget((message.params or {}).get("requestId"))

    def _forget(self, request_id: object) -> None:
        if isinstance(request_id, str | int):
            self._unanswered.discard(request_id)
        self._answered.set()

    def _mended(self, error: Exception) -> SessionMessage | None:
        """Make a message of a line that the SDK could not parse, or the error that answers it."""
        if not isinstance(error, ValidationError):
            raise error
        # The line itself, or what JSON it was.
        given = error.errors()[0]["input"]
        if isinstance(given, str):
            try:
                given = json.loads(given)
                text = _SURROGATE.sub(_spelled, json.dumps(given, ensure_ascii=False))
                return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(text, by_name=False))
            except ValidationError:
                pass
            except (ValueError, RecursionError):
                return _refusal(None, PARSE_ERROR, "the line is not JSON")
        if isinstance(given, dict) and "id" not in given:
            # It is a notification, and those are never answered.
            return None
        request_id = given.get("id") if isinstance(given, dict) else None
        return _refusal(
            request_id if isinstance(request_id, str | int) else None,
            INVALID_REQUEST,
            "the line is not one JSON-RPC request, notification or response",
        )


def _spelled(found: re.Match[str]) -> str:
    r"""Spell a byte of a name that is not UTF-8 as results do, `\xff`, in JSON."""
    code = ord(found[0])
    # Python puts such bytes into strings as these surrogates; all others stand for no character.
    return f"\\\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else "\ufffd"


def _refusal(request_id: str | int | None, code: int, message: str) -> SessionMessage:
    return SessionMessage(
        JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
    )
