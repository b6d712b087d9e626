"""The OpenAI Agents SDK: a read tool for agents, and one for the files of a sandbox.

| anyread | OpenAI Agents SDK |
| --- | --- |
| text | `ToolOutputText` |
| image | `ToolOutputImage`, as a data URL |
| PDF | `ToolOutputFileContent`, as a data URL |
| error | `ToolOutputText` that starts with `error: `, because the API has no error flag |

Source: the package `openai-agents` 0.24.0, 2026-11-22.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

from anyread.adapters.content import data_url, document_name
from anyread.errors import OutsideRootError, TooLargeError
from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.results.blocks import ImageBlock
from anyread.running import loop
from anyread.tools import tool as make_tool

from .fetching import MAX_FETCHED_BYTES, FetchingTool, worked
from .reading import CallableTool, Reading
from .requirements import needs

with needs(__name__, "openai-agents"):
    from agents import (
        FunctionTool,
        Tool,
        ToolOutputFileContent,
        ToolOutputImage,
        ToolOutputText,
    )
    from agents.sandbox.capabilities import Capability
    from agents.sandbox.errors import InvalidManifestPathError, WorkspaceReadNotFoundError
    from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
    from agents.tool_context import ToolContext
    from pydantic import Field, InstanceOf

__all__ = ["ReadCapability", "tool"]

ToolOutput: TypeAlias = ToolOutputText | ToolOutputImage | ToolOutputFileContent

_DETAILS: dict[str | None, Literal["low", "high", "auto"]] = {"low": "low", "high": "high", "auto": "auto"}
"""The values of `detail` that the SDK has."""


def tool(
    read: CallableTool | None = None, *, model: Model | None = None, name: str | None = None
) -> FunctionTool:
    """Make a tool of an agent from a tool of anyread.

    The schema is not strict, because a strict one would make the model fill in every argument.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool. Its answers are lists of the SDK's output types; it raises no error for a failed read.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.openai_agents import tool as read_tool
        >>> read = anyread.tool(roots=["/repo"], model=anyread.Model.openai())
        >>> agent = Agent(name="reader", tools=[read_tool(read)])
    """
    reading = Reading(read, model or Model.openai(), name)

    async def invoke(context: ToolContext[Any], arguments: str) -> list[ToolOutput]:  # noqa: ARG001 - the SDK's
        try:
            given = json.loads(arguments or "{}")
        except ValueError as error:
            return [ToolOutputText(text=f"error: the arguments are not valid JSON: {error}")]
        shown = reading.model_answer(await reading.call(given), flags_errors=False, still_gif=True)
        return [_converted(block, reading.model) for block in shown.blocks]

    return FunctionTool(
        name=reading.name,
        description=reading.description,
        params_json_schema=reading.schema,
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


def _converted(block: Block, model: Model) -> ToolOutput:
    if isinstance(block, TextBlock):
        return ToolOutputText(text=block.text)
    if isinstance(block, ImageBlock):
        # The SDK has no "original".
        return ToolOutputImage(image_url=data_url(block), detail=_DETAILS.get(model.image_detail, "high"))
    return ToolOutputFileContent(file_data=data_url(block), filename=document_name(block))


class ReadCapability(Capability):
    """Read the files of a sandbox, of every kind.

    In a sandbox on this machine, only a window of the file is read. Files of other sandboxes, and those
    read as another user, are fetched completely through the session, up to 256 MiB.

    Args:
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.

    Example:
        >>> from anyread.integrations.openai_agents import ReadCapability
        >>> capabilities = [*Capabilities.default(), ReadCapability()]
        >>> agent = SandboxAgent(name="reader", capabilities=capabilities)
    """

    type: Literal["anyread"] = "anyread"
    model: InstanceOf[Model] | None = Field(default=None, exclude=True)
    """What the model accepts; `None`: `Model.openai()`."""

    def tools(self) -> list[Tool]:
        """Return the read tool for the session.

        Raises:
            ValueError: The capability is not bound to a session.
        """
        if self.session is None:
            raise ValueError("ReadCapability is not bound to a sandbox session")
        accepted = self.model or Model.openai()
        return [tool(self._session_tool(self.session, accepted), model=accepted)]

    def _session_tool(self, session: BaseSandboxSession, accepted: Model) -> CallableTool:
        manifest = session.state.manifest
        roots = [manifest.root, *(grant.path for grant in manifest.extra_path_grants)]
        is_local = session.state.type == "unix_local" and self.run_as is None
        # A grant may be a single file, which is no root.
        if is_local and all(Path(root).is_dir() for root in roots):
            directory = Path(manifest.root, self.workspace_scope.cwd or "")
            return make_tool("anyread", roots=roots, cwd=directory, model=accepted)

        async def fetch(path: str) -> bytes:
            return await self._fetch(session, path)

        return FetchingTool(fetch, model=accepted)

    async def _fetch(self, session: BaseSandboxSession, path: str) -> bytes:
        try:
            stream = await session.read(Path(self.workspace_scope.anchor(path)), user=self.run_as)
        except WorkspaceReadNotFoundError as error:
            raise FileNotFoundError(path) from error
        except InvalidManifestPathError as error:
            raise OutsideRootError(path, roots=(session.state.manifest.root,)) from error
        content: bytes = await loop.run(lambda: worked(lambda: _content(stream, path), path))
        return content


def _content(stream: io.IOBase, path: str) -> bytes:
    """Read a stream to its end, and close it."""
    content = bytearray()
    with stream:
        while part := stream.read(1 << 20):
            content += part.encode() if isinstance(part, str) else part
            if len(content) > MAX_FETCHED_BYTES:
                raise TooLargeError(path, size=len(content), maximum=MAX_FETCHED_BYTES, unit="bytes")
    return bytes(content)
