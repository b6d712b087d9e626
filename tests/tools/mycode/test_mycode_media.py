"""Images and notebooks in mycode's `Read`: data URLs, dimensions, Markdown."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from PIL import Image

import anyread
from anyread.tools.parts.image_headers import svg_dimensions
from media import decoded, drawing, encoded

SVG = b'<?xml version="1.0"?><!-- drawn --><svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'
NAMES = {"PNG": "a.png", "JPEG": "a.jpg", "GIF": "a.gif", "WEBP": "a.webp", "BMP": "a.bmp"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"file_path": name, "offset": 2, "limit": 1})


def media_of(answer: Any) -> Any:
    media_type, _, data = answer["content"].removeprefix("data:").partition(";base64,")
    return media_type, base64.b64decode(data, validate=True)


@pytest.mark.parametrize("kind", NAMES)
def test_valid_image_is_sent_unchanged_with_its_dimensions(tool: Any, tmp_path: Any, kind: Any) -> None:
    data = encoded(drawing(40, 30), kind)
    answer = read(tool, tmp_path, NAMES[kind], data)
    media_type = f"image/{kind.lower()}"
    assert media_of(answer) == (media_type, data)
    assert {name: answer[name] for name in ("success", "contentType", "lineCount", "truncated")} == {
        "success": True,
        "contentType": "image",
        "lineCount": 0,
        "truncated": False,
    }
    metadata = answer["metadata"]
    assert (metadata["size"], metadata["mimeType"]) == (len(data), media_type)
    assert metadata["dimensions"] == {"width": 40, "height": 30}
    assert "encoding" not in metadata


@pytest.mark.parametrize(
    "data",
    [
        b"not a picture at all",
        b"",
        encoded(drawing(90, 90), "PNG")[:-400],
        encoded(drawing(300, 300), "JPEG")[:-50],
    ],
    ids=["text", "empty", "half of a PNG", "truncated JPEG"],
)
def test_image_that_does_not_decode_is_refused_unless_validation_is_off(
    tool: Any, tmp_path: Any, data: Any
) -> None:
    refused = read(tool, tmp_path, "a.png", data)
    assert set(refused) == {"success", "error"}
    assert refused["success"] is False
    unchecked = anyread.tool("mycode", cwd=tmp_path, validate_media=False)
    assert media_of(read(unchecked, tmp_path, "a.png", data)) == ("image/png", data)


def test_media_type_of_an_image_comes_from_its_bytes(tool: Any, tmp_path: Any) -> None:
    data = encoded(drawing(8, 8), "JPEG")
    assert media_of(read(tool, tmp_path, "a.png", data)) == ("image/jpeg", data)
    unchecked = anyread.tool("mycode", cwd=tmp_path, validate_media=False)
    assert media_of(read(unchecked, tmp_path, "a.png", data)) == ("image/png", data)


def test_image_of_another_format_is_converted(tool: Any, tmp_path: Any) -> None:
    answer = read(tool, tmp_path, "a.png", encoded(drawing(20, 10), "TIFF"))
    media_type, data = media_of(answer)
    assert Image.MIME[decoded(data).format or ""] == media_type == answer["metadata"]["mimeType"]
    assert answer["metadata"]["dimensions"] == {"width": 20, "height": 10}


def test_only_model_limits_set_by_the_host_change_an_image(tmp_path: Any) -> None:
    data = encoded(drawing(400, 200), "PNG")
    small = anyread.tool("mycode", cwd=tmp_path, model=anyread.Model(max_long_edge=100))
    answer = read(small, tmp_path, "a.png", data)
    assert decoded(media_of(answer)[1]).size == (100, 50)
    # The metadata still describes the file.
    assert answer["metadata"]["dimensions"] == {"width": 400, "height": 200}
    text_only = anyread.tool("mycode", cwd=tmp_path, model=anyread.Model.text_only())
    assert read(text_only, tmp_path, "a.png", data) == {
        "success": False,
        "error": "The model does not accept images",
    }


def test_svg_keeps_its_data_url(tool: Any, tmp_path: Any) -> None:
    answer = read(tool, tmp_path, "a.svg", SVG)
    assert media_of(answer) == ("image/svg+xml", SVG)
    assert answer["metadata"]["dimensions"] == {"width": 4, "height": 4}
    assert tool.blocks(answer) == [anyread.TextBlock(SVG.decode())]


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


def test_invalid_svg_is_refused_unless_validation_is_off(tool: Any, tmp_path: Any) -> None:
    assert read(tool, tmp_path, "a.svg", b"no drawing")["success"] is False
    assert read(tool, tmp_path, "a.svg", b"<svg\0\0\0\x01")["success"] is False
    unchecked = anyread.tool("mycode", cwd=tmp_path, validate_media=False)
    assert media_of(read(unchecked, tmp_path, "a.svg", b"no drawing")) == ("image/svg+xml", b"no drawing")


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


def test_notebook_becomes_markdown(tool: Any, tmp_path: Any) -> None:
    data = notebook(
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "hello"]},
        code(["print('hi')\n", "x = 1"], {"output_type": "stream", "text": ["hi\n", "there\n"]}),
    )
    answer = read(tool, tmp_path, "a.ipynb", data)
    assert answer["content"] == (
        "# Jupyter Notebook (python)\n"
        "# 2 cells\n"
        "\n"
        "## Cell 1 [markdown]\n"
        "# Title\n"
        "\n"
        "hello\n"
        "\n"
        "## Cell 2 [code]\n"
        "In [1]:\n"
        "```\n"
        "print('hi')\n"
        "x = 1\n"
        "```\n"
        "\n"
        "**Output:**\n"
        "hi\n"
        "there\n"
        "\n"
    )
    assert (answer["contentType"], answer["lineCount"], answer["truncated"]) == ("notebook", 20, False)
    assert answer["metadata"]["cellCount"] == 2
    assert set(answer["metadata"]) == {"size", "modified", "cellCount"}
    assert tool.blocks(answer) == [anyread.TextBlock(answer["content"])]


def test_notebook_without_cells_or_language(tool: Any, tmp_path: Any) -> None:
    answer = read(tool, tmp_path, "a.ipynb", b'{"cells": []}')
    assert answer["content"] == "# Jupyter Notebook (unknown)\n# 0 cells\n"
    assert answer["lineCount"] == 3


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ({"output_type": "stream", "text": "as one string"}, "as one string"),
        ({"output_type": "stream"}, ""),
        ({"output_type": "execute_result", "data": {"text/plain": ["4", "2"]}}, "42"),
        ({"output_type": "display_data", "data": {"text/plain": "text", "image/png": "aGk="}}, "text"),
        ({"output_type": "display_data", "data": {"image/png": "aGk="}}, "[Image output]"),
        ({"output_type": "display_data", "data": {"text/html": "<p>"}}, "[Output data]"),
        ({"output_type": "error", "ename": "KeyError", "evalue": "'k'"}, "Error: KeyError: 'k'"),
        ({"output_type": "update_display_data", "data": {}}, "[Unknown output type]"),
        # Empty text was written as `undefined`, and an empty image was shown as an image.
        ({"output_type": "error", "ename": "KeyError", "evalue": ""}, "Error: KeyError: "),
        ({"output_type": "error", "ename": None}, "Error: null: undefined"),
        ({"output_type": "display_data", "data": {"image/png": ""}}, "[Output data]"),
        ({"output_type": "display_data", "data": {"image/png": None}}, "[Output data]"),
        ({"output_type": "display_data", "data": {"image/png": []}}, "[Image output]"),
        ({"output_type": "execute_result", "data": {"text/plain": []}}, "[Output data]"),
        ({"output_type": "execute_result"}, "[Output data]"),
        (7, "[Unknown output type]"),
    ],
)
def test_output_is_shown_by_its_type(tool: Any, tmp_path: Any, output: Any, shown: Any) -> None:
    content = read(tool, tmp_path, "a.ipynb", notebook(code("x", output)))["content"]
    assert content.endswith(f"```\nx\n```\n\n**Output:**\n{shown}\n")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (code("x", count=None), "## Cell 1 [code]\n```\nx\n```\n"),
        (code("", count=7), "## Cell 1 [code]\nIn [7]:\n```\n\n```\n"),
        ({"cell_type": "raw", "source": " \ufeff\n a\r\nb \n"}, "## Cell 1 [raw]\na\r\nb\n"),
        # Python would strip U+001C, JavaScript does not.
        ({"cell_type": "raw", "source": "\x1ca\x1c"}, "## Cell 1 [raw]\n\x1ca\x1c\n"),
        ({"source": "no type"}, "## Cell 1 [undefined]\nno type\n"),
        # The field names of the source (docs/contracts/mycode.md) apply where nbformat's are absent.
        (
            {"cellType": "code", "executionCount": 3, "source": "x"},
            "## Cell 1 [code]\nIn [3]:\n```\nx\n```\n",
        ),
        ({"cell_type": "raw", "cellType": "code", "source": "x"}, "## Cell 1 [raw]\nx\n"),
        (code("x", count=1.5), "## Cell 1 [code]\nIn [1.5]:\n```\nx\n```\n"),
        (code("x", count=2.0), "## Cell 1 [code]\nIn [2]:\n```\nx\n```\n"),
        ({"cell_type": "heading", "level": 2, "source": "Title"}, "## Cell 1 [heading]\nTitle\n"),
        ({"cell_type": "raw"}, "## Cell 1 [raw]\n\n"),
        ({"cell_type": None, "source": "x"}, "## Cell 1 [null]\nx\n"),
        ("a text", "## Cell 1 [undefined]\n\n"),
        ({"cell_type": "raw", "source": ["a\n", None, 7]}, "## Cell 1 [raw]\na\n7\n"),
        ({"cell_type": "raw", "source": "\ud800\U0001f600"}, "## Cell 1 [raw]\n\ufffd\U0001f600\n"),
    ],
)
def test_cell_is_shown_by_its_type(tool: Any, tmp_path: Any, cell: Any, shown: Any) -> None:
    content = read(tool, tmp_path, "a.ipynb", notebook(cell))["content"]
    assert content == f"# Jupyter Notebook (python)\n# 1 cells\n\n{shown}"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([code("x"), None], "cell 2 is null"),
        ([code("x", None)], "an output of cell 1 is null"),
        (None, "its cells are not a list"),
    ],
)
def test_null_is_refused_where_the_original_code_fails(
    tool: Any, tmp_path: Any, cells: Any, reason: Any
) -> None:
    """A null in place of a cell was shown as a cell without a type."""
    answer = read(tool, tmp_path, "a.ipynb", json.dumps({"cells": cells}).encode())
    assert answer == {"success": False, "error": f"The notebook cannot be parsed: {reason}"}


def test_nbformat_3_notebook_is_read_under_current_names(tool: Any, tmp_path: Any) -> None:
    old = {
        "nbformat": 3,
        "metadata": {},
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 1, "source": "Title"},
                    {
                        "cell_type": "code",
                        "language": "julia",
                        "prompt_number": 4,
                        "input": ["x\n", "y"],
                        "outputs": [
                            {"output_type": "pyout", "text": ["4"]},
                            {"output_type": "display_data", "png": "aGk="},
                            {"output_type": "pyerr", "ename": "E", "evalue": "v"},
                            {"output_type": "stream", "text": "said"},
                        ],
                    },
                ]
            },
            {"cells": [{"cell_type": "markdown", "source": "end"}]},
        ],
    }
    answer = read(tool, tmp_path, "a.ipynb", json.dumps(old).encode())
    assert answer["content"] == (
        "# Jupyter Notebook (julia)\n# 3 cells\n\n"
        "## Cell 1 [heading]\nTitle\n\n"
        "## Cell 2 [code]\nIn [4]:\n```\nx\ny\n```\n\n**Output:**\n4\n[Image output]\nError: E: v\nsaid\n\n"
        "## Cell 3 [markdown]\nend\n"
    )
    assert answer["metadata"]["cellCount"] == 3


def test_notebook_of_many_cells_has_every_cell(tool: Any, tmp_path: Any) -> None:
    cells = [{"cell_type": "raw", "source": f"c{number}"} for number in range(1_500)]
    answer = read(tool, tmp_path, "a.ipynb", notebook(*cells))
    shown = "".join(f"## Cell {number + 1} [raw]\nc{number}\n\n" for number in range(1_500))
    assert answer["content"] == f"# Jupyter Notebook (python)\n# 1500 cells\n\n{shown}".removesuffix("\n")
    assert answer["lineCount"] == answer["content"].count("\n") + 1


@pytest.mark.parametrize(
    "data", [b"{}", b"{not json", b"[]", b"", b'{"nbformat": 4}', b"{" * 100_000, b'{"cells": NaN}']
)
def test_invalid_notebook_is_refused(tool: Any, tmp_path: Any, data: Any) -> None:
    answer = read(tool, tmp_path, "a.ipynb", data)
    assert set(answer) == {"success", "error"}
    assert answer["error"].startswith("The notebook cannot be parsed: ")


async def test_media_are_the_same_on_an_event_loop(tool: Any, tmp_path: Any) -> None:
    for name, data in (
        ("a.png", encoded(drawing(300, 200), "PNG")),
        ("b.ipynb", notebook(code("x" * 90_000))),
    ):
        expected = read(tool, tmp_path, name, data)
        assert await tool.call({"file_path": name}) == expected
        assert expected["success"] is True
