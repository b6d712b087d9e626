"""An agent on Responses: `python -m examples.agents.openai_responses_agent QUESTION`.

It reads the files below the working directory, and needs `pip install openai` and
OPENAI_API_KEY.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import openai

import anyread

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
    # A strict schema would make the model fill in every argument.
    tools: Any = [{"type": "function", **function, "strict": False}]
    history: list[Any] = [{"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        reply = client.responses.create(model=MODEL, tools=tools, input=history)
        history += reply.output
        calls = [item for item in reply.output if item.type == "function_call"]
        for call in calls:
            output = read.call_sync(json.loads(call.arguments))
            blocks, failed = read.blocks(output), read.failed(output)
            result = anyread.adapters.openai_responses.function_call_output(
                blocks, call_id=call.call_id, is_error=failed
            )
            history.append(result)
        if not calls:
            text: str = reply.output_text
            return text
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(sys.argv[1]))
