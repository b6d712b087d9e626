"""The requests that a server answers: listing its tools, and calling them."""

from __future__ import annotations

import json
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from anyread import __version__
from anyread.adapters.content import sendable
from anyread.adapters.mcp import call_tool_result
from anyread.model import Model
from anyread.results import Block
from anyread.running.scans import Scans, current_scans
from anyread.tools import Definition, Output

from .hosts import HOSTS, shown
from .tools import MAX_RESULT_CHARS, facts, reads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mcp.server.context import ServerRequestContext

    from anyread.session import Record

RESULT_KEY = "dev.anyread/result"
"""The key in the `_meta` of a reply under which programs find the data of a read."""

_ANY_SIZE = Model()
"""The tool has already scaled its images for the model."""
_MAX_RESULT_KEY = "anthropic/maxResultSizeChars"
_PROGRESS_S = 0.2
_log = logging.getLogger(__name__)


class ReadTool(Protocol):
    """The methods of a tool that a server calls."""

    def definitions(self) -> list[Definition]:
        """Return the tools to list."""

    async def call(self, arguments: object, *, name: str | None = None) -> Output:
        """Answer a call; a failure is an output too."""

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message."""

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure."""


def make_server(
    tool: ReadTool,
    *,
    text_tool: ReadTool | None = None,
    host: str | None = None,
    instructions: str | None = None,
    max_result_chars: int = MAX_RESULT_CHARS,
) -> Server[Any]:
    """Make a server that offers a tool.

    Args:
        tool: The tool to offer.
        text_tool: The same tool without images, which answers calls from `HOSTS`; `None`: `tool`.
        host: Which of `HOSTS` is connected; `None`: detected from the client's name.
        instructions: What the model should know about the server.
        max_result_chars: The maximum length of a result, in characters; Claude Code replaces results
            over about 50,000 with their first 2 KB unless the listed tool announces more.
    """
    listed = [_listed(definition, max_result_chars) for definition in tool.definitions()]
    schemas = {each.name: each.input_schema for each in listed}

    async def list_tools(
        context: ServerRequestContext[Any],  # noqa: ARG001 - as the SDK calls it
        params: PaginatedRequestParams | None,  # noqa: ARG001 - as above
    ) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        if params.name not in schemas:
            names = ", ".join(f"`{name}`" for name in schemas)
            raise MCPError(INVALID_PARAMS, f"unknown tool `{sendable(params.name)}`; the server has {names}")
        connected = host or _client_name(context)
        answering = text_tool if text_tool is not None and connected in HOSTS else tool
        async with _progress(context):
            return await _answer(answering, params, connected)

    return Server(
        "anyread",
        version=__version__,
        title="anyread",
        instructions=None if instructions is None else sendable(instructions),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=schemas.get,
    )


def _listed(definition: Definition, max_result_chars: int) -> Tool:
    annotations = ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return Tool(
        name=definition.name,
        title="Read a file",
        description=definition.description,
        input_schema=dict(definition.input_schema),
        annotations=annotations,
        _meta={_MAX_RESULT_KEY: min(max_result_chars, MAX_RESULT_CHARS)},
    )


def _client_name(context: ServerRequestContext[Any]) -> str | None:
    client = context.session.client_params
    return None if client is None else client.client_info.name


async def _answer(tool: ReadTool, params: CallToolRequestParams, host: str | None) -> CallToolResult:
    noted: list[Record] = []
    token = reads.set(noted)
    try:
        output = await tool.call(params.arguments or {}, name=params.name)
        # The tool returns a document only if the model accepts one.
        result = call_tool_result(
            tool.blocks(output), is_error=tool.failed(output), model=_ANY_SIZE, embed_documents=True
        )
    except Exception as error:  # noqa: BLE001 - the model must see every failure
        # The SDK would send the exception's message as a protocol error, which hosts hide.
        _log.exception("a call of `%s` failed", params.name)
        text = sendable(f"the call failed unexpectedly: {type(error).__name__}: {error}")
        return CallToolResult(content=[TextContent(text=text)], is_error=True)
    finally:
        reads.reset(token)
    result["content"] = shown(result["content"], host)
    for block in result["content"]:
        # A block has only a file name; with the path a host can open the file itself.
        if block["type"] == "resource" and noted:
            block["resource"]["uri"] = f"file://{quote(sendable(noted[-1].path))}"
    validated: CallToolResult = CallToolResult.model_validate({**result, "_meta": _meta(output, noted)})
    return validated


def _meta(output: Output, noted: Sequence[Record]) -> dict[str, Any] | None:
    if isinstance(output, dict) and "path" in output:
        # Only our own contract returns the data of a page next to its blocks.
        data = {name: value for name, value in output.items() if name != "content"}
    elif noted:
        data = facts(noted[-1])
    else:
        return None
    return {RESULT_KEY: json.loads(sendable(json.dumps(data, ensure_ascii=False)))}


@asynccontextmanager
async def _progress(context: ServerRequestContext[Any]) -> AsyncIterator[None]:
    """Report the progress of a scan to the client, if it requested progress."""
    if not context.meta or "progress_token" not in context.meta:
        yield
        return
    scans = Scans()
    token = current_scans.set(scans)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_report_progress, context, scans)
            yield
            tasks.cancel_scope.cancel()
    finally:
        current_scans.reset(token)


async def _report_progress(context: ServerRequestContext[Any], scans: Scans) -> None:
    reported = 0
    while True:
        await anyio.sleep(_PROGRESS_S)
        scanned = scans.scanned_bytes
        if scanned > reported:
            reported = scanned
            await context.session.report_progress(scanned, message=f"scanned {scanned / 1e6:,.0f} MB")
