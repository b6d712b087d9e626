"""How forge's `read` detects the type of a file, and how `file_type` overrides that."""

from __future__ import annotations

from typing import Any

import pytest

import anyread
from anyread.tools.forge.detection import RequestedType, is_visual, requested_type
from media import drawing, encoded, text_pdf

PNG = encoded(drawing(8, 8), "PNG")
JPEG = encoded(drawing(8, 8), "JPEG")
GIF = encoded(drawing(8, 8), "GIF")
WEBP = encoded(drawing(8, 8), "WEBP")
PDF = text_pdf(1)
ELF = b"\x7fELF\x02\x01\x01" + bytes(60)


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("forge", cwd=tmp_path)


def read(tool: Any, directory: Any, name: Any, data: Any, **more: Any) -> Any:
    (directory / name).write_bytes(data)
    return tool.call_sync({"path": name, **more})


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        ("test.txt", b"Hello, world!", "text/plain"),
        ("notebook.ipynb", b'{"cells": []}', "application/json"),
        ("main.rs", b"fn main() {}", "text/plain"),
        ("Makefile", b"all:", "text/plain"),
        ("a.html", b"\n <!DOCTYPE html><p>", "text/html"),
        ("a.xml", b"<?xml version='1.0'?><a/>", "text/xml"),
        ("run", b"#!/bin/sh\n", "text/x-shellscript"),
        ("a.svg", b"<svg/>", "text/plain"),
        ("image.png", PNG, "image/png"),
        ("photo.jpg", JPEG, "image/jpeg"),
        ("a.gif", GIF, "image/gif"),
        ("a.webp", WEBP, "image/webp"),
        ("document.pdf", PDF, "application/pdf"),
        # A known extension decides whether a file is text or visual; the bytes of an image decide its type.
        ("a.txt", b"%PDF-1.7 is how a PDF begins", "text/plain"),
        ("a.go", b"%PDF-1.7", "text/plain"),
        ("a.png", JPEG, "image/jpeg"),
        ("a.txt", b"\x7fELF\0", "text/plain"),
        # Without a known extension the first bytes decide.
        ("noext", PDF, "application/pdf"),
        ("a.bin", PNG, "image/png"),
        ("a.xyz", b"<html>", "text/html"),
        # Text that begins like an image is still text.
        ("a.txt", b"BM is a text", "text/plain"),
        ("a.txt", b"GIF is one, too", "text/plain"),
        ("a.txt", b"GIF89a is one, too", "text/plain"),
        # Neither a NUL nor an extension makes a file binary.
        ("a.bin", b"a\0b\x01", "text/plain"),
    ],
)
def test_media_type_comes_from_the_extension_then_from_the_content(
    tool: Any, tmp_path: Any, name: Any, data: Any, media_type: Any
) -> None:
    """A text called `note.txt` that began with `%PDF-` was taken for a PDF and refused."""
    answer = read(tool, tmp_path, name, data)
    assert answer["mime_type"] == media_type
    [value] = answer["values"]
    if is_visual(media_type):
        assert value["image"]["mime_type"] == media_type
    else:
        assert value["text"].startswith("<file\n")


@pytest.mark.parametrize(
    ("name", "media_type"), [("A.PNG", "image/png"), ("a.JPG", "image/jpeg"), ("a.pdf", "application/pdf")]
)
def test_extension_alone_makes_a_file_visual_unless_media_are_validated(
    tmp_path: Any, name: Any, media_type: Any
) -> None:
    unchecked = anyread.tool("forge", cwd=tmp_path, validate_media=False)
    assert read(unchecked, tmp_path, name, b"no signature")["mime_type"] == media_type
    refused = read(anyread.tool("forge", cwd=tmp_path), tmp_path, name, b"no signature")
    assert refused["is_error"] is True
    assert refused["text"].startswith(f"Failed to read file from {tmp_path / name}\n\nCaused by:\n    ")


