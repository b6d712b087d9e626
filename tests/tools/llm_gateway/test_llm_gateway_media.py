"""Images, PDFs and FileTime in llm-gateway's `read`."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import anyread
from anyread.results import TextBlock
from helpers.media import decoded, drawing, encoded

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


# ------------------------------------------------------------------------------------------------------------
# Blocks


def test_blocks_of_invalid_media_are_text(read: Any) -> None:
    tool = anyread.tool("llm-gateway")
    for name in ("a.png", "a.pdf"):
        _, block = tool.blocks(read(name, b"nothing", validate_media=False))
        assert isinstance(block, TextBlock)
        assert "7 bytes" in block.text
