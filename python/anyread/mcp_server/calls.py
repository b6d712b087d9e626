"""The requests that a server answers: listing its tools, and calling them."""

from __future__ import annotations

import json
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import anyio
from mcp.server.lowlevel import Server
from mcp.types import INVALID_PARAMS, CallToolResult, Tool

from anyread import __version__
from anyread.adapters.content import sendable
from anyread.adapters.mcp import call_tool_result
from anyread.models.model import Model
from anyread.registry import HOSTS
from anyread.results import Block
from anyread.running.scans import Scans, current_scans
from anyread.tools import Definition, Output

from . import sdk
from .hosts import for_host
from .sdk.call import Report, ToolCall
from .tools import MAX_RESULT_CHARS, facts, reads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

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
    names = {each.name for each in listed}

    async def answer(call: ToolCall) -> CallToolResult:
        if call.name not in names:
            known = ", ".join(f"`{each.name}`" for each in listed)
            message = f"unknown tool `{sendable(call.name)}`; the server has {known}"
            raise sdk.protocol_error(INVALID_PARAMS, message)
        connected = host or call.client
        answering = text_tool if text_tool is not None and connected in HOSTS else tool
        async with _progress(call.report):
            return await _answer(answering, call, connected)

    shown_instructions = None if instructions is None else sendable(instructions)
    return sdk.make_server("anyread", __version__, shown_instructions, listed, answer)


def _listed(definition: Definition, max_result_chars: int) -> Tool:
    listed: Tool = Tool.model_validate(
        {
            "name": definition.name,
            "title": definition.title,
            "description": definition.description,
            "inputSchema": dict(definition.input_schema),
            "annotations": {
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
            },
            "_meta": {_MAX_RESULT_KEY: min(max_result_chars, MAX_RESULT_CHARS)},
        }
    )
    return listed


async def _answer(tool: ReadTool, call: ToolCall, host: str | None) -> CallToolResult:
    noted: list[Record] = []
    token = reads.set(noted)
    try:
        output = await tool.call(call.arguments, name=call.name)
        # The tool returns a document only if the model accepts one.
        result = call_tool_result(
            tool.blocks(output), is_error=tool.failed(output), model=_ANY_SIZE, embed_documents=True
        )
    except Exception as error:  # noqa: BLE001 - the model must see every failure
        # The SDK would send the exception's message as a protocol error, which hosts hide.
        _log.exception("a call of `%s` failed", call.name)
        text = sendable(f"the call failed unexpectedly: {type(error).__name__}: {error}")
        return _result({"content": [{"type": "text", "text": text}], "isError": True})
    finally:
        reads.reset(token)
    result["content"] = for_host(result["content"], host)
    paths = [quote(sendable(record.path)) for record in noted]
    for block in result["content"]:
        # A block has only a file name; with the path a host can open the file itself.
        if block["type"] == "resource" and paths:
            name = block["resource"]["uri"].rpartition("/")[2]
            path = next((path for path in paths if path.rpartition("/")[2] == name), paths[-1])
            block["resource"]["uri"] = f"file://{path}"
            if len(paths) > 1:
                # Files in different directories may have the same name.
                paths.remove(path)
    return _result({**result, "_meta": _meta(output, noted)})


def _result(values: dict[str, Any]) -> CallToolResult:
    result: CallToolResult = CallToolResult.model_validate(values)
    return result


def _meta(output: Output, noted: Sequence[Record]) -> dict[str, Any] | None:
    if isinstance(output, dict) and ("path" in output or output.get("kind") == "places"):
        # Only our own contract returns the data of a page next to its blocks.
        data = {name: value for name, value in output.items() if name != "content"}
    elif noted:
        data = facts(noted[-1])
    else:
        return None
    return {RESULT_KEY: json.loads(sendable(json.dumps(data, ensure_ascii=False)))}


@asynccontextmanager
async def _progress(report: Report | None) -> AsyncIterator[None]:
    """Report the progress of a scan to the client, if it requested progress."""
    if report is None:
        yield
        return
    scans = Scans()
    token = current_scans.set(scans)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_report_progress, report, scans)
            yield
            tasks.cancel_scope.cancel()
    finally:
        current_scans.reset(token)


async def _report_progress(report: Report, scans: Scans) -> None:
    reported = 0
    while True:
        await anyio.sleep(_PROGRESS_S)
        scanned = scans.scanned_bytes
        if scanned > reported:
            reported = scanned
            await report(scanned, f"scanned {scanned / 1e6:,.0f} MB")
