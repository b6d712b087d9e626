"""Pydantic AI: a capability that reads the run's workspace, and a read tool for agents without one.

| anyread | Pydantic AI |
| --- | --- |
| text | a string in the content of the `ToolReturnPart` |
| image, PDF | `BinaryContent` in the same content |
| error | a `ToolReturnPart` with the outcome "failed", which costs none of the tool's retries |

Source: the package `pydantic-ai-slim` 2.68.0, 2026-11-22.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.tools import tool as make_tool

from .fetching import FetchingTool
from .reading import EVERYTHING, CallableTool, Reading, text_of
from .requirements import needs

with needs(__name__, "pydantic-ai-slim"):
    from pydantic_ai import BinaryContent, RunContext, Tool, ToolFailed
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.workspaces import (
        AuthorityWorkspace,
        LocalWorkspaceBackend,
        ReadOnlyWorkspace,
        Workspace,
        WorkspaceError,
    )
    from pydantic_ai.workspaces.workspace import workspace_layers
    from pydantic_core import SchemaValidator, core_schema

__all__ = ["WorkspaceReading", "tool"]

ToolAnswer: TypeAlias = str | list[str | BinaryContent]
"""The answer of a call: a text, or texts and media in the order in which the model should see them."""

_TRANSPARENT = {AuthorityWorkspace, ReadOnlyWorkspace}
"""Wrappers of a workspace that return its files unchanged."""


def tool(
    read: CallableTool | None = None, *, model: Model | None = None, name: str | None = None
) -> Tool[Any]:
    """Make a tool of an agent from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults, which reads every path.
        model: What the model accepts, the rest becomes text; `None`: everything that `read` returns.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool, for the `tools` of an agent. A failed read never ends the run.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.pydantic_ai import tool as read_tool
        >>> read = anyread.tool(roots=["/repo"], model=anyread.Model.anthropic())
        >>> agent = Agent("anthropic:claude-sonnet-5", tools=[read_tool(read)])
    """
    reading = Reading(read, model or EVERYTHING, name)
    # Unlike a function in a function, this can be pickled, and so can the tool.
    call = partial(_answered, reading)
    return _of_objects(Tool.from_schema(call, reading.name, reading.description, reading.schema))


def _of_objects(made: Tool[AgentDepsT]) -> Tool[AgentDepsT]:
    """Return a tool whose arguments must be an object; for others, the agent asks its model again."""
    objects = core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())
    made.function_schema.validator = SchemaValidator(objects)
    return made


@dataclass
class WorkspaceReading(AbstractCapability[AgentDepsT]):
    """Give an agent the tool `read` for the files of the run's workspace.

    In a workspace on this machine, only the window is read, and only files in its working directory can be
    read. Another workspace returns each file completely for each call, through its own `read_bytes`.

    Args:
        model: What the model accepts, the rest becomes text; `None`: `Model.any()`.

    Example:
        >>> from anyread.integrations.pydantic_ai import WorkspaceReading
        >>> capabilities = [LocalWorkspace("/repo"), WorkspaceReading()]
        >>> agent = Agent("anthropic:claude-sonnet-5", capabilities=capabilities)
    """

    model: Model | None = None
    """What the model accepts; `None`: `Model.any()`."""
    id: str | None = "anyread"
    """Fixed, so that an agent has this tool once."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return that the capability cannot be written in an agent's specification."""
        return None

    def get_toolset(self) -> FunctionToolset[AgentDepsT]:
        """Return the toolset with the tool."""
        accepted = self.model or Model.any()
        own = Reading(None, accepted)

        async def call(context: RunContext[AgentDepsT], /, **arguments: Any) -> ToolAnswer:
            try:
                reading = Reading(await _tool_of(context.workspace, accepted), accepted)
            except WorkspaceError as error:
                raise ToolFailed(str(error)) from error
            return await _answered(reading, **arguments)

        made = Tool[AgentDepsT].from_schema(call, own.name, own.description, own.schema, takes_ctx=True)
        return FunctionToolset([_of_objects(made)], id=self.id)


async def _tool_of(workspace: Workspace, model: Model) -> CallableTool:
    """Return a tool that reads the files of a workspace."""
    *wrappers, backend = workspace_layers(workspace)
    # Any other class may hide or change files, so it reads them itself.
    if backend is LocalWorkspaceBackend and _TRANSPARENT.issuperset(wrappers):
        return make_tool("anyread", roots=[await workspace.working_dir()], model=model)
    return FetchingTool(workspace.read_bytes, model=model)


async def _answered(reading: Reading, /, **arguments: Any) -> ToolAnswer:
    shown = reading.model_answer(await reading.call(arguments))
    if shown.is_error:
        raise ToolFailed(text_of(shown))
    content: list[str | BinaryContent] = [
        block.text if isinstance(block, TextBlock) else BinaryContent(block.data, media_type=block.media_type)
        for block in shown.blocks
    ]
    [first, *others] = content
    return first if isinstance(first, str) and not others else content
