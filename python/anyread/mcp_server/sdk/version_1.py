"""Version 1 of the MCP SDK, from 1.28.1 on: the functions of `version_2`."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

import anyio
from starlette.applications import Starlette
from starlette.routing import Route

from . import streams
from .call import SESSION_IDLE_S, Report, ToolCall

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager
    from typing import Self

    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import CallToolResult, Tool
    from starlette.types import Receive, Scope, Send

# Type checkers see version 2, whose modules differ.
types: Any = import_module("mcp.types")
_lowlevel: Any = import_module("mcp.server.lowlevel")
_http: Any = import_module("mcp.server.streamable_http_manager")
_message: Any = import_module("mcp.shared.message")
_exceptions: Any = import_module("mcp.shared.exceptions")


_calls: ContextVar[set[anyio.CancelScope]] = ContextVar("anyread_mcp_calls")
"""The calls of a session that have not ended."""


class _Requests:
    """The stream of a session's requests, which cancels the calls of the session when it ends.

    Args:
        stream: The stream of the SDK.
        calls: The scopes of the session's calls.
    """

    def __init__(self, stream: Any, calls: set[anyio.CancelScope]) -> None:
        self._stream = stream
        self._calls = calls

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        for call in tuple(self._calls):
            call.cancel()
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> AsyncIterator[Any]:
        requests: AsyncIterator[Any] = aiter(self._stream)
        return requests


class _Server(_lowlevel.Server):  # type: ignore[misc] # type checkers see version 2
    """A server whose calls end with their session, and that survives the cancellation of a call.

    Old versions of the SDK let a call run on if its client left without cancelling it. And a cancellation
    while the answer is being sent would leave the scope of its call and end the whole server.
    """

    async def run(self, read_stream: Any, *arguments: Any, **options: Any) -> None:
        calls: set[anyio.CancelScope] = set()
        _calls.set(calls)
        await super().run(_Requests(read_stream, calls), *arguments, **options)

    async def _handle_message(self, message: Any, *arguments: Any, **options: Any) -> None:
        calls = _calls.get()
        with anyio.CancelScope() as call:
            calls.add(call)
            try:
                await super()._handle_message(message, *arguments, **options)
            except anyio.get_cancelled_exc_class():
                if call.cancel_called or not getattr(message, "cancelled", False):
                    raise
            finally:
                calls.discard(call)


def make_server(
    name: str,
    version: str,
    instructions: str | None,
    tools: list[Tool],
    answer: Callable[[ToolCall], Awaitable[CallToolResult]],
) -> Any:
    """Make a server that lists tools and answers calls of them."""
    server = _Server(name, version=version, instructions=instructions)

    async def list_tools(request: Any) -> Any:  # noqa: ARG001 - as the SDK calls it
        return types.ServerResult(types.ListToolsResult(tools=tools))

    async def call_tool(request: Any) -> Any:
        context = server.request_context
        client = context.session.client_params
        call = ToolCall(
            name=request.params.name,
            arguments=request.params.arguments or {},
            client=None if client is None else client.clientInfo.name,
            report=_report(context),
        )
        return types.ServerResult(await answer(call))

    # The SDK's decorators would validate the arguments first, and turn every error into an answer.
    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


def _report(context: Any) -> Report | None:
    token = None if context.meta is None else context.meta.progressToken
    if token is None:
        return None

    async def report(progress: float, total: float | None, message: str) -> None:
        await context.session.send_progress_notification(
            token, progress, total, message=message, related_request_id=str(context.request_id)
        )

    return report


def protocol_error(code: int, message: str) -> Exception:
    """Return the exception with which a handler refuses a request."""
    error: Exception = _exceptions.McpError(types.ErrorData(code=code, message=message))
    return error


class _Unremarkable(logging.Filter):
    """Drops what the SDK logs when a client ends its session, or asks for the protocol of version 2."""

    def filter(self, record: logging.LogRecord) -> bool:
        ended = record.exc_info and isinstance(record.exc_info[1], anyio.ClosedResourceError)
        return not (ended or str(record.msg).startswith("Failed to validate request: "))


_UNREMARKABLE = _Unremarkable()


def _log_less() -> None:
    logging.getLogger("mcp.server.streamable_http").addFilter(_UNREMARKABLE)
    # The SDK also uses the functions of `logging`, which log here.
    logging.getLogger().addFilter(_UNREMARKABLE)


class _Endpoint:
    """The application at the path; a route takes a function for a handler of requests instead."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def http_app(server: Any, path: str, security: TransportSecuritySettings) -> Any:
    """Return the ASGI application that serves streamable HTTP at a path."""
    _log_less()
    manager_class = _http.StreamableHTTPSessionManager
    # Old versions keep sessions until the client ends them.
    has_timeout = "session_idle_timeout" in signature(manager_class).parameters
    options = {"session_idle_timeout": SESSION_IDLE_S} if has_timeout else {}
    manager = manager_class(server, security_settings=security, **options)
    return Starlette(routes=[Route(path, _Endpoint(manager))], lifespan=lambda _: manager.run())


def standard_streams() -> AbstractAsyncContextManager[tuple[Any, Any]]:
    """Return the streams of messages over standard input and output."""
    _log_less()
    return streams.standard_streams()


def content_of(message: Any) -> Any:
    """Return the request, notification or response in a message."""
    return message.message.root


def parsed(line: str) -> Any:
    """Parse a line.

    Raises:
        pydantic.ValidationError: It is not one message.
    """
    return _message.SessionMessage(types.JSONRPCMessage.model_validate_json(line))


def refusal(request_id: str | int | None, code: int, message: str) -> Any:
    """Return the error that answers a request; `None` for one whose id is unknown."""
    error = types.ErrorData(code=code, message=message)
    # The SDK's type requires an id, but the protocol does not; `null` is left out when it is sent.
    answer = types.JSONRPCError.model_construct(jsonrpc="2.0", id=request_id, error=error)
    return _message.SessionMessage(types.JSONRPCMessage.model_construct(answer))
