"""The OpenAI Agents SDK: the tool and the sandbox capability, through its runner and its scripted model."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from agents import Agent, FunctionTool, RunConfig, Runner, Tool
from agents.models.chatcmpl_converter import Converter
from agents.run_config import SandboxRunConfig
from agents.sandbox import Manifest, SandboxAgent
from agents.sandbox.errors import InvalidManifestPathError, WorkspaceReadNotFoundError
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient
from agents.sandbox.session.base_sandbox_session import BaseSandboxSession
from agents.sandbox.workspace_paths import SandboxWorkspaceScope
from agents.testing import (
    SandboxCall,
    ScriptedModel,
    ScriptedSandboxSession,
    assistant_message,
    function_call,
    scripted_sandbox_session,
)

import anyread
import samples
from anyread.integrations import openai_agents
from anyread.sources.sandboxes import from_openai_agents
from framework_tests import Answer, Call, FrameworkTests, Run
from samples import Samples, content_bytes

QUIET = RunConfig(tracing_disabled=True)


def script(calls: Sequence[Call | str], name: str = "read") -> ScriptedModel:
    """Return a model that makes the calls in one turn, or passes texts instead, and then ends the run."""
    turn = [
        function_call(name, call if isinstance(call, str) else dict(call), call_id=f"call-{number}")
        for number, call in enumerate(calls)
    ]
    return ScriptedModel([turn, [assistant_message("done")]])


def outputs(model: ScriptedModel) -> list[Any]:
    """Return what the model received for each call, in the order of the calls."""
    items = [item for item in model.calls[-1].input if item.get("type") == "function_call_output"]
    assert [item["call_id"] for item in items] == [f"call-{number}" for number in range(len(items))]
    return [item["output"] for item in items]


async def answered(calls: Sequence[Call | str], tool: Tool | None = None, name: str = "read") -> list[Any]:
    """Return the answers to calls of one turn, as the model received them."""
    model = script(calls, name)
    agent = Agent(name="reader", model=model, tools=[tool or openai_agents.tool()])
    result = await Runner.run(agent, "go", run_config=QUIET)
    assert result.final_output == "done"
    return outputs(model)


def text_of(parts: Any) -> str:
    """Return the text parts of an answer as one string."""
    assert isinstance(parts, list)
    return "\n".join(part["text"] for part in parts if part["type"] == "input_text")


def images_of(parts: Any) -> list[bytes]:
    """Return the images of an answer."""
    return [content_bytes(part["image_url"]) for part in parts if part["type"] == "input_image"]


class TestReading(FrameworkTests):
    # OpenAI refuses animated GIFs.
    gif = "image/png"

    async def answers(self, run: Run) -> list[Answer]:
        tool = openai_agents.tool(run.read, model=run.model, name=run.name)
        found = []
        for parts in await answered(run.calls, tool, tool.name):
            images = [part["image_url"] for part in parts if part["type"] == "input_image"]
            files = [part for part in parts if part["type"] == "input_file"]
            assert {file["filename"] for file in files} <= {"report.pdf"}
            found.append(
                Answer(
                    text_of(parts).removeprefix("error: "),
                    tuple((url[5:].partition(";")[0], content_bytes(url)) for url in images),
                    tuple(content_bytes(file["file_data"]) for file in files),
                    # The API has no error flag.
                    is_error=None,
                )
            )
        return found


async def test_detail_of_an_image_is_high(files: Samples) -> None:
    [answer] = await answered([{"path": str(files.png)}])
    assert [part["detail"] for part in answer if part["type"] == "input_image"] == ["high"]


async def test_arguments_that_are_no_object_are_answered() -> None:
    broken, listed = map(text_of, await answered(["{not json", "[1]"]))
    assert broken.startswith("error: the arguments are not valid JSON")
    assert listed.startswith("error: the argument `path` is missing")


async def test_text_only_model_loses_nothing_in_chat_completions(files: Samples) -> None:
    """The SDK drops the images and files of tool results in this API."""
    shown = {}
    for model in (anyread.Model.openai(), anyread.Model.text_only()):
        read = anyread.tool("anyread", model=model)
        scripted = script([{"path": str(files.pdf)}])
        agent = Agent(name="reader", model=scripted, tools=[openai_agents.tool(read, model=model)])
        await Runner.run(agent, "go", run_config=QUIET)
        [message] = [
            each for each in Converter.items_to_messages(scripted.calls[-1].input) if each["role"] == "tool"
        ]
        shown[model] = str(message["content"])
    assert samples.PDF_WORDS not in shown[anyread.Model.openai()]
    assert samples.PDF_WORDS in shown[anyread.Model.text_only()]


def test_run_sync_reads(files: Samples) -> None:
    model = script([{"path": str(files.text)}])
    agent = Agent(name="reader", model=model, tools=[openai_agents.tool()])
    assert Runner.run_sync(agent, "go", run_config=QUIET).final_output == "done"
    assert samples.LINES[2] in text_of(outputs(model)[0])


# ---------------------------------------------------------------------------------------------------------
# The sandbox


def remote_session(files: Samples, reads: int) -> ScriptedSandboxSession:
    """A session of another machine, which has the files below `/workspace`; it allows a number of reads."""

    def read(call: SandboxCall) -> io.BytesIO:
        path = PurePosixPath("/workspace", call.args[0])
        if ".." in path.parts:
            raise InvalidManifestPathError(rel=Path(path), reason="escape_root")
        file = files.directory / path.relative_to("/workspace")
        if file.name == "broken.txt":
            raise ConnectionError("the sandbox is gone")
        if not file.exists():
            raise WorkspaceReadNotFoundError(path=Path(path))
        return io.BytesIO(file.read_bytes())

    return scripted_sandbox_session([{"method": "read", "responder": read}] * reads)


async def sandbox_answers(
    session: BaseSandboxSession,
    calls: Sequence[Call | str],
    *,
    model: anyread.Model | None = None,
    cwd: str | None = None,
) -> list[Any]:
    """Return the answers of a sandbox agent whose only capability is reading."""
    scripted = script(calls)
    capability = openai_agents.ReadCapability(model=model)
    agent = SandboxAgent(name="reader", model=scripted, capabilities=[capability])
    config = RunConfig(tracing_disabled=True, sandbox=SandboxRunConfig(session=session, cwd=cwd))
    result = await Runner.run(agent, "go", run_config=config)
    assert result.final_output == "done"
    return outputs(scripted)


async def test_local_sandbox_is_read_through_the_core(files: Samples) -> None:
    client = UnixLocalSandboxClient()
    async with await client.create(manifest=Manifest(root=str(files.directory))) as session:
        # Only a core that reads windows answers for this file, because it has 1 TiB.
        calls: Sequence[Call | str] = [
            {"path": files.text.name},
            {"path": files.endless.name, "offset": 3_999, "limit": 1, "kind": "text"},
            {"path": "/etc/hostname"},
            {"path": files.png.name},
        ]
        text, endless, outside, image = await sandbox_answers(session, calls)
    assert samples.LINES[0] in text_of(text)
    assert text_of(endless).startswith("3999\tline")
    assert text_of(outside).startswith("error: `/etc/hostname` is outside the directories that may be read")
    assert images_of(image) == [files.png.read_bytes()]


async def test_paths_start_from_the_directory_of_the_run(files: Samples) -> None:
    (files.directory / "src").mkdir()
    (files.directory / "src" / "notes.md").write_text("# Notes\n")
    calls: Sequence[Call | str] = [{"path": "notes.md"}, {"path": "../poem.txt", "limit": 1}]
    async with await UnixLocalSandboxClient().create(manifest=Manifest(root=str(files.directory))) as session:
        notes, poem = await sandbox_answers(session, calls, cwd="src")
    assert text_of(notes) == "1\t# Notes"
    assert samples.LINES[0] in text_of(poem)


async def test_paths_of_another_sandbox_start_from_the_directory_of_the_run(files: Samples) -> None:
    (files.directory / "src").mkdir()
    (files.directory / "src" / "notes.md").write_text("# Notes\n")
    capability = openai_agents.ReadCapability()
    capability.bind(remote_session(files, 1))
    capability.bind_workspace_scope(SandboxWorkspaceScope(cwd=PurePosixPath("src")))
    [reading] = capability.tools()
    assert isinstance(reading, FunctionTool)
    context: Any = None
    [shown] = await reading.on_invoke_tool(context, '{"path": "notes.md"}')
    assert shown.text == "1\t# Notes"


async def test_other_sandbox_is_read_through_its_session(files: Samples) -> None:
    names = [files.text.name, files.png.name, files.pdf.name, files.notebook.name]
    calls: list[Call] = [{"path": name} for name in names]
    calls[0] = {"path": f"/workspace/{files.text.name}", "offset": 2, "limit": 1, "since_version": "1"}
    session = remote_session(files, len(calls))
    text, image, pdf, notebook = await sandbox_answers(session, calls)
    assert text_of(text).startswith(f"2\t{samples.LINES[1]}\n")
    assert images_of(image) == [files.png.read_bytes()]
    [document] = [part for part in pdf if part["type"] == "input_file"]
    assert (document["filename"], content_bytes(document["file_data"])) == (
        files.pdf.name,
        files.pdf.read_bytes(),
    )
    assert samples.CODE in text_of(notebook)
    assert images_of(notebook) == [files.png.read_bytes()]
    session.assert_complete()


async def test_failures_of_a_session_are_answers(files: Samples) -> None:
    calls: Sequence[Call | str] = [
        {"path": "peom.txt"},
        {"path": "../x"},
        {"path": "broken.txt"},
        {"path": 7},
        {},
    ]
    missing, outside, broken, mistyped, empty = await sandbox_answers(remote_session(files, 3), calls)
    assert text_of(missing).startswith("error: `peom.txt` does not exist")
    assert text_of(outside).startswith("error: `../x` is outside the directories that may be read")
    assert text_of(broken) == "error: cannot fetch `broken.txt`: ConnectionError: the sandbox is gone"
    assert text_of(mistyped).startswith("error: the argument `path` must be a string")
    assert text_of(empty).startswith("error: the argument `path` is missing")


async def test_file_of_a_session_over_the_limit_is_refused(
    files: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_agents, "MAX_FETCHED_BYTES", 10)
    [answer] = await sandbox_answers(remote_session(files, 1), [{"path": files.text.name}])
    assert text_of(answer).startswith(f"error: `{files.text.name}` exceeds the limit of 10 bytes")


async def test_capability_has_the_model_of_its_host(files: Samples) -> None:
    session, calls = remote_session(files, 1), [{"path": files.pdf.name}]
    [answer] = await sandbox_answers(session, calls, model=anyread.Model.text_only())
    assert {part["type"] for part in answer} == {"input_text"}
    assert samples.PDF_WORDS in text_of(answer)


def test_capability_without_a_session_is_refused() -> None:
    with pytest.raises(ValueError, match="not bound to a sandbox session"):
        openai_agents.ReadCapability().tools()


async def test_windows_of_a_file_behind_commands() -> None:
    session = await UnixLocalSandboxClient().create(manifest=Manifest())
    async with session:
        script = "for n in $(seq 1 40000); do echo line $n; done > a.txt; pwd"
        made = await session.exec("sh", "-c", script, shell=False)
        reader = anyread.Reader(mounts={made.stdout.decode().strip(): from_openai_agents(session)})
        page = await reader.read("a.txt", offset=30_000, limit=1, kind="text")
    assert (page.content, page.total_lines) == ("line 30000\n", 40_000)
