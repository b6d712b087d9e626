"""`anyread.integrations.anthropic` in the SDK's tool runner, with a local transport in place of the API."""

from __future__ import annotations

import json
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic

import anyread
from anyread.integrations import anthropic
from clients.programs.fake_messages_api import FakeModel, message
from framework_tests import Answer, Call, FrameworkTests, Run
from samples import Samples, content_bytes

MODES = ("sync", "async")

START: Any = {"model": "claude-sonnet-5", "max_tokens": 100, "messages": [{"role": "user", "content": "go"}]}


async def run(
    mode: str,
    fake: FakeModel,
    read: anyread.Tool | None,
    *,
    model: anyread.Model | None = None,
    name: str | None = None,
) -> None:
    """Run the tool runner to its end; the model must say "done"."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        return httpx2.Response(200, json=message(body, fake.answer(body)))

    transport = httpx2.MockTransport(answer)
    if mode == "sync":
        tool = anthropic.tool(read, name=name, model=model)
        with Anthropic(api_key="none", http_client=httpx2.Client(transport=transport)) as client:
            last = client.beta.messages.tool_runner(tools=[tool], **START).until_done()
    else:
        tools = [anthropic.async_tool(read, name=name, model=model)]
        http = httpx2.AsyncClient(transport=transport)
        async with AsyncAnthropic(api_key="none", http_client=http) as client_:
            last = await client_.beta.messages.tool_runner(tools=tools, **START).until_done()
    assert [block.text for block in last.content if block.type == "text"] == ["done"]


async def results(
    mode: str,
    read: anyread.Tool | None,
    *calls: Call,
    model: anyread.Model | None = None,
    name: str | None = None,
) -> list[dict[str, Any]]:
    """Return the `tool_result` blocks that the model received for calls in one turn."""
    turn = {f"toolu_{number}": given for number, given in enumerate(calls)}
    fake = FakeModel(name or ("read" if read is None else read.name), [turn])
    await run(mode, fake, read, model=model, name=name)
    return [fake.results[call] for call in turn]


class TestReading(FrameworkTests):
    async def answers(self, run: Run) -> list[Answer]:
        found = []
        for result in await results(run.mode, run.read, *run.calls, model=run.model, name=run.name):
            blocks = result["content"]
            images = [block["source"] for block in blocks if block["type"] == "image"]
            documents = [block["source"] for block in blocks if block["type"] == "document"]
            found.append(
                Answer(
                    "\n".join(block["text"] for block in blocks if block["type"] == "text"),
                    tuple((source["media_type"], content_bytes(source["data"])) for source in images),
                    tuple(content_bytes(source["data"]) for source in documents),
                    result.get("is_error", False),
                )
            )
        return found


async def test_document_has_the_name_of_its_file(mode: str, files: Samples) -> None:
    [result] = await results(mode, None, {"path": str(files.pdf)})
    [document] = [block for block in result["content"] if block["type"] == "document"]
    assert document["source"]["media_type"] == "application/pdf"
    assert document["title"] == "report.pdf"


async def test_model_is_offered_the_schema_of_the_contract(mode: str, files: Samples) -> None:
    read = anyread.tool("anyread", model=anyread.Model.anthropic())
    fake = FakeModel(read.name, [{"toolu_1": {"path": str(files.text)}}])
    await run(mode, fake, read)
    expected = {
        "name": read.name,
        "description": read.description,
        "input_schema": json.loads(json.dumps(dict(read.input_schema))),
    }
    assert fake.tools == {read.name: expected}


def test_second_tool_of_a_contract_has_its_own_schema() -> None:
    image = anthropic.tool(anyread.tool("forge"), name="read_image")
    assert (image.name, image.input_schema["required"]) == ("read_image", ["path"])
