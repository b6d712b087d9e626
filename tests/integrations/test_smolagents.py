"""smolagents: the tool through its two agents, with a model of the test."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from smolagents import CodeAgent, Model, ToolCallingAgent
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole

import anyread
import samples
from anyread.integrations import smolagents
from cancelling import interrupted_read
from framework_tests import Answer, Call, FrameworkTests, Run, left_out
from samples import Samples

DOCS = Path(__file__).parents[2] / "docs"


class CallingModel(Model):  # type: ignore[misc]
    """A model that answers with one message after another, and keeps what it receives."""

    def __init__(self, replies: list[ChatMessage]) -> None:
        super().__init__(model_id="test")
        self._replies = iter(replies)
        self.received: list[ChatMessage] = []

    def generate(self, messages: list[ChatMessage], **options: Any) -> ChatMessage:  # noqa: ARG002 - smolagents'
        self.received = messages
        return next(self._replies)


def calling(calls: Sequence[Call], name: str = "read") -> ChatMessage:
    """Return a message that makes calls."""
    return ChatMessage(
        role=MessageRole.ASSISTANT,
        content="",
        tool_calls=[
            ChatMessageToolCall(
                # The agent shows the answers in the order of these.
                id=f"call-{number:03}",
                type="function",
                function=ChatMessageToolCallFunction(name=name, arguments=dict(call)),
            )
            for number, call in enumerate(calls)
        ],
    )


DONE = calling([{"answer": "done"}], "final_answer")


def received_by(model: CallingModel) -> tuple[str, list[Image.Image]]:
    """Return the text of the last messages from tools, and all images."""
    texts: list[str] = []
    images: list[Image.Image] = []
    for message in model.received:
        parts = message.content if isinstance(message.content, list) else []
        if message.role == MessageRole.TOOL_RESPONSE:
            texts += [part["text"] for part in parts if part["type"] == "text"]
        images += [part["image"] for part in parts if part["type"] == "image"]
    return "\n".join(texts), images


def answered(
    calls: Sequence[Call],
    tool: smolagents.SmolagentsTool | None = None,
    name: str = "read",
    *,
    shows_images: bool = True,
) -> tuple[str, list[Image.Image]]:
    """Return the text and the images that the model received after calls of one turn."""
    tool = tool or smolagents.tool()
    model = CallingModel([calling(calls, name), DONE])
    callbacks = [tool.image_callback()] if shows_images else []
    agent = ToolCallingAgent([tool], model, step_callbacks=callbacks, verbosity_level=0)
    assert agent.run("go") == "done"
    return received_by(model)


def pixels(image: Image.Image) -> tuple[str, tuple[int, int], bytes]:
    return image.mode, image.size, image.tobytes()


class TestReading(FrameworkTests):
    pdf = "text"
    # Other types are refused by smolagents itself.
    refused = (({"path": ""}, "the argument `path` must be a string"),)

    async def answers(self, run: Run) -> list[Answer]:
        found = []
        # An observation has the answers to all calls of a step, so each has a run of its own.
        for call in run.calls:
            tool = smolagents.tool(run.read, name=run.name)
            text, images = answered([call], tool, tool.name, shows_images=run.model is None)
            text = text.removeprefix("Observation:\n")
            # smolagents marks only exceptions as errors, and these discard the other answers of the step.
            found.append(Answer(text, tuple(map(pixels, images)), is_error=None))
        return found

    def image(self, path: Path) -> Any:
        return pixels(Image.open(path))

    test_calls_of_a_turn_are_answered_in_order = left_out("see test_hundred_parallel_calls")
    test_cancelled_run_ends_the_read = left_out("see test_interrupt_of_the_process")


def test_images_of_a_step_are_numbered(files: Samples) -> None:
    text, images = answered([{"path": str(path)} for path in files.media.values()])
    # Calls of one step run in parallel, so the number in each answer says which image is its own.
    numbers = [int(number) for number in re.findall(r"\[image (\d) of this step\]", text)]
    assert sorted(numbers) == [1, 2, 3]
    for number, path in zip(numbers, files.media.values(), strict=True):
        assert pixels(images[number - 1]) == pixels(Image.open(path))


def test_images_without_the_callback_are_lines_of_text(files: Samples) -> None:
    text, images = answered([{"path": str(files.png)}], shows_images=False)
    assert images == []
    assert "not shown, because the agent has no `step_callbacks=[tool.image_callback()]`" in text


@pytest.mark.parametrize("page", ["integrations.md", "start/framework.md"])
def test_line_of_the_table_shows_images(page: str, files: Samples) -> None:
    """The line had no callback, and the model was said to accept no images."""
    row = re.search(r"^\| .*smolagents.* \| `(tools=.*?)` \|", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert row is not None
    options = eval(f"dict({row[1]})", {"anyread": anyread, "read": anyread.tool(roots=[files.directory])})
    model = CallingModel([calling([{"path": str(files.png)}]), DONE])
    assert ToolCallingAgent(model=model, verbosity_level=0, **options).run("go") == "done"
    [image] = received_by(model)[1]
    assert pixels(image) == pixels(Image.open(files.png))


def test_images_are_shown_once(files: Samples) -> None:
    tool = smolagents.tool()
    model = CallingModel([calling([{"path": str(files.png)}]), calling([{"path": str(files.text)}]), DONE])
    agent = ToolCallingAgent([tool], model, step_callbacks=[tool.image_callback()], verbosity_level=0)
    agent.run("go")
    steps = [step for step in agent.memory.steps if getattr(step, "observations", None)]
    assert [len(step.observations_images or []) for step in steps[:2]] == [1, 0]


def test_errors_keep_the_other_answers_of_the_step(files: Samples) -> None:
    text, _ = answered([{"path": str(files.missing)}, {"path": str(files.text)}, {"path": ""}])
    assert f"error: `{files.missing}` does not exist" in text
    assert samples.LINES[0] in text
    assert "error: the argument `path` must be a string" in text


def test_argument_of_a_wrong_type_keeps_the_run_alive(files: Samples) -> None:
    text, _ = answered([{"path": 7}])
    assert text.startswith("Error:\nArgument path has type 'integer'")
    text, _ = answered([{"path": str(files.text), "offset": None, "pages": "", "limit": 1}])
    assert samples.LINES[0] in text


def test_second_tool_of_a_contract_works(files: Samples) -> None:
    read = anyread.tool("forge", cwd=files.directory)
    tool = smolagents.tool(read, name="read_image")
    _, [image] = answered([{"path": str(files.png)}], tool, "read_image")
    assert pixels(image) == pixels(Image.open(files.png))
    with pytest.raises(ValueError, match="unknown tool name 'write'; the names are 'read', 'read_image'"):
        smolagents.tool(read, name="write")


def test_hundred_parallel_calls_are_all_answered(files: Samples) -> None:
    calls: Sequence[Call] = [{"path": str(files.text), "offset": n % 3 + 1, "limit": 1} for n in range(100)]
    text, _ = answered(calls)
    lines = [line for line in text.splitlines() if line[:1].isdigit()]
    assert lines == [f"{n % 3 + 1}\t{samples.LINES[n % 3]}" for n in range(100)]


def test_code_agent_reads_by_position_and_by_name(files: Samples) -> None:
    code = f"print(read({str(files.text)!r}, 2, limit=1))\nprint(read(path={str(files.png)!r}))"
    model = CallingModel(
        [
            ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n</code>"),
            ChatMessage(role=MessageRole.ASSISTANT, content="<code>\nfinal_answer('done')\n</code>"),
        ]
    )
    tool = smolagents.tool()
    agent = CodeAgent([tool], model, step_callbacks=[tool.image_callback()], verbosity_level=0)
    assert agent.run("go") == "done"
    text, [image] = received_by(model)
    assert f"2\t{samples.LINES[1]}" in text
    assert pixels(image) == pixels(Image.open(files.png))


def test_interrupt_of_the_process_stops_the_read(files: Samples) -> None:
    main = threading.get_ident()
    with (
        interrupted_read(files.endless, lambda: signal.pthread_kill(main, signal.SIGINT)),
        pytest.raises(KeyboardInterrupt),
    ):
        answered([{"path": str(files.endless), "offset": samples.ENDLESS_OFFSET}])
