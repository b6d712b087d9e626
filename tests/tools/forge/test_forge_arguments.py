"""The arguments and definitions of forge's tools."""

from __future__ import annotations

from typing import Any

import pytest

import anyread

PATH = {"path": "a.txt"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return anyread.tool("forge", cwd=tmp_path)


def body(answer: Any) -> Any:
    return answer["values"][0]["text"].partition("CDATA[")[2].removesuffix("]]>\n</file>")


def test_second_tool_is_deprecated_in_one_sentence(tool: Any) -> None:
    [read, read_image] = tool.definitions()
    assert (read.name, read_image.name) == ("read", "read_image")
    assert "`read`" in read_image.description
    assert read_image.description.count(".") == 1
    assert read_image.input_schema["required"] == ["path"]
