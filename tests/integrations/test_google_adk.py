"""Google's Agent Development Kit: the tool and the toolset, through its runner with a model of the test."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from google.adk.agents import LlmAgent
from google.adk.environment import BaseEnvironment, LocalEnvironment
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from pydantic import Field

import samples
from anyread.integrations import google_adk
from framework_tests import Answer, Call, FrameworkTests, Run
from samples import Samples

pytestmark = pytest.mark.filterwarnings(r"ignore:\[EXPERIMENTAL\]:UserWarning")

Received: TypeAlias = types.FunctionResponse
Tools: TypeAlias = BaseTool | BaseToolset


class CallingModel(BaseLlm):
    """A model that makes calls in one turn, keeps the answers, and then ends the run."""

    model: str = "gemini-3-test"
    calls: list[types.FunctionCall]
    answers: list[Received] = Field(default_factory=list)

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002 - the signature of the kit
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [types.Part(function_call=call) for call in self.calls]
        received = llm_request.contents[-1].parts or []
        if any(part.function_response for part in received):
            self.answers = [part.function_response for part in received if part.function_response]
            parts = [types.Part(text="done")]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def start(calls: Sequence[Call], tool: Tools, name: str) -> tuple[CallingModel, InMemoryRunner]:
    """Return a model that makes the calls, and a runner of an agent with this model and tool."""
    model = CallingModel(calls=[types.FunctionCall(name=name, args=dict(call)) for call in calls])
    agent = LlmAgent(name="reader", model=model, tools=[tool])
    return model, InMemoryRunner(agent, app_name="test")


async def run(runner: InMemoryRunner) -> str:
    """Run the agent to its end, and return its final answer."""
    await runner.session_service.create_session(app_name="test", user_id="u", session_id="s")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    texts: list[str] = []
    async for event in runner.run_async(user_id="u", session_id="s", new_message=message):
        if event.is_final_response() and event.content is not None:
            texts += [part.text or "" for part in event.content.parts or []]
    return "".join(texts)


async def answered(calls: Sequence[Call], tool: Tools | None = None, name: str = "read") -> list[Received]:
    """Return the answers to calls of one turn, as the model received them."""
    model, runner = start(calls, tool or google_adk.tool(), name)
    assert await run(runner) == "done"
    assert len(model.answers) == len(calls)
    return model.answers


def text_of(answer: Received, key: str = "output") -> str:
    """Return the text of an answer, which has nothing else next to its parts."""
    assert answer.response is not None
    assert [*answer.response] == [key]
    return str(answer.response[key])


def media_of(answer: Received) -> list[tuple[str | None, bytes | None]]:
    """Return the media type and bytes of the parts of an answer."""
    blobs = [part.inline_data for part in answer.parts or []]
    return [(blob.mime_type, blob.data) for blob in blobs if blob is not None]


class TestReading(FrameworkTests):
    # Gemini accepts no GIF.
    gif = "image/png"

    async def answers(self, run: Run) -> list[Answer]:
        tool = google_adk.tool(run.read, model=run.model, name=run.name)
        found = []
        for received in await answered(run.calls, tool, tool.name):
            is_error = "error" in (received.response or {})
            media = media_of(received)
            found.append(
                Answer(
                    text_of(received, "error" if is_error else "output"),
                    tuple(each for each in media if each[0] != "application/pdf"),
                    tuple(data or b"" for media_type, data in media if media_type == "application/pdf"),
                    is_error,
                )
            )
        return found


async def test_parts_and_errors_are_named_in_the_response(files: Samples) -> None:
    png, pdf, missing = await answered([{"path": str(p)} for p in (files.png, files.pdf, files.missing)])
    assert "[image-1.png]" in text_of(png)
    assert files.pdf.name in text_of(pdf)
    tool = google_adk.tool()
    assert tool._detect_error_in_response(missing.response) == "TOOL_ERROR"
    assert tool._detect_error_in_response({"output": "1\tTyger"}) is None


def test_synchronous_run_reads(files: Samples) -> None:
    model, runner = start([{"path": str(files.text)}], google_adk.tool(), "read")
    runner.session_service.create_session_sync(app_name="test", user_id="u", session_id="s")  # type: ignore[attr-defined]
    message = types.Content(role="user", parts=[types.Part(text="go")])
    assert [*runner.run(user_id="u", session_id="s", new_message=message)]
    assert samples.LINES[2] in text_of(model.answers[0])


# ---------------------------------------------------------------------------------------------------------
# The toolset


class OtherMachine(BaseEnvironment):
    """An environment whose files exist only behind `read_file`."""

    def __init__(self, files: Samples) -> None:
        self._files = files

    @property
    def working_dir(self) -> Path:
        return Path("/workspace")

    async def execute(self, command: str, *, timeout: float | None = None) -> Any:
        raise NotImplementedError

    async def read_file(self, path: Path) -> bytes:
        return (self._files.directory / Path(path).name).read_bytes()

    async def write_file(self, path: Path, content: str | bytes) -> None:
        raise NotImplementedError


def toolset(environment: BaseEnvironment) -> google_adk.ReadingEnvironmentToolset:
    return google_adk.ReadingEnvironmentToolset(environment=environment)


async def test_local_environment_is_read_through_the_core(files: Samples) -> None:
    environment = LocalEnvironment(working_dir=files.directory)
    calls: Sequence[Call] = [
        {"path": files.text.name},
        # Only a core that reads windows answers for this file, because it has 1 TiB.
        {"path": files.endless.name, "offset": 3_999, "limit": 1, "kind": "text"},
        {"path": "/etc/hostname"},
        {"path": files.png.name},
    ]
    text, endless, outside, image = await answered(calls, toolset(environment), "ReadFile")
    assert samples.LINES[0] in text_of(text)
    assert text_of(endless).startswith("3999\tline")
    assert "is outside the directories that may be read" in text_of(outside, "error")
    assert media_of(image) == [("image/png", files.png.read_bytes())]


async def test_other_environment_is_fetched(files: Samples) -> None:
    environment = OtherMachine(files)
    calls: Sequence[Call] = [
        {"path": files.text.name, "offset": -1, "limit": 1},
        {"path": files.pdf.name},
        {"path": "gone.txt"},
    ]
    text, pdf, missing = await answered(calls, toolset(environment), "ReadFile")
    assert samples.LINES[2] in text_of(text)
    assert media_of(pdf) == [("application/pdf", files.pdf.read_bytes())]
    assert text_of(missing, "error").startswith("`gone.txt` does not exist")


async def test_toolset_keeps_the_other_tools(files: Samples) -> None:
    tools = await toolset(OtherMachine(files)).get_tools()
    assert sorted(each.name for each in tools) == ["EditFile", "Execute", "ReadFile", "WriteFile"]
    [reading] = [each for each in tools if each.name == "ReadFile"]
    assert isinstance(reading, google_adk.GoogleAdkTool)
