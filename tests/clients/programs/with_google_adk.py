"""An agent of Google ADK, whose model records what it gets."""

import base64
import json
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool.mcp_session_manager import (
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.genai import types
from mcp import StdioServerParameters
from pydantic import Field

from clients.programs.asking import Answer, Request, image_item, run, text_item

TIMEOUT_S = 60


def items(part: types.Part) -> list[dict[str, str]]:
    """Return what is in a function response: the content of the reply is part of its JSON."""
    answer = part.function_response
    assert answer is not None
    response = answer.response or {}
    content = response.get("content")
    shown = [
        text_item(block["text"]) if block["type"] == "text" else {"other": f"{block['type']} as JSON"}
        for block in content or []
    ]
    if content is None:
        shown = [text_item(json.dumps(response))]
    for media in answer.parts or []:
        blob = media.inline_data
        assert blob is not None
        shown.append(image_item(base64.b64encode(blob.data or b"").decode(), blob.mime_type or ""))
    return shown


class Recording(BaseLlm):
    """A model that makes one call after another and records their results."""

    model: str = "gemini-3-recording"
    pending: list[tuple[str, dict[str, str]]]
    answers: dict[str, Any] = Field(default_factory=dict)

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,
    ) -> AsyncGenerator[LlmResponse, None]:
        for part in llm_request.contents[-1].parts or []:
            if part.function_response is not None:
                response = part.function_response.response or {}
                is_error = bool(response.get("isError") or response.get("is_error") or "error" in response)
                self.answers[part.function_response.id or ""] = {"is_error": is_error, "items": items(part)}
        reply = types.Part(text="done")
        if self.pending:
            kind, call = self.pending.pop(0)
            reply = types.Part(function_call=types.FunctionCall(id=kind, name="read", args=dict(call)))
        yield LlmResponse(content=types.Content(role="model", parts=[reply]))


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    parameters = StdioServerParameters(command=program, args=arguments)
    connection = (
        StreamableHTTPConnectionParams(url=request.url, timeout=TIMEOUT_S)
        if request.url
        else StdioConnectionParams(server_params=parameters, timeout=TIMEOUT_S)
    )
    model = Recording(pending=list(request.calls.items()))
    toolset = McpToolset(connection_params=connection)
    runner = InMemoryRunner(LlmAgent(name="reader", model=model, tools=[toolset]), app_name="clients")
    await runner.session_service.create_session(app_name="clients", user_id="user", session_id="session")
    message = types.Content(role="user", parts=[types.Part(text="read the files")])
    async for _ in runner.run_async(user_id="user", session_id="session", new_message=message):
        pass
    await toolset.close()
    return model.answers


run(ask)
