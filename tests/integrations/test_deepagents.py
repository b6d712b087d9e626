"""`anyread.integrations.deepagents` in the loop of `create_deep_agent`, with a fake chat model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend, LocalShellBackend
from deepagents.backends.protocol import SandboxBackendProtocol
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_tests.integration_tests import SandboxIntegrationTests

import anyread
from anyread.integrations import deepagents
from anyread.sources.sandboxes import from_deepagents
from cancelling import cancel_during_read
from cells import RecordCell
from langchain_fakes import FakeModel
from samples import ENDLESS_OFFSET, LINES, PDF_WORDS, Samples, content_bytes

MODES = ("sync", "async")

Backend = deepagents.AnyreadBackend


async def answers(
    mode: str,
    backend: FilesystemBackend,
    *arguments: dict[str, Any],
    name: str = "read_file",
    tools: tuple[deepagents.LangchainTool, ...] = (),
) -> list[ToolMessage]:
    """Run a deep agent whose model makes these calls, and return what the model was shown."""
    model = FakeModel(name, *arguments)
    agent = create_deep_agent(model=model, backend=backend, tools=list(tools))
    given: Any = {"messages": [HumanMessage("go")]}
    state = agent.invoke(given) if mode == "sync" else await agent.ainvoke(given)
    assert state["messages"][-1].text == "done"
    assert len(model.shown) == len(arguments)
    return model.shown


async def test_text_is_a_window_of_lines(mode: str, files: Samples, cell: RecordCell) -> None:
    window_call = {"file_path": "/poem.txt", "offset": 1, "limit": 1}
    whole, window = await answers(mode, Backend(files.directory), {"file_path": "/poem.txt"}, window_call)
    assert whole.text == "\n".join(["@@ lines 1-3 of 3 @@", *LINES])
    assert window.text == f"@@ lines 2-2 of 3 | next offset 2 @@\n{LINES[1]}"
    assert whole.status == "success"
    cell("text", "native")


async def test_images_are_image_blocks(mode: str, files: Samples, cell: RecordCell) -> None:
    calls = [{"file_path": f"/{path.name}", "limit": 100} for path in files.media.values()]
    messages = await answers(mode, Backend(files.directory), *calls)
    for (kind, path), message in zip(files.media.items(), messages, strict=True):
        [block] = message.content_blocks
        assert block["type"] == "image"
        assert content_bytes(block["base64"]) == path.read_bytes()
        assert block["mime_type"] == f"image/{kind.lower()}"
    cell("PNG", "native")
    cell("JPEG", "native")
    cell("GIF", "native")


async def test_pdf_is_a_file_block(mode: str, files: Samples, cell: RecordCell) -> None:
    [message] = await answers(mode, Backend(files.directory), {"file_path": "/report.pdf"})
    [block] = message.content_blocks
    assert block["type"] == "file"
    assert content_bytes(block["base64"]) == files.pdf.read_bytes()
    assert block["mime_type"] == "application/pdf"
    cell("PDF", "native")


async def test_notebook_is_its_json(mode: str, files: Samples, cell: RecordCell) -> None:
    [message] = await answers(mode, Backend(files.directory), {"file_path": "/plots.ipynb"})
    header, _, text = message.text.partition("\n")
    assert header.startswith("@@ lines 1-")
    assert json.loads(text)["cells"][0]["source"] == "# The pump"
    cell("notebook", "text")


async def test_errors_are_marked_and_the_run_goes_on(mode: str, files: Samples, cell: RecordCell) -> None:
    (files.directory / "data.bin").write_bytes(bytes(64))
    (files.directory / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (files.directory / "poem.png").write_text("Tyger\n")
    (files.directory / "link.txt").symlink_to("/etc/hostname")
    names = ["peom.txt", "data.bin", "broken.png", "poem.png", "link.txt", "etc"]
    (files.directory / "etc").mkdir()
    calls: list[dict[str, Any]] = [{"file_path": f"/{name}"} for name in names]
    calls += [{"file_path": "/poem.txt", "offset": 3}, {"file_path": "/poem.txt", "limit": "many"}]
    messages = await answers(mode, Backend(files.directory), *calls)
    texts = [message.text for message in messages]
    assert [message.status for message in messages] == ["error"] * len(calls), texts
    assert texts[0] == ("Error: File '/peom.txt' not found: `peom.txt` does not exist\nhint: read `poem.txt`")
    assert "`data.bin` is binary" in texts[1]
    assert "`broken.png`" in texts[2]
    assert "is a text file" in texts[3]
    assert "`link.txt`" in texts[4]
    assert "directory" in texts[5]
    assert texts[6] == "Error: Line offset 3 exceeds file length (3 lines)"
    assert "limit" in texts[7]
    cell("error", "native")


async def test_many_parallel_reads_are_answered_in_order(mode: str, files: Samples) -> None:
    calls = [{"file_path": "/poem.txt", "offset": number % 3, "limit": 1} for number in range(100)]
    messages = await answers(mode, Backend(files.directory), *calls)
    for number, message in enumerate(messages):
        assert message.text.split("\n")[1] == LINES[number % 3]


async def test_cancelled_run_ends_the_read(files: Samples) -> None:
    call = {"file_path": "/endless.log", "offset": ENDLESS_OFFSET}
    await cancel_during_read(answers("async", Backend(files.directory), call), files.endless)


async def test_tool_shows_pages_and_notebooks_next_to_the_backend(mode: str, files: Samples) -> None:
    read = anyread.tool("anyread", roots=[files.directory], model=anyread.Model.any())
    tool = deepagents.tool(read)
    calls = [{"path": "report.pdf", "pages": "1"}, {"path": "plots.ipynb"}]
    backend = Backend(files.directory)
    pdf, notebook = await answers(mode, backend, *calls, name="read", tools=(tool,))
    assert PDF_WORDS in pdf.text
    assert [block["type"] for block in pdf.content_blocks if block["type"] != "text"] == ["image"]
    [image] = [block for block in notebook.content_blocks if block["type"] == "image"]
    assert content_bytes(image["base64"]) == files.png.read_bytes()


# ------------------------------------------------------------------------------------------------------------
# The backend alone


async def both(backend: Backend, path: str, offset: int = 0, limit: int = 2_000) -> Any:
    """Read with `read` and `aread`, which must return the same."""
    result = backend.read(path, offset, limit)
    assert await backend.aread(path, offset, limit) == result
    return result


async def test_windows_equal_those_of_the_framework(files: Samples) -> None:
    ours, theirs = Backend(files.directory), FilesystemBackend(files.directory)
    texts = ["a", "a\n", "a\nb", "a\r\nb\r\n\r\n", "\n\na\n\n", "a\rb", "é\n" * 300]
    for number, text in enumerate(texts):
        (files.directory / f"{number}.txt").write_bytes(text.encode())
        for offset in (-1, 0, 1, 2, 5):
            for limit in (-1, 0, 1, 2, 2_000):
                result = await both(ours, f"/{number}.txt", offset, limit)
                expected = theirs.read(f"/{number}.txt", offset, limit)
                # The framework replaces the content of a blank file with a sentence, for every window.
                if text.strip():
                    assert result == expected, (text, offset, limit)


@pytest.mark.parametrize("text", ["", "\n", " \n\n"])
async def test_blank_file_is_returned_as_it_is(text: str, mode: str, files: Samples) -> None:
    (files.directory / "blank.txt").write_text(text)
    result = await both(Backend(files.directory), "/blank.txt")
    assert result.file_data["content"] == text
    assert (result.error, result.start_line, result.total_lines) == (None, None, None)
    [message] = await answers(mode, Backend(files.directory), {"file_path": "/blank.txt"})
    assert message.text == "System reminder: File exists but has empty contents"


async def test_text_in_another_encoding_is_decoded(files: Samples) -> None:
    (files.directory / "notes.txt").write_text("Буря мглою небо кроет,\nВихри снежные крутя;\n", "koi8-r")
    result = await both(Backend(files.directory), "/notes.txt", 1)
    assert result.file_data["content"] == "Вихри снежные крутя;\n"
    assert FilesystemBackend(files.directory).read("/notes.txt").error is not None


async def test_media_without_their_extension_are_described_as_text(files: Samples) -> None:
    (files.directory / "report").write_bytes(files.pdf.read_bytes())
    (files.directory / "chart").write_bytes(files.png.read_bytes())
    backend = Backend(files.directory)
    assert PDF_WORDS in (await both(backend, "/report", 2, 10)).file_data["content"]
    assert "image: PNG 40×30" in (await both(backend, "/chart")).file_data["content"]


async def test_image_becomes_the_type_of_its_extension(files: Samples) -> None:
    (files.directory / "chart.jpg").write_bytes(files.png.read_bytes())
    result = await both(Backend(files.directory), "/chart.jpg")
    assert content_bytes(result.file_data["content"]).startswith(b"\xff\xd8\xff")


async def test_other_media_are_read_by_the_framework(files: Samples) -> None:
    (files.directory / "voice.mp3").write_bytes(b"ID3")
    result = await both(Backend(files.directory), "/voice.mp3")
    assert content_bytes(result.file_data["content"]) == b"ID3"


async def test_real_paths_are_read_without_virtual_mode(files: Samples) -> None:
    backend = Backend(files.directory, virtual_mode=False)
    assert (await both(backend, str(files.text), 0, 1)).file_data["content"] == LINES[0] + "\n"
    assert (await both(backend, "poem.txt", 0, 1)).file_data["content"] == LINES[0] + "\n"
    (files.directory / "~poem.txt").write_text("tilde\n")
    assert (await both(Backend(files.directory), "/~poem.txt")).file_data["content"] == "tilde\n"


# ------------------------------------------------------------------------------------------------------------
# The framework's own suite is for sandboxes, which run commands: only the backend with a shell is one

NOT_LOCAL = {
    "test_aread_binary_file_1_mib_returns_error",
    "test_aread_large_text_payload_paginated_roundtrip",
    "test_awrite_aread_adownload_large_text_with_escaped_content",
    "test_download_error_invalid_path_relative",
    "test_edit_multiple_occurrences_without_replace_all",
    "test_glob",
    "test_glob_basic_pattern",
    "test_glob_hidden_files_explicitly",
    "test_glob_with_character_class",
    "test_glob_with_directories",
    "test_glob_with_question_mark",
    "test_ls_lists_nested_directories",
    "test_read_binary_file_1_mib_returns_error",
    "test_upload_relative_path_returns_invalid_path",
    "test_write_existing_file_fails",
    "test_write_read_download_large_text_with_escaped_content",
}
"""What the framework's own backend for this machine fails too: the suite describes remote sandboxes."""
NOT_IMAGES = {
    "test_aread_binary_file_100_kib",
    "test_aread_binary_image_file",
    "test_read_binary_file",
    "test_read_binary_file_100_kib",
}
"""Files named `*.png` that are no images, which anyread refuses because a model's API rejects them."""


