"""Images and notebooks in mycode's `Read`: data URLs, dimensions, Markdown."""

from __future__ import annotations

from typing import Any

import pytest

import anyread
from anyread.tools.parts.media_types import svg_dimensions
from helpers.media import drawing, encoded


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"file_path": name, "offset": 2, "limit": 1})


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('<svg width="9" height="7"/>', (9, 7)),
        ("<!-- <svg width='1'> --><!DOCTYPE svg [<!ENTITY a 'b'>]>\n<svg viewBox='-1 0 20 10.4'>", (20, 10)),
        ('<svg viewBox="0,0,20,10" width="40px" height="100%">', (40, 20)),
        ('<svg height="1in" width="25.4mm" viewBox="0 0 1 9">', (96, 96)),
        ("<svg>", None),
        ('<svg width="1" height="0">', None),
        ('<svg viewBox="0 0 0 0">', None),
        ('<svg width="auto" height="2e999">', None),
        ("<!--x>" * 100_000 + '<svg width="9" height="7"/>', None),
        ("<svg " + ' a="' * 100_000, None),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_dimensions_of_an_svg_are_those_that_it_names(text: str, size: Any, encoding: str) -> None:
    assert svg_dimensions(text.encode(encoding)) == size


def test_blocks_contain_the_image_or_a_bmp_as_png(tool: Any, tmp_path: Any) -> None:
    data = encoded(drawing(8, 6), "PNG")
    [block] = tool.blocks(read(tool, tmp_path, "a.png", data))
    assert (block.data, block.media_type) == (data, "image/png")
    [block] = tool.blocks(read(tool, tmp_path, "a.bmp", encoded(drawing(8, 6), "BMP")))
    assert (block.media_type, block.width, block.height) == ("image/png", 8, 6)


# ---------------------------------------------------------------------------------------------------------
