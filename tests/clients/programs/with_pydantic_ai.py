"""An agent of pydantic-ai, whose model is a function that records what it gets."""

from typing import Any

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from clients.programs.asking import Answer, Request, image_item, run, text_item


def items(content: Any) -> list[dict[str, str]]:
    if isinstance(content, list):
        return [item for each in content for item in items(each)]
    if isinstance(content, BinaryContent):
        return [image_item(content.base64, content.media_type)]
    return [text_item(content) if isinstance(content, str) else {"other": type(content).__name__}]


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    answers: dict[str, Answer] = {}
    pending = list(request.calls.items())
    asked: list[str] = []

    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        if asked:
            parts = messages[-1].parts
            marked = any(
                isinstance(part, RetryPromptPart)
                or (isinstance(part, ToolReturnPart) and part.outcome != "success")
                for part in parts
            )
            shown = [
                item
                for part in parts
                if isinstance(part, RetryPromptPart | ToolReturnPart | UserPromptPart)
                for item in items(part.content)
            ]
            answers[asked[-1]] = {"is_error": marked, "items": shown}
        if not pending:
            return ModelResponse(parts=[TextPart("done")])
        kind, call = pending.pop(0)
        asked.append(kind)
        return ModelResponse(parts=[ToolCallPart("read", call)])

    server = request.url or StdioTransport(command=program, args=arguments)
    await Agent(FunctionModel(model), toolsets=[MCPToolset(server)]).run("read the files")
    return answers


run(ask)
