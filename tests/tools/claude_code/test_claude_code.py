"""Claude Code's `Read`: what the rows of `tests/recorded/claude-code.jsonl` do not show.

Those are the words of refusals, numbers of tokens, blocks that are no text, and the session.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock
from anyread.tools import Tool
from helpers.media import encoded, noise, text_pdf
from helpers.notebooks import code, display, png, write


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return anyread.tool("claude-code", cwd=tmp_path)


def put(directory: Path, name: str, content: str | bytes) -> str:
    path = directory / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def seen(tool: Tool, output: Any) -> str:
    """Return the text that a model sees of an answer."""
    return "\n".join(block.text for block in tool.blocks(output) if isinstance(block, TextBlock))


def refusal(output: Any) -> str:
    assert set(output) == {"is_error", "content"}
    assert output["is_error"] is True
    content: str = output["content"]
    return content.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


# ------------------------------------------------------------------------------------------------------------
# The tool


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (None, "`file_path` is missing"),
        ([1], "`file_path` is missing"),
        ({"file_path": "/a", "path": "/b"}, "An unexpected parameter `path`"),
        ({"path": "/b"}, "following issues:\nThe required parameter `file_path` is missing\nAn unexpected"),
        ({"file_path": "/a", "offset": True}, "`offset` type is expected as `number`"),
        ({"file_path": "/a", "limit": 10**30}, "Too big: expected int"),
        ({"file_path": "/a", "allow_large": 1}, "`allow_large` type is expected as `boolean`"),
        ({"file_path": "/a", "pages": "1,2"}, "Invalid pages parameter"),
        ({"file_path": "/a", "pages": "1-21"}, "exceeds maximum of 20 pages"),
    ],
)
def test_arguments_that_break_the_schema_are_refused(tool: Tool, arguments: Any, said: Any) -> None:
    refused = refusal(tool.call_sync(arguments))
    assert refused.startswith("InputValidationError: ") is ("pages" not in said)
    assert said in refused
    assert tool.validate(arguments) == tool.call_sync(arguments)


@pytest.mark.parametrize(
    "more",
    [{}, {"offset": 0}, {"offset": "2"}, {"limit": 2.0}, {"limit": -2}, {"pages": ""}, {"pages": "1 - 20"}],
)
def test_arguments_that_models_pass_are_accepted(tool: Tool, more: Any) -> None:
    assert tool.validate({"file_path": "/a", **more}) is None


# ------------------------------------------------------------------------------------------------------------
# Text


def test_whole_file_over_the_token_limit_is_a_partial_view(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 200})
    path = put(tmp_path, "a.txt", "several words of a line\n" * 100)
    file = tool.call_sync({"file_path": path})["file"]
    assert file["truncatedByTokenCap"] is True
    assert 1 < file["numLines"] < 100
    text = seen(tool, {"type": "text", "file": file})
    shown = f"{file['filePath']}: showing lines 1-{file['numLines']}"
    assert f"PARTIAL view — {shown} of 101 total (600 tokens" in text
    assert f"offset={file['numLines'] + 1}" in text
    following = {"offset": file["numLines"] + 1, "limit": file["numLines"]}
    assert f"offset={following['offset']} limit={following['limit']}" in text
    assert tool.call_sync({"file_path": path, **following})["file"]["startLine"] == file["numLines"] + 1


def test_range_over_the_token_limit_is_refused(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 200})
    path = put(tmp_path, "a.txt", "several words of a line\n" * 100)
    said = refusal(tool.call_sync({"file_path": path, "limit": 100}))
    assert "(600 tokens) exceeds maximum allowed tokens (200)" in said
    assert tool.call_sync({"file_path": path, "limit": 5})["file"]["numLines"] == 5


@pytest.mark.parametrize(
    ("name", "content", "more", "shown"),
    [
        ("a.txt", "x\n" * 45_000, {}, 90_000),
        ("a.txt", "x" * 100_000, {}, 100_000),
        ("a.txt", "x" * 100_001, {}, 84_998),
        ("a.json", "x" * 60_000, {}, 42_498),
        ("a.txt", "🚀" * 60_000, {}, 42_499),
        ("a.txt", ("x" * 99 + "\n") * 1_200, {}, 84_999),
        ("a.txt", ("x" * 99 + "\n") * 1_200, {"offset": 2}, None),
        ("a.txt", ("x" * 99 + "\n") * 1_200, {"limit": 1_100}, None),
        ("a.txt", ("x" * 99 + "\n") * 1_200, {"allow_large": True}, 120_000),
        ("a.txt", "x\n" * 140_000, {}, None),
        ("a.txt", "x\n" * 140_000, {"offset": 139_999}, None),
        ("a.txt", "x\n" * 140_000, {"offset": 139_999, "limit": 9}, 4),
        ("a.txt", "x\n" * 140_000, {"allow_large": True}, 280_000),
    ],
)
def test_limits_are_those_of_the_program(
    tool: Tool, tmp_path: Path, name: str, content: str, more: dict[str, Any], shown: int | None
) -> None:
    """It ended after 2,000 lines and cut lines at 2,000 characters, as the program does not."""
    output = tool.call_sync({"file_path": put(tmp_path, name, content), **more})
    if shown is None:
        assert "exceeds maximum allowed" in refusal(output)
        return
    assert len(output["file"]["content"]) == shown
    is_partial = not more and shown < len(content)
    assert output["file"].get("truncatedByTokenCap", False) is is_partial
    assert ("PARTIAL view" in seen(tool, output)) is is_partial


def test_tokens_are_counted_by_the_hosts_tokenizer(tmp_path: Path) -> None:
    reader = anyread.Reader(limits=anyread.Limits(tokenizer=lambda text: text.count("x")))
    tool = anyread.tool("claude-code", cwd=tmp_path, reader=reader, settings={"max_tokens": 20})
    file = tool.call_sync({"file_path": put(tmp_path, "a.txt", "x and words\n" * 21)})["file"]
    assert (file["numLines"], file["truncatedByTokenCap"]) == (17, True)


def test_missing_file_and_directory_are_refused_in_words(tool: Tool, tmp_path: Path) -> None:
    assert "File does not exist." in refusal(tool.call_sync({"file_path": "nothing.txt"}))
    assert "EISDIR" in refusal(tool.call_sync({"file_path": str(tmp_path)}))
    tool = anyread.tool("claude-code", roots=[tmp_path])
    assert "outside" in tool.call_sync({"file_path": "/etc/hostname"})["content"]


# ------------------------------------------------------------------------------------------------------------
# Media


@pytest.mark.parametrize(
    ("count", "pages", "said"),
    [
        (11, {}, "This PDF has 11 pages, which is too many to read at once"),
        (3, {"pages": "2-4"}, "Requested pages 2-4 are outside the document (PDF has 3 pages)"),
    ],
)
def test_refused_pages_of_a_pdf(tool: Tool, tmp_path: Path, count: int, pages: Any, said: str) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(count))
    assert said in refusal(tool.call_sync({"file_path": path, **pages}))


def test_pdf_that_the_model_would_refuse_is_sent_as_images(tmp_path: Path) -> None:
    model = anyread.Model(inputs=frozenset({"text", "image", "pdf"}), max_pdf_pages=2)
    tool = anyread.tool("claude-code", model=model)
    outputs = [tool.call_sync({"file_path": put(tmp_path, "a.pdf", text_pdf(count))}) for count in (2, 3)]
    assert [output["type"] for output in outputs] == ["pdf", "parts"]


def test_scaled_image_has_a_sentence_about_coordinates(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", model=anyread.Model(max_long_edge=50))
    output = tool.call_sync({"file_path": put(tmp_path, "a.png", encoded(noise(100, 40), "PNG"))})
    assert seen(tool, output) == (
        "[Image: original 100x40, displayed at 50x20. Multiply coordinates by 2.00 to map to original image.]"
    )


def test_images_of_pages_and_cells_are_blocks_at_their_position(tool: Tool, tmp_path: Path) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.pdf", text_pdf(3)), "pages": "2-3"})
    assert [type(block) for block in tool.blocks(output)] == [TextBlock, ImageBlock, ImageBlock]
    path = write(tmp_path, code("plot()", display(**{"image/png": png()})))
    blocks = tool.blocks(tool.call_sync({"file_path": str(path)}))
    assert [type(block) for block in blocks] == [TextBlock, ImageBlock]


# ------------------------------------------------------------------------------------------------------------
# The session


@pytest.mark.posix("versions")
def test_same_read_of_an_unchanged_file_is_a_stub(tmp_path: Path, settled: Any) -> None:
    tool = anyread.tool("claude-code", settings={"stub_unchanged": True})
    path = settled(put(tmp_path, "a.txt", "one\ntwo\n"))
    assert tool.call_sync({"file_path": path})["type"] == "text"
    output = tool.call_sync({"file_path": path})
    assert output == {"type": "file_unchanged", "file": {"filePath": path}}
    assert "unchanged" in seen(tool, output)
    assert tool.call_sync({"file_path": path, "limit": 1})["type"] == "text"
    Path(path).write_text("three\n")
    assert tool.call_sync({"file_path": path})["file"]["content"] == "three\n"


def test_no_stub_by_default_or_if_the_host_forgets_the_file(tmp_path: Path, settled: Any) -> None:
    path = settled(put(tmp_path, "a.txt", "one\n"))
    tool = anyread.tool("claude-code")
    assert [tool.call_sync({"file_path": path})["type"] for _ in range(2)] == ["text", "text"]
    tool = anyread.tool("claude-code", settings={"stub_unchanged": True})
    tool.call_sync({"file_path": path})
    tool.session.forget(path)
    assert tool.call_sync({"file_path": path})["type"] == "text"
