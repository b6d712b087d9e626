"""LangChain and LangGraph: a read tool whose answers are content blocks that any chat model understands.

| anyread | LangChain |
| --- | --- |
| text | `TextContentBlock` |
| image | `ImageContentBlock`, in base64 |
| PDF | `FileContentBlock`, in base64 |
| error | a `ToolMessage` with the status "error" and the text of the error |
| output of the contract | the `artifact` of the `ToolMessage`, which no model sees; errors have none |

Source: the packages `langchain-core` 1.8.2 and `langchain` 1.5.0, 2026-11-22.
"""

from __future__ import annotations

from typing import Any, Literal

from anyread.adapters.content import document_name
from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.results.blocks import ImageBlock
from anyread.tools import Output, Tool

from .reading import EVERYTHING, Reading, text_of
from .requirements import needs

with needs(__name__, "langchain-core"):
    from langchain_core.messages.content import (
        ContentBlock,
        create_file_block,
        create_image_block,
        create_text_block,
    )
    from langchain_core.tools import BaseTool, ToolException
    from pydantic import PrivateAttr

__all__ = ["LangchainTool", "tool"]


def tool(read: Tool | None = None, *, model: Model | None = None, name: str | None = None) -> LangchainTool:
    """Make a tool of an agent from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults, which reads every path.
        model: What the model accepts, the rest becomes text; `None`: everything that `read` returns.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool, for `create_agent`, `ToolNode` or `bind_tools`, in synchronous and asynchronous runs.
        A failed read never ends the run.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.langchain import tool as read_tool
        >>> read = anyread.tool(roots=["/repo"], model=anyread.Model.anthropic())
        >>> agent = create_agent("claude-sonnet-5", tools=[read_tool(read)])
    """
    return LangchainTool(read, model=model, name=name)


class LangchainTool(BaseTool):
    """A tool of anyread as a tool of an agent.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; `None`: everything that `read` returns.
        name: One of several tools of the contract; `None`: the first.
    """

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True

    _reading: Reading = PrivateAttr()

    def __init__(
        self, read: Tool | None = None, *, model: Model | None = None, name: str | None = None
    ) -> None:
        reading = Reading(read, model or EVERYTHING, name)
        super().__init__(name=reading.name, description=reading.description, args_schema=reading.schema)
        self._reading = reading

    # `self` is positional, so that a model may pass an argument with this name.
    def _run(self, /, *_: Any, **arguments: Any) -> tuple[list[ContentBlock], Output]:
        return self._answer(self._reading.call_sync(arguments))

    async def _arun(self, /, *_: Any, **arguments: Any) -> tuple[list[ContentBlock], Output]:
        return self._answer(await self._reading.call(arguments))

    def _answer(self, output: Output) -> tuple[list[ContentBlock], Output]:
        shown = self._reading.model_answer(output)
        if shown.is_error:
            raise ToolException(text_of(shown))
        return [_converted(block) for block in shown.blocks], output


def _converted(block: Block) -> ContentBlock:
    if isinstance(block, TextBlock):
        return create_text_block(block.text)
    if isinstance(block, ImageBlock):
        return create_image_block(base64=block.base64, mime_type=block.media_type)
    return create_file_block(base64=block.base64, mime_type=block.media_type, filename=document_name(block))