@pytest.mark.parametrize("kind", ["TIFF", "BMP", "ICO", "AVIF"])
def test_other_images_are_unsupported(tool: Any, tmp_path: Any, kind: Any) -> None:
    answer = read(tool, tmp_path, "image", encoded(drawing(16, 16), kind))
    assert answer["is_error"] is True
    assert answer["text"].startswith("Unsupported image format: ")
    assert answer["text"].endswith(". Supported formats: JPEG, PNG, WebP, GIF")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (ELF, "application/x-executable"),
        (b"PK\x03\x04" + bytes(60), "application/zip"),
        (b"\x1f\x8b\x08" + bytes(30), "application/gzip"),
        (b"SQLite format 3\0" + bytes(30), "application/vnd.sqlite3"),
    ],
)
def test_binary_without_a_known_extension_is_refused(
    tool: Any, tmp_path: Any, data: Any, media_type: Any
) -> None:
    expected = {"is_error": True, "text": f"Binary files of the type {media_type} cannot be read as text"}
    assert read(tool, tmp_path, "noext", data) == expected
    assert read(tool, tmp_path, "a.bin", data) == expected


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (PNG, 'the content is image/png: pass file_type="image/png" to look at it'),
        (
            b"PK\x03\x04\xff" + bytes(60),
            "Binary files of the type application/zip cannot be read as text",
        ),
    ],
)
def test_error_names_content_that_contradicts_the_extension(
    tool: Any, tmp_path: Any, data: Any, content: Any
) -> None:
    answer = read(tool, tmp_path, "a.txt", data)
    assert answer["is_error"] is True
    assert answer["text"].startswith(
        f"Failed to read file as UTF-8 from {tmp_path}/a.txt\n\nCaused by:\n    0: "
    )
    assert answer["text"].endswith(f"\n    1: {content}")
    if "file_type" in content:
        assert read(tool, tmp_path, "a.txt", data, file_type="image/png")["mime_type"] == "image/png"


@pytest.mark.parametrize(
    ("asked", "understood"),
    [
        ("text", RequestedType("text")),
        ("image", RequestedType("image")),
        ("pdf", RequestedType("pdf", "application/pdf")),
        ("notebook", RequestedType("text", "application/json")),
        ("application/pdf", RequestedType("pdf", "application/pdf")),
        ("image/png", RequestedType("image", "image/png")),
        ("image/jpg", RequestedType("image", "image/jpeg")),
        ("image/svg+xml", RequestedType("text", "image/svg+xml")),
        ("text/markdown", RequestedType("text", "text/markdown")),
        ("application/json", RequestedType("text", "application/json")),
        ("image/tiff", "Unsupported image format: tiff. Supported formats: JPEG, PNG, WebP, GIF"),
    ],
)
def test_file_type_is_a_kind_or_a_media_type(asked: Any, understood: Any) -> None:
    assert requested_type(asked) == understood


@pytest.mark.parametrize("asked", ["video", "application/zip", "png", "x" * 200])
def test_unknown_file_type_error_lists_the_known_ones(tool: Any, tmp_path: Any, asked: Any) -> None:
    answer = read(tool, tmp_path, "a.txt", b"one", file_type=asked)
    assert answer["is_error"] is True
    assert answer["text"].startswith(f"Unsupported file type: {asked[:80]}. ")
    for known in ("text", "image", "pdf", "notebook", "image/png"):
        assert f'"{known}"' in answer["text"]


@pytest.mark.parametrize(
    ("asked", "name", "data", "media_type"),
    [
        ("text", "a.png", b"really a text", "text/plain"),
        ("Text", "a.png", b"really a text", "text/plain"),
        ("text/csv", "a.pdf", b"a,b", "text/csv"),
        ("notebook", "a.txt", b"{}", "application/json"),
        ("text", "a.txt", b"PK\x03\x04 is how archives begin", "text/plain"),
        ("image", "a.bin", PNG, "image/png"),
        ("image/png", "a.bin", JPEG, "image/jpeg"),
        ("pdf", "a.bin", PDF, "application/pdf"),
    ],
)
def test_file_type_overrides_detection(
    tool: Any, tmp_path: Any, asked: Any, name: Any, data: Any, media_type: Any
) -> None:
    answer = read(tool, tmp_path, name, data, file_type=asked)
    assert answer["mime_type"] == media_type
    assert ("image" in answer["values"][0]) is is_visual(media_type)


@pytest.mark.parametrize(
    ("asked", "name", "data", "error"),
    [
        ("image", "a.txt", b"a text", "Unsupported image format: "),
        ("image", "a.tif", encoded(drawing(8, 8), "TIFF"), "Unsupported image format: tiff"),
        ("pdf", "a.txt", b"a text", "Failed to read file from "),
        ("image/png", "a.txt", b"a text", "Failed to read file from "),
        ("text", "a.png", PNG, "Failed to read file as UTF-8 from "),
    ],
)
def test_file_type_that_contradicts_the_content_is_an_error(
    tool: Any, tmp_path: Any, asked: Any, name: Any, data: Any, error: Any
) -> None:
    answer = read(tool, tmp_path, name, data, file_type=asked)
    assert answer["is_error"] is True
    assert answer["text"].startswith(error)
