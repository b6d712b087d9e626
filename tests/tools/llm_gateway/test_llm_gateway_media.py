"""Images, PDFs and FileTime in llm-gateway's `read`."""

from __future__ import annotations

import base64
import os
from typing import Any

import pytest

import anyread
from anyread.errors import StaleReadError
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from media import decoded, drawing, encoded, pdf, text_page, text_pdf

FIVE_MIB = 5 * 1024 * 1024


@pytest.fixture
def read(tmp_path: Any) -> Any:
    def call(name: str, data: bytes, **options: Any) -> Any:
        path = tmp_path / name
        path.write_bytes(data)
        tool = anyread.tool("llm-gateway", **options)
        answer = tool.call_sync({"filePath": str(path), "offset": 7})
        return answer | {"context": answer["context"].replace(str(path), "P")}

    return call


def data_of(answer: dict[str, Any]) -> bytes:
    (part,) = answer["result"]
    return base64.b64decode(part["data"], validate=True)


def test_unsupported_format_with_a_supported_extension_is_converted(read: Any) -> None:
    answer = read("a.png", encoded(drawing(40, 30), "BMP"))
    assert answer["result"][0]["mediaType"] == "image/png"
    assert decoded(data_of(answer)).size == (40, 30)


@pytest.mark.parametrize(("name", "noun"), [("a.png", "Image"), ("a.pdf", "PDF")])
def test_file_over_5_mib_is_refused_and_one_of_5_mib_is_sent(read: Any, name: Any, noun: Any) -> None:
    for validate_media in (True, False):
        over = read(name, bytes(FIVE_MIB + 1), validate_media=validate_media)
        assert over == {"context": f"{noun} file exceeds 5MB limit: P"}
    assert len(data_of(read(name, bytes(FIVE_MIB), validate_media=False))) == FIVE_MIB


def test_limits_of_the_hosts_model_apply(read: Any) -> None:
    image = encoded(drawing(400, 300), "PNG")
    small = read("a.png", image, model=anyread.Model(max_long_edge=100))
    assert decoded(data_of(small)).size == (100, 75)
    text_only = anyread.Model.text_only()
    assert read("a.png", image, model=text_only) == {
        "context": "Cannot read image: P: the model does not accept image input"
    }
    assert read("a.pdf", text_pdf(1), model=text_only) == {
        "context": "Cannot read PDF: P: the model does not accept PDF input"
    }
    two_pages = anyread.Model(inputs=frozenset({"text", "pdf"}), max_pdf_pages=2)
    assert "result" in read("a.pdf", text_pdf(2), model=two_pages)
    assert read("a.pdf", text_pdf(3), model=two_pages) == {
        "context": "Cannot read PDF: P: it has 3 pages, and the model accepts 2"
    }
    ten_bytes = anyread.Model(inputs=frozenset({"text", "pdf"}), max_pdf_bytes=10)
    assert "the model accepts 10" in read("a.pdf", text_pdf(1), model=ten_bytes)["context"]


# ------------------------------------------------------------------------------------------------------------
# Blocks


def test_blocks_are_made_from_answers(read: Any) -> None:
    tool = anyread.tool("llm-gateway")
    image = read("a.png", encoded(drawing(40, 30), "PNG"))
    text, shown = tool.blocks(image)
    assert isinstance(text, TextBlock)
    assert text.text == "Read image: P"
    assert isinstance(shown, ImageBlock)
    assert (shown.media_type, shown.width, shown.height) == ("image/png", 40, 30)
    data = pdf([text_page("a")])
    _, document = tool.blocks(read("a.pdf", data))
    assert isinstance(document, DocumentBlock)
    assert document.data == data
    assert tool.blocks({"context": "File not found: /x"}) == [TextBlock("File not found: /x")]


def test_blocks_of_invalid_media_are_text(read: Any) -> None:
    tool = anyread.tool("llm-gateway")
    for name in ("a.png", "a.pdf"):
        _, block = tool.blocks(read(name, b"nothing", validate_media=False))
        assert isinstance(block, TextBlock)
        assert "7 bytes" in block.text


# ------------------------------------------------------------------------------------------------------------
# FileTime


@pytest.fixture
def tool() -> Any:
    return anyread.tool("llm-gateway")


def message(tool: Any, path: Any) -> str | None:
    try:
        tool.assert_fresh(path)
    except StaleReadError as error:
        return error.message
    return None


def test_unread_file_must_be_read_before_patching(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    assert message(tool, path) == f"{path} must be read before patching"
    assert "must be read" in str(message(tool, path))


@pytest.mark.parametrize("arguments", [{}, {"offset": 100}, {"limit": 0}])
@pytest.mark.parametrize("content", ["a\n", ""])
def test_file_may_be_patched_after_any_successful_read(
    tool: Any, tmp_path: Any, content: Any, arguments: Any
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(content)
    tool.call_sync({"filePath": str(path), **arguments})
    assert message(tool, path) is None
    assert tool.session.has_read(path)


def test_images_and_pdfs_are_recorded_too(tool: Any, tmp_path: Any) -> None:
    for name, data in (("a.png", encoded(drawing(4, 4), "PNG")), ("a.pdf", text_pdf(1))):
        (tmp_path / name).write_bytes(data)
        tool.call_sync({"filePath": str(tmp_path / name)})
        assert message(tool, tmp_path / name) is None


def test_deleted_file_is_reported(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    tool.call_sync({"filePath": str(path)})
    path.unlink()
    assert message(tool, path) == f"{path} was deleted after last read"


def test_modified_file_is_reported_until_it_is_read_again(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    tool.call_sync({"filePath": str(path)})
    os.utime(path, (1, 1))
    expected = f"{path} has been modified externally since last read. Please re-read before patching."
    assert message(tool, path) == expected
    tool.call_sync({"filePath": str(path)})
    assert message(tool, path) is None


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.bin", b"\0"), ("big.png", bytes(FIVE_MIB + 1)), ("a.png", b"damaged"), ("a.pdf", b"damaged")],
)
def test_refused_file_is_not_recorded(tool: Any, tmp_path: Any, name: Any, data: Any) -> None:
    """A damaged image or PDF counted as read, although the model had not seen it."""
    path = tmp_path / name
    path.write_bytes(data)
    assert "result" not in tool.call_sync({"filePath": str(path)})
    assert not tool.session.has_read(path)


def test_file_that_does_not_exist_must_be_read_before_patching(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "new.txt"
    assert message(tool, path) == f"{path} must be read before patching"
