"""Claude Code's `Read`: its arguments, its answers, and what a model sees of them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.tools import Tool
from media import drawing, encoded, noise, text_pdf
from notebooks import code, display, markdown, png, stream, write


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
    assert content.startswith("<tool_use_error>")
    assert content.endswith("</tool_use_error>")
    return content.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


# ------------------------------------------------------------------------------------------------------------
# The tool


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "`file_path` is missing"),
        (None, "`file_path` is missing"),
        ([1], "`file_path` is missing"),
        ({"file_path": ""}, "`file_path` must be"),
        ({"file_path": 3}, "`file_path` must be"),
        ({"file_path": "a\0b"}, "`file_path` must be"),
        ({"file_path": "/a", "path": "/b"}, "no parameter `path`"),
        ({"file_path": "/a", "offset": -1}, "`offset` must be an integer of 0 or more"),
        ({"file_path": "/a", "offset": 1.5}, "`offset` must be"),
        ({"file_path": "/a", "offset": True}, "`offset` must be"),
        ({"file_path": "/a", "offset": "two"}, "`offset` must be"),
        ({"file_path": "/a", "limit": 0}, "`limit` must be an integer of 1 or more"),
        ({"file_path": "/a", "limit": 10**30}, "`limit` must be"),
        ({"file_path": "/a", "pages": 3}, "`pages` must be"),
        ({"file_path": "/a", "pages": "0"}, "`pages` must be"),
        ({"file_path": "/a", "pages": "5-2"}, "`pages` must be"),
        ({"file_path": "/a", "pages": "1,2"}, "`pages` must be"),
        ({"file_path": "/a", "pages": "1-21"}, "at most 20 pages"),
    ],
)
def test_arguments_that_break_the_schema_are_refused(tool: Tool, arguments: Any, said: Any) -> None:
    refused = refusal(tool.call_sync(arguments))
    assert refused.startswith("InputValidationError: ")
    assert said in refused
    assert tool.validate(arguments) == tool.call_sync(arguments)


@pytest.mark.parametrize(
    "more",
    [{}, {"offset": 0}, {"offset": "2"}, {"limit": 2.0}, {"limit": None}, {"pages": ""}, {"pages": "1-20"}],
)
def test_arguments_that_models_pass_are_accepted(tool: Tool, more: Any) -> None:
    assert tool.validate({"file_path": "/a", **more}) is None


# ------------------------------------------------------------------------------------------------------------
# Text


def test_text_gets_line_numbers_only_in_blocks(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "one\n\tthree\n")
    output = tool.call_sync({"file_path": path})
    file = {"filePath": path, "content": "one\n\tthree", "numLines": 2, "startLine": 1, "totalLines": 2}
    assert output == {"type": "text", "file": file}
    assert tool.blocks(output) == [TextBlock("1\tone\n2\t\tthree")]


def test_range_is_counted_from_one(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "".join(f"line {number}\n" for number in range(1, 21)))
    output = tool.call_sync({"file_path": path, "offset": 9, "limit": 3})
    assert output["file"]["content"] == "line 9\nline 10\nline 11"
    assert (output["file"]["startLine"], output["file"]["totalLines"]) == (9, 20)
    assert seen(tool, output) == "9\tline 9\n10\tline 10\n11\tline 11"


def test_offset_zero_is_the_first_line(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "one\ntwo\n")
    assert tool.call_sync({"file_path": path, "offset": 0, "limit": 1})["file"]["content"] == "one"


@pytest.mark.parametrize(("lines", "shown"), [(2_000, 2_000), (2_001, 2_000)])
def test_two_thousand_lines_are_read_by_default(tool: Tool, tmp_path: Path, lines: Any, shown: Any) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.txt", "x\n" * lines)})
    assert (output["file"]["numLines"], output["file"]["totalLines"]) == (shown, lines)
    assert "truncatedByTokenCap" not in output["file"]


@pytest.mark.parametrize(("length", "shown"), [(2_000, 2_000), (2_001, 2_000)])
def test_line_over_two_thousand_characters_is_cut(
    tool: Tool, tmp_path: Path, length: Any, shown: Any
) -> None:
    path = put(tmp_path, "a.txt", "é" * length + "\nnext\n")
    first, second = tool.call_sync({"file_path": path})["file"]["content"].split("\n")
    assert first == "é" * shown + ("... [truncated]" if length > shown else "")
    assert second == "next"


def test_crlf_is_not_part_of_a_line(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "one\r\ntwo\r\n")
    assert tool.call_sync({"file_path": path})["file"]["content"] == "one\ntwo"


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (b"one\rtwo\r", "one\ntwo"),
        (b"one\rtwo\n", "one\rtwo"),
        (b"\xef\xbb\xbfone\n", "one"),
        ("\ufeffgrün\nzwei\n".encode("utf-16-le"), "grün\nzwei"),
        ("grün und schön, über alles".encode("latin-1"), "grün und schön, über alles"),
    ],
)
def test_endings_and_encodings_are_detected(tool: Tool, tmp_path: Path, data: bytes, content: str) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.txt", data)})
    assert output["file"]["content"] == content


def test_carriage_returns_and_blank_lines_are_kept(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "a\rb\n\nc\n\n")
    assert seen(tool, tool.call_sync({"file_path": path, "offset": 1})) == "1\ta\rb\n2\t\n3\tc\n4\t"


def test_empty_file_is_a_reminder(tool: Tool, tmp_path: Path) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.txt", "")})
    assert (output["file"]["numLines"], output["file"]["totalLines"]) == (0, 0)
    assert seen(tool, output).startswith("<system-reminder>")
    assert "empty" in seen(tool, output)


def test_offset_past_the_end_is_a_reminder_with_the_total(tool: Tool, tmp_path: Path) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.txt", "one\ntwo\n"), "offset": 9})
    assert (output["file"]["content"], output["file"]["numLines"]) == ("", 0)
    assert "2 lines" in seen(tool, output)


def test_whole_file_over_the_token_limit_is_a_partial_view(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 200})
    path = put(tmp_path, "a.txt", "several words of a line\n" * 100)
    file = tool.call_sync({"file_path": path})["file"]
    assert file["truncatedByTokenCap"] is True
    assert 1 < file["numLines"] < 100
    text = seen(tool, {"type": "text", "file": file})
    assert f"PARTIAL view: lines 1-{file['numLines']} of 100" in text
    assert f"offset={file['numLines'] + 1}" in text


def test_whole_file_over_256_kib_is_a_partial_view(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 10**9})
    path = put(tmp_path, "a.txt", ("x" * 999 + "\n") * 300)
    file = tool.call_sync({"file_path": path})["file"]
    assert file["truncatedByTokenCap"] is True
    assert 256 <= file["numLines"] <= 262


def test_range_over_the_token_limit_is_refused(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 200})
    path = put(tmp_path, "a.txt", "several words of a line\n" * 100)
    assert "smaller limit" in refusal(tool.call_sync({"file_path": path, "limit": 100}))
    assert tool.call_sync({"file_path": path, "limit": 5})["file"]["numLines"] == 5


def test_first_line_over_the_token_limit_is_refused(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, settings={"max_tokens": 20})
    path = put(tmp_path, "a.txt", "several words of a line " * 50)
    assert "20 tokens" in refusal(tool.call_sync({"file_path": path}))
    assert tool.session.records == ()


def test_tokens_are_counted_by_the_hosts_tokenizer(tmp_path: Path) -> None:
    reader = anyread.Reader(limits=anyread.Limits(tokenizer=lambda text: text.count("x")))
    tool = anyread.tool("claude-code", cwd=tmp_path, reader=reader, settings={"max_tokens": 7})
    file = tool.call_sync({"file_path": put(tmp_path, "a.txt", "x and words\n" * 20)})["file"]
    assert (file["numLines"], file["truncatedByTokenCap"]) == (7, True)


def test_range_of_a_large_file_is_read(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", ("x" * 99 + "\n") * 20_000)
    file = tool.call_sync({"file_path": path, "offset": 19_999, "limit": 10})["file"]
    assert (file["numLines"], file["totalLines"]) == (2, 20_000)


# ------------------------------------------------------------------------------------------------------------
# Failures


def test_missing_file_directory_and_binary_are_refused(tool: Tool, tmp_path: Path) -> None:
    put(tmp_path, "a.bin", b"\x00\x01\x02" * 100)
    assert "does not exist" in refusal(tool.call_sync({"file_path": "nothing.txt"}))
    assert "is a directory" in refusal(tool.call_sync({"file_path": str(tmp_path)}))
    assert "binary" in refusal(tool.call_sync({"file_path": "a.bin"}))
    assert tool.session.records == ()


# ------------------------------------------------------------------------------------------------------------
# Images


def test_image_has_its_original_and_its_displayed_size(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.png", encoded(drawing(3_000, 1_500), "PNG"))
    file = tool.call_sync({"file_path": path})["file"]
    assert file["originalSize"] == Path(path).stat().st_size
    dimensions = file["dimensions"]
    assert (dimensions["originalWidth"], dimensions["originalHeight"]) == (3_000, 1_500)
    assert (dimensions["displayWidth"], dimensions["displayHeight"]) == (1_568, 784)
    (block,) = tool.blocks({"type": "image", "file": file})
    assert isinstance(block, ImageBlock)
    assert (block.media_type, block.width) == (file["type"], 1_568)


def test_range_is_ignored_for_an_image(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.png", encoded(drawing(30, 20), "PNG"))
    assert tool.call_sync({"file_path": path, "offset": 3, "limit": 2})["type"] == "image"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n" + b"\0" * 50, encoded(noise(40, 40), "PNG")[:900]])
def test_image_that_does_not_decode_is_refused(tool: Tool, tmp_path: Path, data: Any) -> None:
    refusal(tool.call_sync({"file_path": put(tmp_path, "a.png", data)}))


def test_type_of_an_image_comes_from_its_name_without_validation(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, validate_media=False)
    file = tool.call_sync({"file_path": put(tmp_path, "a.png", b"no picture")})["file"]
    assert file == {
        "base64": base64.b64encode(b"no picture").decode(),
        "type": "image/png",
        "originalSize": 10,
    }
    assert tool.call_sync({"file_path": put(tmp_path, "a.txt", "no picture")})["type"] == "text"


def test_text_only_model_gets_no_image(tmp_path: Path) -> None:
    tool = anyread.tool("claude-code", cwd=tmp_path, model=anyread.Model.text_only())
    path = put(tmp_path, "a.png", encoded(drawing(30, 20), "PNG"))
    assert "accepts no images" in refusal(tool.call_sync({"file_path": path}))


# ------------------------------------------------------------------------------------------------------------
# PDFs


def test_pdf_of_ten_pages_is_sent_whole(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(10))
    output = tool.call_sync({"file_path": path})
    assert (output["type"], output["file"]["pageCount"]) == ("pdf", 10)
    assert base64.b64decode(output["file"]["base64"]) == Path(path).read_bytes()
    (block,) = tool.blocks(output)
    assert isinstance(block, DocumentBlock)
    assert (block.name, block.page_count) == ("a.pdf", 10)


def test_pdf_of_eleven_pages_needs_pages(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(11))
    refused = refusal(tool.call_sync({"file_path": path}))
    assert "11 pages" in refused
    assert 'pages="1-5"' in refused


@pytest.mark.parametrize(("pages", "first", "count"), [("2", 2, 1), ("2-3", 2, 2), ("10-", 10, 2)])
def test_requested_pages_are_images(tool: Tool, tmp_path: Path, pages: Any, first: Any, count: Any) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(11))
    output = tool.call_sync({"file_path": path, "pages": pages})
    assert (output["type"], output["firstPage"], output["file"]["count"]) == ("parts", first, count)
    blocks = tool.blocks(output)
    assert [type(block) for block in blocks] == [TextBlock, ImageBlock] * count
    assert isinstance(blocks[0], TextBlock)
    assert blocks[0].text == f"[page {first}]"


def test_pages_past_the_end_are_refused_with_the_count(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(3))
    assert "3 pages" in refusal(tool.call_sync({"file_path": path, "pages": "2-4"}))
    assert "3 pages" in refusal(tool.call_sync({"file_path": path, "pages": "4-"}))


def test_open_range_of_over_twenty_pages_is_refused(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(22))
    assert "at most 20" in refusal(tool.call_sync({"file_path": path, "pages": "2-"}))


def test_pdf_becomes_images_or_text_for_other_models(tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", text_pdf(2))
    without_pdf = anyread.tool("claude-code", model=anyread.Model.any())
    assert without_pdf.call_sync({"file_path": path})["type"] == "parts"
    text_only = anyread.tool("claude-code", model=anyread.Model.text_only())
    output = text_only.call_sync({"file_path": path})
    assert output["type"] == "text"
    assert "line 1 of page 2" in output["file"]["content"]


def test_damaged_pdf_is_refused(tool: Tool, tmp_path: Path) -> None:
    refusal(tool.call_sync({"file_path": put(tmp_path, "a.pdf", b"%PDF-1.7\nnothing")}))


def test_pdf_with_another_extension_is_a_pdf(tool: Tool, tmp_path: Path) -> None:
    assert tool.call_sync({"file_path": put(tmp_path, "a.txt", text_pdf(2))})["type"] == "pdf"


@pytest.mark.parametrize("pages", [" 2 - 3 ", "2-3", "2 -3"])
def test_spaces_in_pages_are_ignored(tool: Tool, tmp_path: Path, pages: str) -> None:
    output = tool.call_sync({"file_path": put(tmp_path, "a.pdf", text_pdf(4)), "pages": pages})
    assert (output["firstPage"], output["file"]["count"]) == (2, 2)


def test_pages_are_ignored_for_text(tool: Tool, tmp_path: Path) -> None:
    assert tool.call_sync({"file_path": put(tmp_path, "a.txt", "one"), "pages": "1"})["type"] == "text"


# ------------------------------------------------------------------------------------------------------------
# Notebooks


def test_notebook_has_its_cells_with_their_outputs(tool: Tool, tmp_path: Path) -> None:
    path = write(tmp_path, markdown("# Title"), code("print(1)", stream("1\n"), count=7))
    output = tool.call_sync({"file_path": str(path)})
    assert output["type"] == "notebook"
    first, second = output["file"]["cells"]
    assert (first["cellType"], first["source"]) == ("markdown", "# Title")
    assert (second["cellType"], second["execution_count"]) == ("code", 7)
    assert second["outputs"] == [{"output_type": "stream", "text": "1\n"}]
    assert "print(1)" in seen(tool, output)
    assert "totalCells" not in output["file"]


def test_notebook_with_invalid_json_is_text(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.ipynb", '{"cells": [], "nbformat": 4, "metadata": {')
    assert tool.call_sync({"file_path": path})["type"] == "text"


def test_image_of_a_cell_is_a_block_at_its_position(tool: Tool, tmp_path: Path) -> None:
    path = write(tmp_path, code("plot()", display(**{"image/png": png()})))
    output = tool.call_sync({"file_path": str(path)})
    assert output["file"]["cells"][0]["outputs"][0]["image"]["media_type"] == "image/png"
    assert [type(block) for block in tool.blocks(output)] == [TextBlock, ImageBlock]


# ------------------------------------------------------------------------------------------------------------
# The session


def test_same_read_of_an_unchanged_file_is_a_stub(tool: Tool, tmp_path: Path, settled: Any) -> None:
    path = settled(put(tmp_path, "a.txt", "one\ntwo\n"))
    assert tool.call_sync({"file_path": path})["type"] == "text"
    output = tool.call_sync({"file_path": path})
    assert output == {"type": "file_unchanged", "file": {"filePath": path}}
    assert "unchanged" in seen(tool, output)
    assert tool.call_sync({"file_path": path, "limit": 1})["type"] == "text"
    Path(path).write_text("three\n")
    assert tool.call_sync({"file_path": path})["file"]["content"] == "three"


def test_no_stub_if_the_host_disables_it_or_forgets_the_file(tmp_path: Path, settled: Any) -> None:
    path = settled(put(tmp_path, "a.txt", "one\n"))
    tool = anyread.tool("claude-code", settings={"stub_unchanged": False})
    assert [tool.call_sync({"file_path": path})["type"] for _ in range(2)] == ["text", "text"]
    tool = anyread.tool("claude-code")
    tool.call_sync({"file_path": path})
    tool.session.forget(path)
    assert tool.call_sync({"file_path": path})["type"] == "text"


def test_writing_needs_a_fresh_read(tool: Tool, tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "one\n")
    with pytest.raises(anyread.StaleReadError, match="has not been read yet"):
        tool.assert_fresh(path)
    tool.call_sync({"file_path": path})
    tool.assert_fresh(path)
    Path(path).write_text("three\n")
    with pytest.raises(anyread.StaleReadError, match="was modified after it was read"):
        tool.assert_fresh(path)
    Path(path).unlink()
    with pytest.raises(anyread.StaleReadError, match="was deleted"):
        tool.assert_fresh(path)


# ------------------------------------------------------------------------------------------------------------
# Sync and async


async def test_call_answers_as_call_sync_does(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "one\ntwo\n")
    put(tmp_path, "b.png", encoded(drawing(30, 20), "PNG"))
    put(tmp_path, "c.pdf", text_pdf(2))
    write(tmp_path, code("1"), name="d.ipynb")
    for name in ("a.txt", "b.png", "c.pdf", "d.ipynb", "nothing"):
        one, other = (anyread.tool("claude-code", cwd=tmp_path) for _ in range(2))
        output = await one.call({"file_path": name})
        assert output == other.call_sync({"file_path": name})
        assert json.loads(json.dumps(output)) == output
