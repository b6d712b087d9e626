"""Run an agent without a key or a network: `python -m examples.without_a_key FILE`.

A transport in the place of the API has the model read a file, and then say what it got.
It needs `pip install anthropic`, which brings `httpx2`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import anthropic
import httpx2
from examples.agents.anthropic_agent import answer


def respond(request: httpx2.Request) -> httpx2.Response:
    """Answer as the Messages API does."""
    asked = json.loads(request.content)
    content: dict[str, Any]
    if len(asked["messages"]) == 1:
        path = asked["messages"][0]["content"]
        read = asked["tools"][0]["name"]
        content = {"type": "tool_use", "id": "1", "name": read, "input": {"path": path}}
    else:
        (result,) = asked["messages"][-1]["content"]
        kinds = ", ".join(block["type"] for block in result["content"])
        failed = " of a failed call" if result.get("is_error") else ""
        content = {"type": "text", "text": f"I got {kinds}{failed}."}
    reply = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked["model"],
        "content": [content],
        "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return httpx2.Response(200, json=reply)


def run(path: str) -> str:
    """Let the agent read a file, and return what the model says."""
    transport = httpx2.MockTransport(respond)
    client = anthropic.Anthropic(
        api_key="none", http_client=httpx2.Client(transport=transport)
    )
    return answer(path, client)


if __name__ == "__main__":
    print(run(sys.argv[1]))
