"""Images, SVG and PDFs in codelet's `read`."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from typing import Any

import pytest

import anyread
from anyread.decoding.host.pdf import OpenPdf
from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock
from anyread.tools.codelet import media_type_of
from helpers.media import decoded, drawing, encoded, pdf, text_page, text_pdf, thumbnail

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">\n<rect width="4" height="4"/>\n</svg>\n'


@pytest.fixture
def read(tmp_path: Any) -> Any:
    def call(name: str, data: bytes, **options: Any) -> Any:
        path = tmp_path / name
        path.write_bytes(data)
        answer = anyread.tool("codelet", **options).call_sync({"file_path": str(path)})
        if isinstance(answer, str):
            return json.loads(answer)
        assert list(answer) == ["error"]
        return answer["error"].replace(str(path), "P")

    return call


def image(data: bytes, media_type: str) -> dict[str, str]:
    return {"type": "image", "data": base64.b64encode(data).decode(), "media_type": media_type}


# ------------------------------------------------------------------------------------------------------------
# Detection of the type


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("a.png", b"", "image/png"),
        ("a.PNG", b"text", "image/png"),
        ("a.jpg", b"", "image/jpeg"),
        ("a.jpeg", b"", "image/jpeg"),
        ("a.gif", b"", "image/gif"),
        ("a.webp", b"", "image/webp"),
        ("a.svg", b"", "image/svg+xml"),
        ("a.pdf", b"text", "application/pdf"),
        ("a.ipynb", b"", "application/x-ipynb+json"),
        ("a.txt", b"", None),
        ("noext", b"text", None),
        (".png", b"text", None),
        ("a.png.txt", b"text", None),
        ("noext", b"\x89PNG", "image/png"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("noext", b"\x89PN", None),
        ("noext", b"\xff\xd8\xff", "image/jpeg"),
        ("noext", b"\xff\xd8", None),
        ("noext", b"GIF89a", "image/gif"),
        ("noext", b"GIFT", None),
        ("noext", b"RIFF1234WEBPVP8 ", "image/webp"),
        ("noext", b"RIFF1234WAVE", None),
        ("noext", b"RIFF", None),
        ("noext", b"%PDF-1.4", "application/pdf"),
        ("noext", b"%PD", None),
        ("noext", b"<?xml version='1.0'?><svg/>", None),
        ("a.json", b' \n{"cells":[]}', "application/x-ipynb+json"),
        ("a.json", b'["cells"]', None),
        ("a.json", b"{" + b" " * 1024 + b'"cells"', None),
        ("a.png", b"\xff\xd8\xff", "image/png"),
    ],
)
def test_type_comes_from_the_extension_then_from_the_content(name: Any, head: Any, media_type: Any) -> None:
    assert media_type_of(f"/folder.png/{name}", head) == media_type


# ------------------------------------------------------------------------------------------------------------
# Images


def png_with_comment(size: int) -> bytes:
    """Return a valid PNG of `size` bytes."""
    data = encoded(drawing(8, 8), "PNG")
    body = bytes(size - len(data) - 12)
    chunk = struct.pack(">I", len(body)) + b"teSt" + body + struct.pack(">I", zlib.crc32(b"teSt" + body))
    return data[:33] + chunk + data[33:]


def test_image_may_have_at_most_5_mib_in_base64(read: Any) -> None:
    data = png_with_comment(3_932_160)
    assert len(base64.b64encode(data)) == 5 * 1024 * 1024
    assert read("a.png", data) == image(data, "image/png")
    error = read("shot.png", png_with_comment(3_932_161))
    assert error.startswith("File too large: 3932161 bytes (max: 3932160)\n")


def header_of_jpeg(width: int, height: int) -> bytes:
    frame = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(12)
    return b"\xff\xd8\xff\xe0\x00\x04ab\xff" + frame + b"\xff\xd9"


def header_of_png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + bytes(9)


@pytest.mark.parametrize(
    ("name", "data", "size"),
    [
        ("a.png", header_of_png(800, 15_000), "800x15000"),
        ("a.png", header_of_png(6000, 1), "6000x1"),
        ("a.jpg", header_of_jpeg(9000, 6000), "9000x6000"),
        ("a.jpg", header_of_jpeg(1, 6000), "1x6000"),
    ],
)
@pytest.mark.parametrize("validate_media", [True, False])
def test_image_with_an_edge_over_5999_pixels_is_refused(
    read: Any, name: Any, data: Any, size: Any, validate_media: Any
) -> None:
    error = read(name, data, validate_media=validate_media)
    assert error.startswith(
        "Image pixel dimensions exceed limit: P\n"
        f"Dimensions: {size} (limit: 5999px on any side)\nSuggestions:\n"
    )


# ------------------------------------------------------------------------------------------------------------
# PDF


def shown(page: dict[str, Any]) -> bytes:
    assert list(page) == ["page_number", "text", "image"]
    assert list(page["image"]) == ["data", "media_type"]
    assert page["image"]["media_type"] == "image/png"
    return base64.b64decode(page["image"]["data"], validate=True)


@pytest.mark.parametrize("name", ["a.pdf", "A.PDF", "noext", "a.txt"])
@pytest.mark.parametrize("validate_media", [True, False])
def test_pdf_is_shown_as_text_and_image_of_every_page(read: Any, name: Any, validate_media: Any) -> None:
    found = read(
        name, pdf([text_page("Page 1 is here"), text_page("Page 2 follows")]), validate_media=validate_media
    )
    assert list(found) == ["type", "pages"]
    assert found["type"] == "pdf"
    assert [page["page_number"] for page in found["pages"]] == [1, 2]
    assert [page["text"] for page in found["pages"]] == ["Page 1 is here", "Page 2 follows"]
    for page in found["pages"]:
        drawing = decoded(shown(page))
        # US letter at 150 dpi, on white.
        assert drawing.size == (1275, 1650)
        assert drawing.convert("RGB").getpixel((5, 5)) == (255, 255, 255)
        assert len(set(thumbnail(drawing))) > 1


def test_all_pages_of_a_long_pdf_are_shown(read: Any) -> None:
    # More pages than a reader shows at once, and more tokens than a text may have.
    found = read("a.pdf", pdf([text_page(f"page {n}", size=4) for n in range(1, 26)], box=b"[0 0 60 60]"))
    assert [page["page_number"] for page in found["pages"]] == list(range(1, 26))
    assert all(shown(page) for page in found["pages"])


@pytest.mark.slow
def test_slow_document_is_decoded_in_several_exchanges(read: Any, monkeypatch: Any) -> None:
    # Each decoder stops after one page, as if that page had used up its share of the time.
    monkeypatch.setattr(OpenPdf, "may_start_page", False)
    found = read("a.pdf", text_pdf(3))
    assert [page["page_number"] for page in found["pages"]] == [1, 2, 3]
    assert all(shown(page) for page in found["pages"])


def test_page_images_respect_the_limits_of_the_model(read: Any) -> None:
    two_images = anyread.Model(max_images=2)
    pages = read("a.pdf", text_pdf(4), model=two_images)["pages"]
    assert [page["image"] is not None for page in pages] == [True, True, False, False]
    assert all("tells of the sea" in page["text"] for page in pages)
    text_only = read("a.pdf", text_pdf(2), model=anyread.Model.text_only())["pages"]
    assert [page["image"] for page in text_only] == [None, None]
    small = read("a.pdf", text_pdf(1), model=anyread.Model(max_long_edge=300))["pages"]
    assert max(decoded(shown(small[0])).size) == 300


# ------------------------------------------------------------------------------------------------------------
# Blocks, and calls on an event loop


@pytest.fixture
def blocks(tmp_path: Any) -> Any:
    def call(name: str, data: bytes, **options: Any) -> Any:
        (tmp_path / name).write_bytes(data)
        tool = anyread.tool("codelet", **options)
        return tool.blocks(tool.call_sync({"file_path": str(tmp_path / name)}))

    return call


@pytest.mark.slow
def test_blocks_are_parsed_from_the_json(blocks: Any) -> None:
    (text,) = blocks("a.txt", b"one\ntwo")
    assert isinstance(text, TextBlock)
    assert text.text == "1: one\n2: two"
    (shown_image,) = blocks("a.png", encoded(drawing(40, 30), "PNG"))
    assert isinstance(shown_image, ImageBlock)
    assert (shown_image.media_type, shown_image.width, shown_image.height) == ("image/png", 40, 30)
    pages = blocks("a.pdf", text_pdf(2))
    assert [type(block) for block in pages] == [TextBlock, ImageBlock] * 2
    assert [type(block) for block in blocks("b.pdf", pdf([b""]))] == [ImageBlock]
    (error,) = blocks("bad.txt", b"\xff")
    assert error.text.startswith("Failed to read file: ")
    assert blocks("empty.txt", b"") == []
