"""`anyread.integrations.pydantic_ai` in the loop of an agent, with a model made of a function."""

from __future__ import annotations

import asyncio
import copy
import pickle
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pydantic_ai as framework
import pytest
from PIL import Image
from pydantic_ai import Agent, BinaryContent, ModelMessage, ModelResponse, TextPart, Tool, ToolCallPart
from pydantic_ai.capabilities import AbstractCapability, LocalWorkspace
from pydantic_ai.messages import ModelRequest, ToolReturnPart, WorkspaceRef
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.workspaces import FileEntry, LocalWorkspaceBackend, Workspace, WrapperWorkspace

import anyread
from anyread.integrations import pydantic_ai
from anyread.integrations.pydantic_ai import WorkspaceReading
from anyread.sources.sandboxes import from_pydantic_ai
from cancelling import cancel_during_read
from cells import DOCUMENT
from framework_tests import Answer, Call, FrameworkTests, Run
from samples import CODE, ENDLESS_OFFSET, LINES, PDF_WORDS, Samples

MODES = ("sync", "async")


@dataclass
class Turns:
    """A model that makes its calls in its first turn, records what it is shown, and ends."""

    name: str
    calls: tuple[Call, ...]
    shown: list[ToolReturnPart] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.offered = [tool.name for tool in info.function_tools]
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(self.name, dict(each)) for each in self.calls])
        for part in last.parts:
            assert isinstance(part, ToolReturnPart), part
            self.shown.append(part)
        return ModelResponse(parts=[TextPart("done")])


async def shown(
    mode: str,
    made: Tool[Any] | Sequence[AbstractCapability[None]],
    *calls: Call,
    workspace: Workspace | None = None,
) -> list[ToolReturnPart]:
    """Run an agent whose model makes these calls, and return what the model was shown."""
    turns = Turns(made.name if isinstance(made, Tool) else "read", calls)
    agent: Agent[None, str] = Agent(
        FunctionModel(turns),
        tools=[made] if isinstance(made, Tool) else [],
        capabilities=[] if isinstance(made, Tool) else list(made),
    )
    if mode == "sync":
        result = await asyncio.to_thread(agent.run_sync, "go", workspace=workspace)
    else:
        result = await agent.run("go", workspace=workspace)
    assert result.output == "done"
    assert turns.offered == [turns.name]
    assert len(turns.shown) == len(calls)
    return turns.shown


def reading(files: Samples, model: anyread.Model | None = None) -> anyread.Tool:
    return anyread.tool("anyread", roots=[files.directory], model=model or anyread.Model.anthropic())


def media(part: ToolReturnPart) -> list[BinaryContent]:
    assert isinstance(part.content, list), part.content
    return [each for each in part.content if isinstance(each, BinaryContent)]


def text(part: ToolReturnPart) -> str:
    content = part.content if isinstance(part.content, list) else [part.content]
    return "\n".join(each for each in content if isinstance(each, str))


# ------------------------------------------------------------------------------------------------------------
# The tool


class TestReading(FrameworkTests):
    model = anyread.Model.anthropic()

    async def answers(self, run: Run) -> list[Answer]:
        found = []
        for part in await shown(
            run.mode, pydantic_ai.tool(run.read, name=run.name, model=run.model), *run.calls
        ):
            content = media(part) if isinstance(part.content, list) else []
            found.append(
                Answer(
                    text(part),
                    tuple((each.media_type, each.data) for each in content if each.is_image),
                    tuple(each.data for each in content if each.media_type == "application/pdf"),
                    part.outcome == "failed",
                )
            )
        return found


async def test_pdf_is_text_and_images_for_a_model_without_pdfs(mode: str, files: Samples) -> None:
    tool = pydantic_ai.tool(reading(files, anyread.Model.any()))
    [part] = await shown(mode, tool, {"path": str(files.pdf), "pages": "1"})
    assert PDF_WORDS in text(part)
    assert [each.media_type.split("/")[0] for each in media(part)] == ["image"]


