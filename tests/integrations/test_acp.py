"""`anyread.integrations.acp` in a client of ACP, with an agent in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import acp
import pytest
from acp.schema import AgentMessageChunk, ClientCapabilities, FileSystemCapabilities, TextContentBlock

import anyread
from anyread.integrations.acp import MAX_BYTES, TextFiles, read_text_file
from cancelling import cancel_during_read
from cells import RecordCell
from samples import CODE, ENDLESS_OFFSET, LINES, Samples

AGENT = Path(__file__).parent / "acp_agent.py"
NOT_FOUND, INVALID_PARAMS = -32002, -32602


class Editor(TextFiles):
    """A client that reads below one directory and records what the agent says."""

    def __init__(self, directory: Path) -> None:
        self.reader = anyread.Reader(roots=[directory])
        self.said: list[str] = []

    async def session_update(self, *, update: Any, **_: Any) -> None:
        assert isinstance(update, AgentMessageChunk)
        assert isinstance(update.content, TextContentBlock)
        self.said.append(update.content.text)


async def answers(directory: Path, *windows: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what an agent gets that reads these windows at the same time."""
    editor = Editor(directory)
    # It has none of the other methods of a client, because the agent calls none.
    client: Any = editor
    async with acp.spawn_agent_process(
        client, sys.executable, str(AGENT), transport_kwargs={"limit": 64 << 20}
    ) as (agent, _):
        capabilities = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True))
        await agent.initialize(acp.PROTOCOL_VERSION, capabilities)
        session = await agent.new_session(str(directory))
        await agent.prompt(session.session_id, [acp.text_block(json.dumps(windows))])
    [text] = editor.said
    found: list[dict[str, Any]] = json.loads(text)
    return found


async def test_text_is_exactly_the_lines_of_the_window(files: Samples, cell: RecordCell) -> None:
    mixed = files.directory / "mixed.txt"
    mixed.write_bytes("\ufeffone\r\ntwo\n\nfour é\rfour\nlast".encode())
    path = str(mixed)
    shown = await answers(
        files.directory,
        {"path": path},
        {"path": path, "line": 2},
        {"path": path, "line": 2, "limit": 2},
        {"path": path, "line": 0, "limit": 1},
        {"path": path, "line": 5, "limit": 10},
        {"path": path, "line": 6},
        {"path": path, "limit": 0},
        {"path": str(files.text)},
    )
    assert [each["content"] for each in shown] == [
        "one\r\ntwo\n\nfour é\rfour\nlast",
        "two\n\nfour é\rfour\nlast",
        "two\n\n",
        "one\r\n",
        "last",
        "",
        "",
        "\n".join(LINES) + "\n",
    ]
    cell("text", "native")


async def test_long_lines_and_files_are_complete(files: Samples) -> None:
    long = files.directory / "long.log"
    long.write_text("x" * 100_000 + "\n" + "word\n" * 500_000)
    [shown] = await answers(files.directory, {"path": str(long)})
    assert shown["content"] == long.read_text()


async def test_legacy_encoding_is_decoded(files: Samples) -> None:
    menu = files.directory / "menu.txt"
    menu.write_bytes("café crème, déjà vu, à la carte\n".encode("latin-1") * 20)
    [shown] = await answers(files.directory, {"path": str(menu), "limit": 1})
    assert shown["content"] == "café crème, déjà vu, à la carte\n"


async def test_notebook_is_its_json(files: Samples, cell: RecordCell) -> None:
    [shown] = await answers(files.directory, {"path": str(files.notebook)})
    assert shown["content"] == files.notebook.read_text("utf-8")
    assert CODE in shown["content"]
    cell("notebook", "text")


async def test_images_and_documents_are_errors_that_name_them(files: Samples, cell: RecordCell) -> None:
    paths = {**files.media, "PDF": files.pdf}
    windows = [{"path": str(path), "line": line} for path in paths.values() for line in (None, 3)]
    shown = await answers(files.directory, *windows)
    for window, each in zip(windows, shown, strict=True):
        what = "a PDF" if window["path"] == str(files.pdf) else "an image"
        message = f"`{window['path']}` is {what}, and `fs/read_text_file` carries only text"
        assert (each["code"], each["message"]) == (INVALID_PARAMS, message)
        assert each["data"] == {"code": "not_text", "path": window["path"]}
    cell("PNG", "not shown")
    cell("JPEG", "not shown")
    cell("GIF", "not shown")
    cell("PDF", "not shown")


async def test_errors_are_those_of_the_protocol(files: Samples, cell: RecordCell) -> None:
    binary = files.directory / "program.bin"
    binary.write_bytes(bytes(range(256)) * 10)
    gone, is_binary, outside, directory = await answers(
        files.directory,
        {"path": str(files.missing)},
        {"path": str(binary)},
        {"path": "/etc/passwd"},
        {"path": str(files.directory)},
    )
    assert gone["code"] == NOT_FOUND
    assert f"`{files.missing}` does not exist\nhint: read `{files.text}`" in gone["message"]
    assert gone["data"] == {"code": "not_found", "path": str(files.missing)}
    for each, code in ((is_binary, "binary"), (outside, "outside_root"), (directory, "is_a_directory")):
        assert (each["code"], each["data"]["code"]) == (INVALID_PARAMS, code)
    cell("error", "native")


async def test_window_over_the_maximum_names_the_lines_that_fit(files: Samples) -> None:
    large, one = files.directory / "large.log", files.directory / "one.json"
    large.write_text("line\n" * (MAX_BYTES // 4))
    one.write_text("x" * (MAX_BYTES + 1))
    refused, single = await answers(files.directory, {"path": str(large)}, {"path": str(one)})
    limit = int(refused["message"].partition("pass limit=")[2].partition(",")[0])
    assert refused["data"]["code"] == "over_budget"
    assert "hint" not in single["message"]
    [shown] = await answers(files.directory, {"path": str(large), "limit": limit})
    assert shown["content"] == "line\n" * limit


async def test_many_parallel_reads_are_answered_in_order(files: Samples) -> None:
    windows = [{"path": str(files.text), "line": number % 3 + 1, "limit": 1} for number in range(100)]
    shown = await answers(files.directory, *windows)
    assert [each["content"] for each in shown] == [f"{LINES[number % 3]}\n" for number in range(100)]


async def test_closed_connection_ends_the_read(files: Samples) -> None:
    window = {"path": str(files.endless), "line": ENDLESS_OFFSET}
    await cancel_during_read(answers(files.directory, window), files.endless)


async def test_window_of_a_huge_file_is_read_without_the_rest(files: Samples) -> None:
    [shown] = await answers(files.directory, {"path": str(files.endless), "line": 3, "limit": 2})
    assert shown["content"] == "line\nline\n"


async def test_function_reads_every_path_without_a_reader(files: Samples) -> None:
    request = acp.ReadTextFileRequest(session_id="1", path=str(files.text), line=2, limit=1)
    assert (await read_text_file(request)).content == f"{LINES[1]}\n"


async def test_wrong_types_of_bounds_count_as_absent(files: Samples) -> None:
    """The package itself replaces bounds that are not numbers or negative."""
    given = {"sessionId": "1", "path": str(files.text), "line": "two", "limit": -1}
    request = acp.ReadTextFileRequest.model_validate(given)
    assert (await read_text_file(request)).content == files.text.read_text()


async def test_path_of_a_wrong_type_is_refused_by_the_package() -> None:
    with pytest.raises(ValueError, match="path"):
        acp.ReadTextFileRequest.model_validate({"sessionId": "1", "path": ["poem.txt"]})
