"""An agent on Anthropic's API: `python -m examples.agents.anthropic_agent QUESTION`.

It reads the files below the working directory, and needs `pip install anthropic` and
ANTHROPIC_API_KEY.
"""

from __future__ import annotations

import sys
from typing import Any

import anthropic

import anyread

MODEL = "claude-sonnet-5"
MAX_TURNS = 20


def answer(question: str, client: anthropic.Anthropic | None = None) -> str:
    """Let the model read files until it answers."""
    client = client or anthropic.Anthropic()
    read = anyread.tool(
        "anyread", roots=["."], deny="secrets", model=anyread.Model.named(MODEL)
    )
    tools: Any = [
        {
            "name": read.name,
            "description": read.description,
            "input_schema": read.input_schema,
        }
    ]
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        reply = client.messages.create(
            model=MODEL, max_tokens=4_000, tools=tools, messages=messages
        )
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for call in reply.content:
            if call.type == "tool_use":
                output = read.call_sync(call.input)
                blocks, failed = read.blocks(output), read.failed(output)
                result = anyread.adapters.anthropic.tool_result(
                    blocks, tool_use_id=call.id, is_error=failed
                )
                results.append(result)
        if not results:
            return "".join(
                block.text for block in reply.content if block.type == "text"
            )
        messages.append({"role": "user", "content": results})
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(sys.argv[1]))
