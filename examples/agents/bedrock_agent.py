"""An agent on Amazon Bedrock: `python -m examples.agents.bedrock_agent QUESTION`.

It reads the files below the working directory, and needs `pip install botocore` and
credentials for AWS.
"""

from __future__ import annotations

import sys
from typing import Any

import botocore.session

import anyread

MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
MAX_TURNS = 20


def answer(question: str) -> str:
    """Let the model read files until it answers."""
    # `boto3.client("bedrock-runtime")` is the same client.
    client = botocore.session.get_session().create_client("bedrock-runtime")
    read = anyread.tool(
        "anyread", roots=["."], deny="secrets", model=anyread.Model.bedrock()
    )
    schema = {"json": read.input_schema}
    tool = {
        "toolSpec": {
            "name": read.name,
            "description": read.description,
            "inputSchema": schema,
        }
    }
    messages: list[Any] = [{"role": "user", "content": [{"text": question}]}]
    for _ in range(MAX_TURNS):
        reply = client.converse(
            modelId=MODEL, messages=messages, toolConfig={"tools": [tool]}
        )
        said = reply["output"]["message"]
        messages.append(said)
        results = []
        for call in (part["toolUse"] for part in said["content"] if "toolUse" in part):
            output = read.call_sync(call["input"])
            blocks, failed = read.blocks(output), read.failed(output)
            result = anyread.adapters.bedrock.tool_result(
                blocks, tool_use_id=call["toolUseId"], is_error=failed
            )
            results.append(result)
        if not results:
            return "".join(part["text"] for part in said["content"] if "text" in part)
        messages.append({"role": "user", "content": results})
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


if __name__ == "__main__":
    print(answer(sys.argv[1]))
