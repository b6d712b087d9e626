"""A conversation of OpenHands whose file editor views files with anyread, and no other change.

A scripted model makes the same calls with both editors, and what it is shown must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from openhands.sdk import Agent, Conversation, ImageContent, Message, TextContent, Tool
from openhands.sdk.llm import MessageToolCall
from openhands.sdk.testing import TestLLM
from openhands.sdk.tool import register_tool
from openhands.tools.file_editor.definition import FileEditorAction, FileEditorObservation, FileEditorTool
from openhands.tools.file_editor.impl import FileEditorExecutor

import anyread
from samples import Samples

TEXTS = {
    "empty.txt": b"",
    "crlf.txt": b"one\r\ntwo\r\n\r\nfour",
    "long.txt": b"".join(b"line %d\n" % number for number in range(1, 1_001)),
    "latin.txt": "Grüße aus Köln, schöne Häuser\n".encode("latin-1") * 20,
    "unicode.txt": "Grüße, 世界 😀\n".encode(),
    "program": b"\x7fELF" + bytes(200),
}


class AnyreadExecutor(FileEditorExecutor):
    """The editor of OpenHands, with anyread in place of `view`."""

    def __init__(self, workspace_root: str) -> None:
        super().__init__(workspace_root)
        self.view = anyread.tool("openhands", cwd=workspace_root)

    def __call__(self, action: FileEditorAction, conversation: Any = None) -> FileEditorObservation:
        if action.command != "view":
            return super().__call__(action, conversation)
        arguments = action.model_dump(include={"command", "path", "view_range"}, exclude_none=True)
        answer = self.view.call_sync(arguments)
        parts = [
            ImageContent(image_urls=part["image_urls"])
            if part["type"] == "image"
            else TextContent(text=part["text"])
            for part in answer["content"]
        ]
        return FileEditorObservation(command="view", content=parts, is_error=answer["is_error"])


class AnyreadEditorTool(FileEditorTool):
    """The tool of OpenHands, whose name and definition stay the same."""

    name: ClassVar[str] = FileEditorTool.name

    @classmethod
    def create(cls, conv_state: Any) -> Sequence[FileEditorTool]:
        [tool] = FileEditorTool.create(conv_state)
        return [tool.set_executor(AnyreadExecutor(conv_state.workspace.working_dir))]


class RecordingModel(TestLLM):
    """A scripted model that keeps the messages of its last turn."""

    seen: ClassVar[list[Message]] = []

    def completion(self, messages: list[Message], *arguments: Any, **options: Any) -> Any:
        type(self).seen = list(messages)
        return super().completion(messages, *arguments, **options)


def calls_in(directory: Path) -> list[dict[str, Any]]:
    """Return the calls of the model: views of text, a directory and an image, edits, and errors."""

    def view(name: str, *view_range: int) -> dict[str, Any]:
        window = {"view_range": list(view_range)} if view_range else {}
        return {"command": "view", "path": str(directory / name), **window}

    long = str(directory / "long.txt")
    edit = {"command": "str_replace", "path": long, "old_str": "line 500\n", "new_str": "LINE\n"}
    return [
        *map(view, (*TEXTS, "poem.txt", "chart.png", "", "missing.txt")),
        view("long.txt", 10, 12),
        view("long.txt", 990, -1),
        view("long.txt", 990, 2_000),
        view("long.txt", 2_000, 2_001),
        view("long.txt", 5, 4),
        {"command": "view", "path": "poem.txt"},
        edit,
        view("long.txt", 499, 501),
    ]


def shown(directory: Path, tool: type[FileEditorTool]) -> list[Message]:
    """Run a conversation whose model makes the calls, and return what the model is shown for each."""
    register_tool(FileEditorTool.name, tool)
    calls = calls_in(directory)
    turns: list[Message | Exception] = [
        Message(
            role="assistant",
            content=[],
            tool_calls=[
                MessageToolCall(
                    id=f"call-{number}",
                    name=FileEditorTool.name,
                    arguments=json.dumps(call),
                    origin="completion",
                )
            ],
        )
        for number, call in enumerate(calls)
    ]
    model = RecordingModel.from_messages(
        [*turns, Message(role="assistant", content=[TextContent(text="done")])]
    )
    agent = Agent(llm=model, tools=[Tool(name=FileEditorTool.name)])
    conversation = Conversation(agent=agent, workspace=str(directory), visualizer=None)
    conversation.send_message("go")
    conversation.run()
    answers = [message for message in RecordingModel.seen if message.role == "tool"]
    assert [message.tool_call_id for message in answers] == [f"call-{n}" for n in range(len(calls))]
    return answers


@pytest.fixture
def directories(files: Samples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name, data in TEXTS.items():
        (files.directory / name).write_bytes(data)
    files.endless.unlink()
    return files.directory.resolve()


def test_editor_with_anyread_shows_the_same(directories: Path) -> None:
    theirs = shown(directories, FileEditorTool)
    long = directories / "long.txt"
    assert b"LINE\n" in long.read_bytes()
    long.write_bytes(TEXTS["long.txt"])
    ours = shown(directories, AnyreadEditorTool)
    assert b"LINE\n" in long.read_bytes()
    for call, expected, answer in zip(calls_in(directories), theirs, ours, strict=True):
        assert answer.content == expected.content, call
