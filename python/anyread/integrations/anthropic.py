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
from anyread.model import Model
from anyread.tools import Output, Tool
from anyread.tools import tool as make_tool

from .callable_tool import definition_of
from .requirements import needs

with needs("anthropic"):
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
        >>> read = anyread.tool("anyread", roots=["/repo"], model=anyread.Model.anthropic())
        >>> tools = [anyread.integrations.anthropic.tool(read)]
        >>> runner = client.beta.messages.tool_runner(tools=tools, model="claude-sonnet-5", ...)
    """
    reading = _Reading(read, model, name)

    def answer(**arguments: Any) -> BetaFunctionToolResultType:
        return reading.shown(reading.tool.call_sync(arguments, name=reading.definition.name))

    return beta_tool(answer, **reading.described())


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
        >>> tools = [anyread.integrations.anthropic.async_tool(anyread.tool("claude-code"))]
        >>> runner = client.beta.messages.tool_runner(tools=tools, model="claude-sonnet-5", ...)
    """
    reading = _Reading(read, model, name)

    async def answer(**arguments: Any) -> BetaFunctionToolResultType:
        return reading.shown(await reading.tool.call(arguments, name=reading.definition.name))

    return beta_async_tool(answer, **reading.described())


class _Reading:
    """A tool of anyread, and how its answers are shown to a model."""

    def __init__(self, read: Tool | None, model: Model | None, name: str | None) -> None:
        self._model = model or Model.anthropic()
        self.tool = read if read is not None else make_tool("anyread", model=self._model)
        self.definition = definition_of(self.tool, name)

    def described(self) -> dict[str, Any]:
        """Return the definition as the SDK's arguments."""
        return {
            "name": self.definition.name,
            "description": self.definition.description,
            "input_schema": dict(self.definition.input_schema),
        }

    def shown(self, output: Output) -> BetaFunctionToolResultType:
        """Return the content of a result.

        Raises:
            ToolError: The output is a failure.
        """
        blocks = cast("BetaFunctionToolResultType", content(self.tool.blocks(output), model=self._model))
        if self.tool.failed(output):
            raise ToolError(blocks)
        return blocks
