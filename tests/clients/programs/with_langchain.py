"""An agent of langchain with langchain-mcp-adapters, whose model records what it gets."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from pydantic import Field

from clients.programs.asking import Answer, Request, image_item, image_url_item, run, text_item


def item(block: Any) -> dict[str, str]:
    if isinstance(block, str):
        return text_item(block)
    if block["type"] == "text":
        return text_item(block["text"])
    if block["type"] == "image_url":
        return image_url_item(block["image_url"]["url"])
    if block["type"] == "image":
        return image_item(block["base64"], block["mime_type"])
    return {"other": block["type"]}


class Recording(BaseChatModel):
    """A model that makes one call after another and records their results."""

    pending: list[tuple[str, dict[str, str]]]
    answers: dict[str, Any] = Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "recording"

    def bind_tools(self, tools: Any, **_options: Any) -> "Recording":
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_options: Any
    ) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            content = [last.content] if isinstance(last.content, str) else last.content
            shown = [item(block) for block in content]
            self.answers[last.tool_call_id] = {"is_error": last.status == "error", "items": shown}
        message = AIMessage("done")
        if self.pending:
            kind, call = self.pending.pop(0)
            message = AIMessage("", tool_calls=[{"name": "read", "args": call, "id": kind}])
        return ChatResult(generations=[ChatGeneration(message=message)])


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    stdio = {"transport": "stdio", "command": program, "args": arguments}
    http = {"transport": "streamable_http", "url": request.url}
    connection: Any = http if request.url else stdio
    tools = await MultiServerMCPClient({"anyread": connection}).get_tools()
    model = Recording(pending=list(request.calls.items()))
    await create_agent(model, tools).ainvoke({"messages": [{"role": "user", "content": "read the files"}]})
    return model.answers


run(ask)