def test_tool_can_be_copied_and_pickled() -> None:
    """Its function was one that only another function knows, which cannot be pickled."""
    made = pydantic_ai.tool(anyread.tool("anyread"))
    assert copy.deepcopy(made).name == pickle.loads(pickle.dumps(made)).name == made.name


@pytest.mark.parametrize("arguments", ["[]", '"poem.txt"', "null"])
async def test_arguments_that_are_no_object_are_asked_for_again(files: Samples, arguments: str) -> None:
    """They ended the run with a TypeError."""
    made = pydantic_ai.tool(reading(files))

    def turn(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(made.name, arguments)])
        return ModelResponse(parts=[TextPart("done")])

    result = await Agent(FunctionModel(turn), tools=[made]).run("go")
    assert result.output == "done"


# ------------------------------------------------------------------------------------------------------------
# The capability


@dataclass
class Memory:
    """A workspace with files in memory, as a remote one would have them; nothing of it is on this machine."""

    files: dict[str, bytes]
    ref: WorkspaceRef | None = None

    async def working_dir(self) -> str:
        return "/workspace"

    async def read_bytes(self, path: str) -> bytes:
        if path == "/workspace/offline.txt":
            raise ConnectionError("the sandbox does not answer")
        try:
            return self.files[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    async def write_bytes(self, path: str, data: bytes) -> None:
        raise NotImplementedError

    async def stat(self, path: str) -> FileEntry:
        size = len(self.files[path])
        return FileEntry(name=posixpath.basename(path), path=path, is_dir=False, size=size)

    async def list_dir(self, path: str) -> Sequence[FileEntry]:
        raise NotImplementedError

    async def make_dir(self, path: str) -> None:
        raise NotImplementedError

    async def remove(self, path: str) -> None:
        raise NotImplementedError

    async def exists(self, path: str) -> bool:
        return path in self.files


def memory(files: Samples) -> Workspace:
    content = {
        f"/workspace/{path.name}": path.read_bytes() for path in (files.text, files.png, files.notebook)
    }
    return Workspace(Memory(content))


class Hiding(WrapperWorkspace):
    """A wrapper that hides what its files contain."""

    async def read_bytes(self, path: str) -> bytes:
        await super().read_bytes(path)
        return b"hidden\n"


def capabilities(files: Samples, **options: Any) -> list[AbstractCapability[None]]:
    return [LocalWorkspace(files.directory, **options), WorkspaceReading()]


@pytest.mark.parametrize("options", [{}, {"read_only": True, "authority": "none"}], ids=["plain", "wrapped"])
async def test_local_workspace_is_read_by_the_core(options: Any, mode: str, files: Samples) -> None:
    names = (files.text.name, files.png.name, files.notebook.name)
    calls: list[dict[str, Any]] = [{"path": name} for name in names]
    # The line is near the start of 1 TiB, which `read_bytes` would load completely.
    calls += [{"path": str(files.endless), "offset": 1, "limit": 1}]
    lines, image, notebook, large = await shown(mode, capabilities(files, **options), *calls)
    assert text(lines).startswith(f"1\t{LINES[0]}")
    assert [each.data for each in media(image)] == [files.png.read_bytes()]
    assert [each.data for each in media(notebook)] == [files.png.read_bytes()]
    assert text(large).startswith("1\tline")


async def test_local_workspace_is_read_below_its_working_directory(
    mode: str, files: Samples, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.txt"
    outside.write_text("secret\n")
    (files.directory / "link.txt").symlink_to(outside)
    calls = [{"path": str(outside)}, {"path": "link.txt"}, {"path": f"../{outside.parent.name}/secret.txt"}]
    parts = await shown(mode, capabilities(files), *calls)
    assert [part.outcome for part in parts] == ["failed"] * 3
    assert not any("secret\n" in text(part) for part in parts)


async def test_other_workspace_is_read_through_its_own_methods(mode: str, files: Samples) -> None:
    calls: list[dict[str, Any]] = [
        {"path": "poem.txt", "offset": 2},
        {"path": "/workspace/chart.png"},
        {"path": "plots.ipynb"},
        {"path": "peom.txt"},
        {"path": "offline.txt"},
    ]
    parts = await shown(mode, [WorkspaceReading()], *calls, workspace=memory(files))
    assert text(parts[0]) == f"2\t{LINES[1]}\n3\t{LINES[2]}\n[lines 2-3 of 3]"
    assert [each.data for each in media(parts[1])] == [files.png.read_bytes()]
    assert CODE in text(parts[2])
    assert [part.outcome for part in parts[3:]] == ["failed", "failed"]
    assert "`peom.txt` does not exist" in text(parts[3])
    assert "the sandbox does not answer" in text(parts[4])


async def test_unknown_wrapper_of_a_local_workspace_is_respected(mode: str, files: Samples) -> None:
    workspace = Workspace(Hiding(Workspace(LocalWorkspaceBackend(files.directory))))
    [part] = await shown(mode, [WorkspaceReading()], {"path": "poem.txt"}, workspace=workspace)
    assert text(part) == "1\thidden"


async def test_run_without_a_workspace_goes_on(mode: str, tmp_path: Path) -> None:
    call = {"path": "poem.txt"}
    [none] = await shown(mode, [WorkspaceReading()], call)
    assert (none.outcome, "No workspace is attached" in text(none)) == ("failed", True)
    [gone] = await shown(mode, [LocalWorkspace(tmp_path / "gone"), WorkspaceReading()], call)
    assert (gone.outcome, "does not exist" in text(gone)) == ("failed", True)


async def test_model_of_the_capability_decides_what_is_shown(mode: str, files: Samples) -> None:
    text_only = anyread.Model(inputs=frozenset({"text"}))
    made = [LocalWorkspace(files.directory), WorkspaceReading(model=text_only)]
    [part] = await shown(mode, made, {"path": "chart.png"})
    assert "this model accepts no images" in text(part)


async def test_cancelled_run_ends_the_read_of_a_workspace(files: Samples) -> None:
    call = {"path": "endless.log", "offset": ENDLESS_OFFSET}
    await cancel_during_read(shown("async", capabilities(files), call), files.endless)


# ------------------------------------------------------------------------------------------------------------
# docs/start/framework.md and README.md


@pytest.mark.parametrize("page", ["docs/start/framework.md", "README.md"])
def test_program_for_beginners_shows_the_model_the_image(
    page: str, files: Samples, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (DOCUMENT.parents[1] / page).read_text("utf-8")
    programs = re.findall(r"^```python pydantic_ai\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (program,) = (each for each in programs if "anthropic:" in each)
    turns = Turns("read", ({"path": "chart.png"},))

    def agent(name: str, **options: Any) -> Agent[None, str]:
        assert name == "anthropic:claude-sonnet-5"
        return Agent(FunctionModel(turns), **options)

    monkeypatch.chdir(files.directory)
    monkeypatch.setattr(framework, "Agent", agent)
    exec(compile(program, page, "exec"), {})
    assert capsys.readouterr().out == "done\n"
    assert [each.data for each in media(turns.shown[0])] == [files.png.read_bytes()]


def test_example_of_the_first_steps_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCUMENT.parent / "start" / "framework.md").read_text("utf-8")
    shown = re.search(r"```python pydantic_ai\n((?:(?!```).*\n)*)```\n\n```text\n((?:(?!```).*\n)*)```", page)
    assert shown is not None
    Image.new("RGB", (400, 300), "navy").save(tmp_path / "chart.png")
    monkeypatch.chdir(tmp_path)
    exec(compile(shown[1], "framework.md", "exec"), {"__name__": "__page__"})
    assert capsys.readouterr().out == shown[2]


async def test_windows_of_a_file_behind_commands(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"".join(b"line %d\n" % number for number in range(1, 200_001)))
    store = from_pydantic_ai(Workspace(LocalWorkspaceBackend(tmp_path)))
    reader = anyread.Reader(mounts={str(tmp_path): store})
    page = await reader.read("a.txt", offset=150_000, limit=1, kind="text")
    assert (page.content, page.total_lines) == ("line 150000\n", 200_000)
