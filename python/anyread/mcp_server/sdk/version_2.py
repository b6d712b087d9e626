"""Version 2 of the MCP SDK."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
    jsonrpc_message_adapter,
)

from . import streams
from .call import SESSION_IDLE_S, ToolCall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from mcp.server.context import ServerRequestContext
    from mcp.server.transport_security import TransportSecuritySettings


def make_server(
    name: str,
    version: str,
    instructions: str | None,
    tools: list[Tool],
    answer: Callable[[ToolCall], Awaitable[CallToolResult]],
) -> Server[Any]:
    """Make a server that lists tools and answers calls of them."""

    async def list_tools(
        context: ServerRequestContext[Any],  # noqa: ARG001 - as the SDK calls it
        params: PaginatedRequestParams | None,  # noqa: ARG001 - as above
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        async def report(progress: float, total: float | None, message: str) -> None:
            await context.session.report_progress(progress, total, message=message)

        client = context.session.client_params
        return await answer(
            ToolCall(
                name=params.name,
                arguments=params.arguments or {},
                client=None if client is None else client.client_info.name,
                report=report if context.meta and "progress_token" in context.meta else None,
            )
        )

    return Server(
        name,
        version=version,
        title=name,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def protocol_error(code: int, message: str) -> Exception:
    """Return the exception with which a handler refuses a request."""
    return MCPError(code, message)


def http_app(server: Server[Any], path: str, security: TransportSecuritySettings) -> Any:
    """Return the ASGI application that serves streamable HTTP at a path."""
    return server.streamable_http_app(
        streamable_http_path=path,
        transport_security=security,
        session_idle_timeout=SESSION_IDLE_S,
        # `EndOldestSession` limits them.
        max_sessions=None,
    )


def standard_streams() -> AbstractAsyncContextManager[tuple[Any, Any]]:
    """Return the streams of messages over standard input and output."""
    # The SDK ends messages with CRLF on Windows.
    return streams.standard_streams() if sys.platform == "win32" else stdio_server()


def content_of(message: SessionMessage) -> JSONRPCMessage:
    """Return the request, notification or response in a message."""
    return message.message


def parsed(line: str) -> SessionMessage:
    """Parse a line.

    Raises:
        pydantic.ValidationError: It is not one message.
    """
    return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))


def refusal(request_id: str | int | None, code: int, message: str) -> SessionMessage:
    """Return the error that answers a request; `None` for one whose id is unknown."""
    return SessionMessage(
        JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message))
    )
