"""Images and notebooks in mycode's `Read`: data URLs, dimensions, Markdown."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from PIL import Image

import anyread
from anyread.tools.parts.image_headers import svg_dimensions
from helpers.media import decoded, drawing, encoded


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"file_path": name, "offset": 2, "limit": 1})


def media_of(answer: Any) -> Any:
    media_type, _, data = answer["content"].removeprefix("data:").partition(";base64,")
    return media_type, base64.b64decode(data, validate=True)


def test_image_of_another_format_is_converted(tool: Any, tmp_path: Any) -> None:
    answer = read(tool, tmp_path, "a.png", encoded(drawing(20, 10), "TIFF"))
    media_type, data = media_of(answer)
    assert Image.MIME[decoded(data).format or ""] == media_type == answer["metadata"]["mimeType"]
    assert answer["metadata"]["dimensions"] == {"width": 20, "height": 10}


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


def test_blocks_describe_an_image_that_does_not_decode(tmp_path: Any) -> None:
    unchecked = anyread.tool("mycode", cwd=tmp_path, validate_media=False)
    [block] = unchecked.blocks(read(unchecked, tmp_path, "a.png", b"not a picture at all"))
    assert block == anyread.TextBlock("[image/png of 20 bytes: the bytes are no PNG, JPEG, GIF or WebP]")


# ---------------------------------------------------------------------------------------------------------


def notebook(*cells: Any, language: Any = "python", **more: Any) -> Any:
    document = {"cells": list(cells), "metadata": {"kernelspec": {"language": language}}, "nbformat": 4}
    return json.dumps(document | more).encode()


def code(source: Any, *outputs: Any, count: Any = 1) -> Any:
    return {"cell_type": "code", "execution_count": count, "source": source, "outputs": list(outputs)}


def test_notebook_of_many_cells_has_every_cell(tool: Any, tmp_path: Any) -> None:
    cells = [{"cell_type": "raw", "source": f"c{number}"} for number in range(1_500)]
    answer = read(tool, tmp_path, "a.ipynb", notebook(*cells))
    shown = "".join(f"## Cell {number + 1} [raw]\nc{number}\n\n" for number in range(1_500))
    assert answer["content"] == f"# Jupyter Notebook (python)\n# 1500 cells\n\n{shown}".removesuffix("\n")
    assert answer["lineCount"] == answer["content"].count("\n") + 1
