"""Strands Agents: a read tool whose results are content blocks of Amazon Bedrock's format.

| anyread | Strands |
| --- | --- |
| text | `text` |
| image | `image`, with its bytes |
| PDF | `document`, with its bytes |
| error | the status `error` |

Source: the package `strands-agents` 1.62.0, 2026-11-22.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, cast

from anyread.adapters import bedrock
from anyread.model import Model
from anyread.running.stopping import unless_stopped
from anyread.tools import tool as make_tool

from .callable_tool import CallableTool, definition_of
from .fetching import FetchingTool
from .requirements import needs

with needs("strands-agents"):
    from strands.sandbox import Sandbox
    from strands.types.events import ToolResultEvent
    from strands.types.tools import AgentTool, ToolSpec

if TYPE_CHECKING:
    from strands.types.tools import ToolResult, ToolUse

__all__ = ["StrandsTool", "sandbox_tool", "tool"]


def tool(
    read: CallableTool | None = None,
    *,
    model: Model | None = None,
    citations: bool = False,
    name: str | None = None,
) -> StrandsTool:
    """Make a tool of an agent from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; `None`: `Model.bedrock()`. Anything else becomes text.
        citations: Whether the model may cite documents; without it, Claude on Bedrock sees only the text
            of PDFs.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool. It raises no error for a failed read.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> read = anyread.tool("anyread", roots=["/repo"], model=anyread.Model.bedrock())
        >>> agent = Agent(tools=[anyread.integrations.strands.tool(read)])
    """
    accepted = model or Model.bedrock()
    reading = read if read is not None else make_tool("anyread", model=accepted)
    return StrandsTool(reading, model=accepted, citations=citations, name=name)


def sandbox_tool(sandbox: Sandbox, *, model: Model | None = None, citations: bool = False) -> StrandsTool:
    """Make a tool that reads the files of a sandbox, each of which the sandbox returns completely.

    Args:
        sandbox: The sandbox.
        model: What the model accepts; `None`: `Model.bedrock()`. Anything else becomes text.
        citations: Whether the model may cite documents.

    Returns:
        The tool. It raises no error for a failed read.

    Example:
        >>> read = anyread.integrations.strands.sandbox_tool(sandbox)
        >>> agent = Agent(sandbox=sandbox, tools=[read])
    """
    accepted = model or Model.bedrock()
    return StrandsTool(FetchingTool(sandbox.read_file, model=accepted), model=accepted, citations=citations)


class StrandsTool(AgentTool):
    """A tool of anyread as a tool of an agent.

    `Agent.cancel` and a `cancel_signal` end a read; its result then is an error.

    Args:
        read: The tool.
        model: What the model accepts. Anything else becomes text.
        citations: Whether the model may cite documents.
        name: One of several tools of the contract; `None`: the first.

    Raises:
        ValueError: The contract has no tool with this name.
    """

    def __init__(
        self, read: CallableTool, *, model: Model, citations: bool = False, name: str | None = None
    ) -> None:
        super().__init__()
        self._definition = definition_of(read, name)
        self._read = read
        self._model = model
        self._citations = citations

    @property
    def tool_name(self) -> str:
        """The name that the model uses."""
        return self._definition.name

    @property
    def tool_spec(self) -> ToolSpec:
        """The definition for the model."""
        return {
            "name": self._definition.name,
            "description": self._definition.description,
            "inputSchema": {"json": dict(self._definition.input_schema)},
        }

    @property
    def tool_type(self) -> str:
        """The kind of implementation."""
        return "python"

    async def stream(
        self,
        tool_use: ToolUse,
        invocation_state: dict[str, Any],
        **kwargs: Any,  # noqa: ARG002 - the signature of Strands
    ) -> AsyncGenerator[ToolResultEvent, None]:
        """Answer a call with one event, the result."""
        call = self._read.call(tool_use["input"], name=self._definition.name)
        output = await unless_stopped(call, _stop_flag(invocation_state))
        if output is None:
            yield ToolResultEvent(
                {
                    "toolUseId": tool_use["toolUseId"],
                    "status": "error",
                    "content": [{"text": "the read was cancelled"}],
                }
            )
            return
        block = bedrock.tool_result(
            self._read.blocks(output),
            tool_use_id=tool_use["toolUseId"],
            is_error=self._read.failed(output),
            model=self._model,
            citations=self._citations,
        )
        yield ToolResultEvent(cast("ToolResult", {"status": "success", **block["toolResult"]}))


def _stop_flag(invocation_state: dict[str, Any]) -> threading.Event | None:
    """Return the flag that the agent sets when it is cancelled."""
    flag = getattr(invocation_state.get("agent"), "cancel_signal", None)
    return flag if isinstance(flag, threading.Event) else None
