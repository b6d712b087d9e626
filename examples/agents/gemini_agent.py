"""An agent on the Gemini API: `python -m examples.agents.gemini_agent QUESTION`.

It reads the files below the working directory, and needs `pip install google-genai` and
GEMINI_API_KEY.
"""

from __future__ import annotations

import sys
from typing import Any

from google import genai
from google.genai import types

import anyread

MODEL = "gemini-3.8-flash"
MAX_TURNS = 20


def answer(question: str) -> str:
    """Let the model read files until it answers."""
    client = genai.Client()
    read = anyread.tool(
        "anyread", roots=["."], deny="secrets", model=anyread.Model.named(MODEL)
    )
    function = types.FunctionDeclaration(
        name=read.name,
        description=read.description,
        parameters_json_schema=read.input_schema,
    )
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[function])]
    )
    contents: list[Any] = [{"role": "user", "parts": [{"text": question}]}]
    for _ in range(MAX_TURNS):
        reply = client.models.generate_content(
            model=MODEL, contents=contents, config=config
        )
        calls = reply.function_calls or []
        if not calls:
            return reply.text or ""
        # The model's own content, with all its parts: it may contain signatures that
        # the API checks.
        contents.append(reply.candidates[0].content)
        results = []
        for call in calls:
            output = read.call_sync(call.args)
            blocks, failed = read.blocks(output), read.failed(output)
            result = anyread.adapters.gemini.function_response(
                blocks, name=call.name, id=call.id, is_error=failed
            )
            results.append(result)
        contents.append({"role": "user", "parts": results})
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(sys.argv[1]))