class LocalSandboxSuite(SandboxIntegrationTests):
    """The suite of `langchain-tests` in a directory of this machine."""

    root = ""
    failures: frozenset[str] = frozenset()

    @property
    def sandbox_root_dir(self) -> str:
        return self.root

    @pytest.fixture(autouse=True)
    def expected_failures(self, request: pytest.FixtureRequest) -> None:
        if request.node.name in self.failures:
            request.applymarker(pytest.mark.xfail(strict=True, reason="see the lists above"))


OPTIONS: dict[str, Any] = {"virtual_mode": False, "inherit_env": True, "max_output_bytes": 1 << 20}


class TestSandboxSuite(LocalSandboxSuite):
    failures = frozenset(NOT_LOCAL | NOT_IMAGES)

    @pytest.fixture(scope="class")
    def sandbox(self, tmp_path_factory: pytest.TempPathFactory) -> SandboxBackendProtocol:
        type(self).root = str(tmp_path_factory.mktemp("sandbox"))
        return deepagents.AnyreadShellBackend(self.root, **OPTIONS)


class TestSandboxSuiteWithBackendOfTheFramework(LocalSandboxSuite):
    """Shows that the failures in `NOT_LOCAL` are not anyread's."""

    failures = frozenset(NOT_LOCAL)

    @pytest.fixture(scope="class")
    def sandbox(self, tmp_path_factory: pytest.TempPathFactory) -> SandboxBackendProtocol:
        type(self).root = str(tmp_path_factory.mktemp("sandbox"))
        return LocalShellBackend(self.root, **OPTIONS)


async def test_lines_are_divided_as_the_framework_divides_them(mode: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("a\fb\u2028c\r\nd\re\x85f\n\ng".encode())
    backends = [deepagents.AnyreadBackend(tmp_path), FilesystemBackend(tmp_path, virtual_mode=True)]
    for offset, limit in [(0, 9), (1, 2), (2, 1), (3, 4), (7, 1), (8, 1), (-2, 2), (0, 0), (6, -1)]:
        if mode == "async":
            ours, theirs = [await backend.aread("/a.txt", offset, limit) for backend in backends]
        else:
            ours, theirs = [backend.read("/a.txt", offset, limit) for backend in backends]
        assert ours == theirs, (offset, limit)


async def test_windows_of_a_file_behind_commands(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"".join(b"line %d\n" % number for number in range(1, 200_001)))
    store = from_deepagents(LocalShellBackend(tmp_path, virtual_mode=True, inherit_env=True))
    reader = anyread.Reader(mounts={str(tmp_path): store})
    page = await reader.read("a.txt", offset=150_000, limit=1, kind="text")
    assert (page.content, page.total_lines) == ("line 150000\n", 200_000)
