"""Images and PDFs in forge's tools: data URLs, what the model accepts, `read_image`."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

import anyread
from media import decoded, drawing, encoded, text_pdf

PNG = encoded(drawing(40, 30), "PNG")
NO_IMAGES = "Tool 'read' requires image modality, but model only supports: text"


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("forge", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any, tool_name: Any = None) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"path": name}, name=tool_name)


def media_of(answer: Any) -> Any:
    [value] = answer["values"]
    media_type, _, data = value["image"]["url"].removeprefix("data:").partition(";base64,")
    assert media_type == value["image"]["mime_type"] == answer["mime_type"]
    return media_type, base64.b64decode(data, validate=True)


@pytest.mark.parametrize("tool_name", ["read", "Read", "read_image"])
@pytest.mark.parametrize(
    ("name", "kind"), [("a.png", "PNG"), ("a.jpg", "JPEG"), ("a.gif", "GIF"), ("a.webp", "WEBP")]
)
def test_valid_image_is_unchanged(tool: Any, tmp_path: Any, name: Any, kind: Any, tool_name: Any) -> None:
    data = encoded(drawing(40, 30), kind)
    answer = read(tool, tmp_path, name, data, tool_name)
    assert media_of(answer) == (f"image/{kind.lower()}", data)
    assert answer["content_hash"] == hashlib.sha256(data).hexdigest()
    assert (answer["start_line"], answer["end_line"], answer["total_lines"]) == (0, 0, 0)


def test_valid_pdf_is_unchanged(tool: Any, tmp_path: Any) -> None:
    data = text_pdf(2)
    answer = read(tool, tmp_path, "a.pdf", data)
    assert media_of(answer) == ("application/pdf", data)
    assert answer["content_hash"] == hashlib.sha256(data).hexdigest()
    [block] = tool.blocks(answer)
    assert (block.data, block.page_count) == (data, 2)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.png", encoded(drawing(90, 90), "PNG")[:-400]),
        ("a.jpg", encoded(drawing(300, 300), "JPEG")[:-50]),
        ("a.pdf", b"%PDF-1.4 is all that there is"),
        ("a.pdf", text_pdf(1)[:200]),
    ],
    ids=["half of a PNG", "truncated JPEG", "no PDF", "half of a PDF"],
)
def test_media_that_do_not_decode_are_refused_unless_validation_is_off(
    tool: Any, tmp_path: Any, name: Any, data: Any
) -> None:
    refused = read(tool, tmp_path, name, data)
    assert set(refused) == {"is_error", "text"}
    assert refused["text"].startswith(f"Failed to read file from {tmp_path / name}\n\nCaused by:\n    ")
    unchecked = anyread.tool("forge", cwd=tmp_path, validate_media=False)
    assert media_of(read(unchecked, tmp_path, name, data))[1] == data


@pytest.mark.parametrize("name", ["a.png", "A.SVG", "a.bmp", "a.pdf"])
def test_text_only_model_is_refused_image_extensions(tmp_path: Any, name: Any) -> None:
    text_only = anyread.tool("forge", cwd=tmp_path, model=anyread.Model.text_only())
    assert text_only.validate({"path": name}) == {"is_error": True, "text": NO_IMAGES}
    assert read(text_only, tmp_path, name, b"whatever") == {"is_error": True, "text": NO_IMAGES}


def test_text_only_model_is_refused_an_image_under_any_name(tmp_path: Any) -> None:
    text_only = anyread.tool("forge", cwd=tmp_path, model=anyread.Model.text_only())
    assert read(text_only, tmp_path, "a.bin", PNG) == {"is_error": True, "text": NO_IMAGES}
    assert text_only.call_sync({"path": "a.bin"}, name="read_image") == {
        "is_error": True,
        "text": NO_IMAGES.replace("'read'", "'read_image'"),
    }
    assert "values" in read(text_only, tmp_path, "a.txt", b"text")
    named_text = read(text_only, tmp_path, "a.txt", PNG)["text"]
    assert named_text.endswith("the content is image/png")


def test_model_without_pdf_input_is_refused_a_pdf(tmp_path: Any) -> None:
    without_pdf = anyread.tool("forge", cwd=tmp_path, model=anyread.Model.any())
    assert read(without_pdf, tmp_path, "a.pdf", text_pdf(1)) == {
        "is_error": True,
        "text": "Tool 'read' requires pdf modality, but model only supports: text, image",
    }


def test_only_model_limits_set_by_the_host_apply(tool: Any, tmp_path: Any) -> None:
    facts = anyread.Model(inputs=frozenset({"text", "image", "pdf"}), max_long_edge=20, max_pdf_pages=1)
    small = anyread.tool("forge", cwd=tmp_path, model=facts)
    assert decoded(media_of(read(small, tmp_path, "a.png", PNG))[1]).size == (20, 15)
    assert media_of(read(small, tmp_path, "a.pdf", text_pdf(1)))[1] == text_pdf(1)
    assert read(small, tmp_path, "b.pdf", text_pdf(2))["is_error"] is True
    assert media_of(read(tool, tmp_path, "b.pdf", text_pdf(2)))[1] == text_pdf(2)


# ---------------------------------------------------------------------------------------------------------


def test_read_image_decides_by_the_extension_alone(tmp_path: Any) -> None:
    unchecked = anyread.tool("forge", cwd=tmp_path, validate_media=False)
    assert media_of(read(unchecked, tmp_path, "a.png", b"no signature", "read_image")) == (
        "image/png",
        b"no signature",
    )
    refused = read(anyread.tool("forge", cwd=tmp_path), tmp_path, "a.png", b"no signature", "read_image")
    assert refused["text"].startswith(
        f"Failed to read binary file from {tmp_path / 'a.png'}\n\nCaused by:\n    "
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("image", "File has no extension. Cannot determine image format."),
        (".png", "File has no extension. Cannot determine image format."),
        ("a.PNG", "Unsupported image format: PNG. Supported formats: JPEG, PNG, WebP, GIF"),
        ("a.bmp", "Unsupported image format: bmp. Supported formats: JPEG, PNG, WebP, GIF"),
        ("a.pdf", "Unsupported image format: pdf. Supported formats: JPEG, PNG, WebP, GIF"),
        ("a.", "Unsupported image format: . Supported formats: JPEG, PNG, WebP, GIF"),
    ],
)
def test_read_image_refuses_other_extensions(tool: Any, tmp_path: Any, name: Any, error: Any) -> None:
    assert read(tool, tmp_path, name, PNG, "read_image") == {"is_error": True, "text": error}


def test_read_image_has_its_own_errors(tool: Any, tmp_path: Any) -> None:
    missing = tmp_path / "no.png"
    assert tool.call_sync({"path": "no.png"}, name="read_image")["text"] == (
        f"Failed to get metadata for file {missing}\n\nCaused by:\n    No such file or directory (os error 2)"
    )
    (tmp_path / "sub.png").mkdir()
    assert tool.call_sync({"path": "sub.png"}, name="read_image")["text"] == (
        f"Failed to read binary file from {tmp_path}/sub.png\n\nCaused by:\n"
        f"    0: Failed to read file {tmp_path}/sub.png\n    1: Is a directory (os error 21)"
    )
    (tmp_path / "sub").mkdir()
    assert tool.call_sync({"path": "sub"}, name="read_image")["text"].startswith("File has no extension.")
    assert tool.call_sync({}, name="read_image")["text"] == "missing field `path`"


def test_read_image_takes_the_media_type_from_the_bytes(tool: Any, tmp_path: Any) -> None:
    data = encoded(drawing(8, 8), "JPEG")
    assert media_of(read(tool, tmp_path, "a.png", data, "read_image")) == ("image/jpeg", data)


async def test_media_are_the_same_on_an_event_loop(tool: Any, tmp_path: Any) -> None:
    for name, data in (
        ("a.png", encoded(drawing(300, 200), "PNG")),
        ("b.pdf", text_pdf(2)),
        ("c.png", b"none"),
    ):
        expected = read(tool, tmp_path, name, data)
        assert await tool.call({"path": name}) == expected
