"""An agent of openai-agents, whose model records what it gets."""

import json
from typing import Any

from agents import Agent, Runner, set_tracing_disabled
from agents.items import ModelResponse
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from clients.programs.asking import Answer, Request, image_url_item, run, text_item


def item(part: Any) -> dict[str, str]:
    if part["type"] == "input_text":
        return text_item(part["text"])
    if part["type"] == "input_image":
        return image_url_item(part["image_url"])
    return {"other": part["type"]}


class Recording(Model):
    """A model that makes one call after another and records their results."""

    def __init__(self, calls: dict[str, dict[str, str]]) -> None:
        self.pending = list(calls.items())
        self.answers: dict[str, Answer] = {}

    async def get_response(
        self,
        system_instructions: Any,
        input: Any,
        *_others: Any,
        **_options: Any,
    ) -> ModelResponse:
        last = input[-1] if isinstance(input, list) else {}
        if last.get("type") == "function_call_output":
            output = last["output"]
            shown = [text_item(output)] if isinstance(output, str) else [item(part) for part in output]
            # The Responses API has no error flag.
            self.answers[last["call_id"]] = {"is_error": False, "items": shown}
        answer: Any
        if self.pending:
            kind, call = self.pending.pop(0)
            arguments = json.dumps(call)
            answer = ResponseFunctionToolCall(
                type="function_call", call_id=kind, name="read", arguments=arguments
            )
        else:
            done = ResponseOutputText(type="output_text", text="done", annotations=[])
            answer = ResponseOutputMessage(
                id="message", type="message", role="assistant", status="completed", content=[done]
            )
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *_others: Any, **_options: Any) -> Any:
        raise NotImplementedError


async def ask(request: Request) -> dict[str, Answer]:
    set_tracing_disabled(disabled=True)
    program, *arguments = request.command
    # Its default of 5 seconds may be too short for the first start of the server.
    timeout_s = 60
    server: Any = (
        MCPServerStreamableHttp({"url": request.url}, client_session_timeout_seconds=timeout_s)
        if request.url
        else MCPServerStdio({"command": program, "args": arguments}, client_session_timeout_seconds=timeout_s)
    )
    model = Recording(request.calls)
    async with server:
        await Runner.run(Agent(name="reader", model=model, mcp_servers=[server]), "read the files")
    return model.answers


run(ask)
