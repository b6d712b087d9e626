"""Strands Agents: the tool through its agent, with a model provider of the test."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterable, Sequence
from typing import Any

import pytest
from strands import Agent
from strands.models.model import Model
from strands.sandbox.not_a_sandbox_local_environment import NotASandboxLocalEnvironment
from strands.types.content import Messages
from strands.types.streaming import StreamEvent
from strands.types.tools import ToolResult, ToolSpec

import anyread
import samples
from anyread.integrations import strands
from anyread.running.stopping import unless_stopped
from cancelling import interrupted_read
from framework_tests import Answer, Call, FrameworkTests, Run
from samples import Samples


class CallingModel(Model):
    """A model provider that makes calls in one turn, keeps the results, and then ends the run."""

    def __init__(self, calls: Sequence[Call], name: str) -> None:
        self._calls = calls
        self._name = name
        self.results: list[ToolResult] = []
        self.tool_specs: list[ToolSpec] = []

    def update_config(self, **model_config: Any) -> None:
        raise NotImplementedError

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self,
        messages: Messages,
        tool_specs: list[ToolSpec] | None = None,
        system_prompt: str | None = None,  # noqa: ARG002 - the signature of Strands
        **options: Any,  # noqa: ARG002 - as above
    ) -> AsyncIterable[StreamEvent]:
        self.tool_specs = tool_specs or []
        self.results = [block["toolResult"] for block in messages[-1]["content"] if "toolResult" in block]
        yield {"messageStart": {"role": "assistant"}}
        if self.results:
            yield {"contentBlockDelta": {"delta": {"text": "done"}, "contentBlockIndex": 0}}
            yield {"contentBlockStop": {"contentBlockIndex": 0}}
            yield {"messageStop": {"stopReason": "end_turn"}}
            return
        for number, call in enumerate(self._calls):
            yield {
                "contentBlockStart": {"start": {"toolUse": {"name": self._name, "toolUseId": f"c{number}"}}}
            }
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use"}}


def start(
    calls: Sequence[Call], tool: strands.StrandsTool | None = None, name: str = "read"
) -> tuple[CallingModel, Agent]:
    """Return a model that makes the calls, and an agent with this model and the tool."""
    model = CallingModel(calls, name)
    return model, Agent(model=model, tools=[tool or strands.tool()], callback_handler=None)


async def answered(
    calls: Sequence[Call], tool: strands.StrandsTool | None = None, name: str = "read"
) -> list[ToolResult]:
    """Return the results of calls of one turn, as the model received them."""
    model, agent = start(calls, tool, name)
    result = await agent.invoke_async("go")
    assert result.stop_reason == "end_turn"
    by_id = {result["toolUseId"]: result for result in model.results}
    return [by_id[f"c{number}"] for number in range(len(calls))]


def text_of(result: ToolResult) -> str:
    """Return the text of a result."""
    return "\n".join(block["text"] for block in result["content"] if "text" in block)


class TestReading(FrameworkTests):
    async def answers(self, run: Run) -> list[Answer]:
        tool = strands.tool(run.read, model=run.model, name=run.name)
        found = []
        for result in await answered(run.calls, tool, tool.tool_name):
            images = [block["image"] for block in result["content"] if "image" in block]
            documents = [block["document"] for block in result["content"] if "document" in block]
            found.append(
                Answer(
                    text_of(result),
                    tuple((f"image/{image['format']}", image["source"]["bytes"]) for image in images),
                    tuple(document["source"]["bytes"] for document in documents),
                    result["status"] == "error",
                )
            )
        return found


async def test_documents_have_names_that_bedrock_accepts(files: Samples) -> None:
    tool = strands.tool(citations=True)
    first, second = await answered([{"path": str(files.pdf)}] * 2, tool)
    documents = [
        block["document"] for block in [*first["content"], *second["content"]] if "document" in block
    ]
    assert [document["format"] for document in documents] == ["pdf"] * 2
    assert documents[0]["citations"] == {"enabled": True}
    # Bedrock refuses two documents with the same name, and a dot in a name.
    names = [document["name"] for document in documents]
    assert len({*names}) == 2
    assert all(name.startswith("report ") for name in names)


async def test_model_gets_the_definition_of_the_contract() -> None:
    read = anyread.tool("pilotdeck")
    model, agent = start([{}], strands.tool(read), "read_file")
    await agent.invoke_async("go")
    [spec] = model.tool_specs
    assert (spec["name"], spec["description"]) == (read.name, read.description)
    assert spec["inputSchema"]["json"]["properties"].keys() == read.input_schema["properties"].keys()


def test_synchronous_run_reads(files: Samples) -> None:
    model, agent = start([{"path": str(files.text)}])
    assert agent("go").stop_reason == "end_turn"
    assert samples.LINES[2] in text_of(model.results[0])


def test_direct_call_of_the_tool_reads(files: Samples) -> None:
    _, agent = start([])
    result = agent.tool.read(path=str(files.text))
    assert result["status"] == "success"
    assert samples.LINES[0] in text_of(result)


def test_cancelled_agent_stops_the_read(files: Samples) -> None:
    _, agent = start([{"path": str(files.endless), "offset": samples.ENDLESS_OFFSET}])
    with interrupted_read(files.endless, agent.cancel):
        result = agent("go")
    assert result.stop_reason == "cancelled"


async def test_files_of_a_sandbox_are_fetched(files: Samples) -> None:
    tool = strands.sandbox_tool(NotASandboxLocalEnvironment())
    calls: Sequence[Call] = [
        {"path": str(files.text), "offset": -1},
        {"path": str(files.pdf)},
        {"path": str(files.missing)},
        {"path": str(files.directory)},
    ]
    text, pdf, missing, directory = await answered(calls, tool)
    assert text_of(text).startswith(f"3\t{samples.LINES[2]}")
    [document] = [block["document"] for block in pdf["content"] if "document" in block]
    assert document["source"]["bytes"] == files.pdf.read_bytes()
    assert {missing["status"], directory["status"]} == {"error"}
    assert text_of(missing).startswith(f"`{files.missing}` does not exist")
    assert text_of(directory).startswith(f"cannot fetch `{files.directory}`: IsADirectoryError")


async def test_failure_of_a_call_is_raised_although_a_flag_is_watched() -> None:
    async def fail() -> None:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"):
        await unless_stopped(fail(), threading.Event())
