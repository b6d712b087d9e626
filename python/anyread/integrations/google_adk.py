"""Google's Agent Development Kit: a read tool, and a toolset that reads the files of an environment.

| anyread | Agent Development Kit |
| --- | --- |
| text | `output` of the response |
| image, PDF | `Part`s, which become the parts of the function response; the text says where each belongs |
| error | `error` of the response |

Source: the package `google-adk` 2.13.0, 2026-11-22.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyread.adapters.content import separated
from anyread.models.model import Model
from anyread.tools import tool as make_tool

from .fetching import FetchingTool
from .reading import CallableTool, Reading
from .requirements import needs

with needs(__name__, "google-adk"):
    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.environment import BaseEnvironment, LocalEnvironment
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.environment import EnvironmentToolset
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

__all__ = ["GoogleAdkTool", "ReadingEnvironmentToolset", "tool"]

_READ_FILE = "ReadFile"
"""The name of the tool that the environment toolset has for reading."""


def tool(
    read: CallableTool | None = None, *, model: Model | None = None, name: str | None = None
) -> GoogleAdkTool:
    """Make a tool of an agent from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; `None`: `Model.gemini()`. Anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool. It raises no error for a failed read.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.google_adk import tool as read_tool
        >>> read = anyread.tool(roots=["/repo"], model=anyread.Model.gemini())
        >>> agent = LlmAgent(name="reader", tools=[read_tool(read)])
    """
    return GoogleAdkTool(Reading(read, model or Model.gemini(), name))


class GoogleAdkTool(BaseTool):
    """A tool of anyread as a tool of an agent, as the function `tool` makes it.

    Args:
        reading: The tool, and what the model accepts.
        name: The name that the model uses; `None`: the tool's own.
    """

    def __init__(self, reading: Reading, name: str | None = None) -> None:
        super().__init__(name=name or reading.name, description=reading.description)
        self._reading = reading

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._reading.schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:  # noqa: ARG002 - ADK's own
        """Answer a call.

        Returns:
            `output` or `error` with the text, and under `media` the images and documents, if there are any.
        """
        shown = self._reading.model_answer(await self._reading.call(args))
        text, media = separated(shown.blocks)
        response: dict[str, Any] = {"error" if shown.is_error else "output": text}
        if media:
            response["media"] = [
                types.Part.from_bytes(data=each.data, mime_type=each.media_type) for each, _ in media
            ]
        return response

    def _detect_error_in_response(self, response: Any) -> str | None:
        """Return the type of an error, for the kit's telemetry."""
        return "TOOL_ERROR" if isinstance(response, dict) and "error" in response else None


class ReadingEnvironmentToolset(EnvironmentToolset):
    """The tools of an environment, with anyread in place of its `ReadFile`.

    In a `LocalEnvironment`, only a window of the file is read, and only files in the working directory can
    be read. Files of other environments are fetched completely.

    Args:
        environment: The environment.
        model: What the model accepts; `None`: `Model.gemini()`. Anything else becomes text.
        options: The other arguments of `EnvironmentToolset`.

    Example:
        >>> from anyread.integrations.google_adk import ReadingEnvironmentToolset
        >>> toolset = ReadingEnvironmentToolset(environment=environment)
        >>> agent = LlmAgent(name="reader", tools=[toolset])
    """

    def __init__(self, *, environment: BaseEnvironment, model: Model | None = None, **options: Any) -> None:
        super().__init__(environment=environment, **options)
        self._model = model or Model.gemini()

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        """Return the tools; the environment is started if it has not been yet."""
        tools: list[BaseTool] = await super().get_tools(readonly_context)
        reading = GoogleAdkTool(Reading(self._environment_tool(), self._model), _READ_FILE)
        return [reading if each.name == _READ_FILE else each for each in tools]

    def _environment_tool(self) -> CallableTool:
        environment = self._environment
        if isinstance(environment, LocalEnvironment):
            return make_tool("anyread", roots=[environment.working_dir], model=self._model)
        return FetchingTool(lambda path: environment.read_file(Path(path)), model=self._model)
