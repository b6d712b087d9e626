"""An agent on Chat Completions: `python -m examples.agents.openai_chat_agent QUESTION`.

It reads the files below the working directory, and needs `pip install openai` and
OPENAI_API_KEY. OPENAI_BASE_URL selects another server with this API.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import openai

import anyread
from anyread.adapters import openai_chat

MODEL = "gpt-5.5"
MAX_TURNS = 20


def answer(question: str) -> str:
    """Let the model read files until it answers."""
    client = openai.OpenAI()
    read = anyread.tool(
        "anyread", roots=["."], deny="secrets", model=anyread.Model.named(MODEL)
    )
    function = {
        "name": read.name,
        "description": read.description,
        "parameters": read.input_schema,
    }
    tools: Any = [{"type": "function", "function": function}]
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        reply = client.chat.completions.create(
            model=MODEL, tools=tools, messages=messages
        )
        said = reply.choices[0].message
        messages.append(said)
        results = []
        for call in said.tool_calls or []:
            output = read.call_sync(json.loads(call.function.arguments))
            blocks, failed = read.blocks(output), read.failed(output)
            results.append(
                openai_chat.tool_messages(blocks, tool_call_id=call.id, is_error=failed)
            )
        if not results:
            return said.content or ""
        # Images follow all tool messages of the turn, in a message of the user.
        messages += openai_chat.messages(results)
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(sys.argv[1]))
