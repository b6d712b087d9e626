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
from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.running.stopping import unless_stopped

from .fetching import FetchingTool
from .reading import CallableTool, Reading
from .requirements import needs

with needs(__name__, "strands-agents"):
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
        >>> from anyread.integrations.strands import tool as read_tool
        >>> agent = Agent(tools=[read_tool(anyread.tool(roots=["/repo"], model=anyread.Model.bedrock()))])
    """
    return StrandsTool(Reading(read, model or Model.bedrock(), name), citations=citations)


def sandbox_tool(sandbox: Sandbox, *, model: Model | None = None, citations: bool = False) -> StrandsTool:
    """Make a tool that reads the files of a sandbox, each of which the sandbox returns completely.

    Args:
        sandbox: The sandbox.
        model: What the model accepts; `None`: `Model.bedrock()`. Anything else becomes text.
        citations: Whether the model may cite documents.

    Returns:
        The tool. It raises no error for a failed read.

    Example:
        >>> from anyread.integrations.strands import sandbox_tool
        >>> agent = Agent(sandbox=sandbox, tools=[sandbox_tool(sandbox)])
    """
    accepted = model or Model.bedrock()
    reading = Reading(FetchingTool(sandbox.read_file, model=accepted), accepted)
    return StrandsTool(reading, citations=citations)


class StrandsTool(AgentTool):
    """A tool of anyread as a tool of an agent, as the function `tool` makes it.

    `Agent.cancel` and a `cancel_signal` end a read; its result then is an error.

    Args:
        reading: The tool, and what the model accepts.
        citations: Whether the model may cite documents.
    """

    def __init__(self, reading: Reading, *, citations: bool = False) -> None:
        super().__init__()
        self._reading = reading
        self._citations = citations

    @property
    def tool_name(self) -> str:
        """The name that the model uses."""
        return self._reading.name

    @property
    def tool_spec(self) -> ToolSpec:
        """The definition for the model."""
        return {
            "name": self._reading.name,
            "description": self._reading.description,
            "inputSchema": {"json": self._reading.schema},
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
        reading = self._reading
        output = await unless_stopped(reading.call(tool_use["input"]), _stop_flag(invocation_state))
        is_cancelled = output is None
        block = bedrock.tool_result(
            TextBlock("the read was cancelled") if is_cancelled else reading.tool.blocks(output),
            tool_use_id=tool_use["toolUseId"],
            is_error=is_cancelled or reading.tool.failed(output),
            model=reading.model,
            citations=self._citations,
        )
        yield ToolResultEvent(cast("ToolResult", {"status": "success", **block["toolResult"]}))


def _stop_flag(invocation_state: dict[str, Any]) -> threading.Event | None:
    """Return the flag that the agent sets when it is cancelled."""
    flag = getattr(invocation_state.get("agent"), "cancel_signal", None)
    return flag if isinstance(flag, threading.Event) else None
