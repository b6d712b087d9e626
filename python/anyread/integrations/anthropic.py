"""Anthropic's SDK: a read tool for `client.beta.messages.tool_runner`.

| anyread | Anthropic |
| --- | --- |
| text | `text` |
| image | `image` with a base64 source |
| PDF | `document` with a base64 source |
| error | `ToolError`, which the runner sends as a `tool_result` with `is_error` |

Source: the package `anthropic` 2.12.0, 2026-11-22.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, cast

from anyread.adapters.anthropic import content
from anyread.models.model import Model
from anyread.tools import Output, Tool

from .reading import Reading
from .requirements import needs

with needs(__name__, "anthropic"):
    from anthropic.lib.tools import (
        BetaAsyncFunctionTool,
        BetaFunctionTool,
        BetaFunctionToolResultType,
        ToolError,
        beta_async_tool,
        beta_tool,
    )

__all__ = ["async_tool", "tool"]

SyncTool: TypeAlias = BetaFunctionTool[Callable[..., BetaFunctionToolResultType]]
AsyncTool: TypeAlias = BetaAsyncFunctionTool[Callable[..., Coroutine[Any, Any, BetaFunctionToolResultType]]]


def tool(read: Tool | None = None, *, model: Model | None = None, name: str | None = None) -> SyncTool:
    """Make a tool for the tool runner of `Anthropic` from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults, which reads every path.
        model: What the model accepts; `None`: `Model.anthropic()`. Anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool. A failed read raises `ToolError`, which the runner shows to the model.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.anthropic import tool as read_tool
        >>> tools = [read_tool(anyread.tool(roots=["/repo"], model=anyread.Model.anthropic()))]
        >>> runner = client.beta.messages.tool_runner(tools=tools, model="claude-sonnet-5", ...)
    """
    reading = Reading(read, model or Model.anthropic(), name)

    def answer(**arguments: Any) -> BetaFunctionToolResultType:
        return _shown(reading, reading.call_sync(arguments))

    return beta_tool(answer, **_described(reading))


def async_tool(read: Tool | None = None, *, model: Model | None = None, name: str | None = None) -> AsyncTool:
    """Make a tool for the tool runner of `AsyncAnthropic` from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults, which reads every path.
        model: What the model accepts; `None`: `Model.anthropic()`. Anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool. A failed read raises `ToolError`, which the runner shows to the model.
        Cancelling the task of the runner ends the read.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.anthropic import async_tool as read_tool
        >>> tools = [read_tool(anyread.tool("claude-code"))]
        >>> runner = client.beta.messages.tool_runner(tools=tools, model="claude-sonnet-5", ...)
    """
    reading = Reading(read, model or Model.anthropic(), name)

    async def answer(**arguments: Any) -> BetaFunctionToolResultType:
        return _shown(reading, await reading.call(arguments))

    return beta_async_tool(answer, **_described(reading))


def _described(reading: Reading) -> dict[str, Any]:
    """Return the definition as the SDK's arguments."""
    return {"name": reading.name, "description": reading.description, "input_schema": reading.schema}


def _shown(reading: Reading, output: Output) -> BetaFunctionToolResultType:
    """Return the content of a result.

    Raises:
        ToolError: The output is a failure.
    """
    blocks = content(reading.tool.blocks(output), model=reading.model)
    result = cast("BetaFunctionToolResultType", blocks)
    if reading.tool.failed(output):
        raise ToolError(result)
    return result
