"""Rows of docs/catalogue.md about images, documents and other formats.

Errors name the format and the size, and show no bytes. Text is read as text even if its name is that
of another format.
"""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from helpers.media import drawing, encoded
from helpers.texts import read_text

NOISE = random.Random(2_048).randbytes(2_048)


def write(directory: Path, name: str, data: bytes | str) -> Path:
    path = directory / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def codes(page: Any) -> set[str]:
    """Return the codes of a result's notices."""
    return {notice.code for notice in page.notices}


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Return a gray PNG with these rows (each with its filter byte)."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


PNG = png(1, 1, b"\0\0")
GOOD_JPEG = encoded(drawing(8, 8), "JPEG")
GOOD_WEBP = encoded(drawing(8, 8), "WEBP")
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" + NOISE
GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00" + NOISE
WEBP = b"RIFF\x24\x08\x00\x00WEBPVP8 \x18\x08\x00\x00" + NOISE
BMP = b"BM" + struct.pack("<IHHI", 2_102, 0, 0, 54) + struct.pack("<IiiHH", 40, 26, 26, 1, 24) + NOISE
TIFF = b"II*\x00\x08\x00\x00\x00\x00\x00" + NOISE
ICO = b"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00\x00\x00" + NOISE
AVIF = b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf" + NOISE
PDF = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + NOISE + b"\n%%EOF\n"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("x.jpeg", "hello\n", id="text_named_jpeg"),
        pytest.param("x.png", "<!DOCTYPE html>\n<p>hi</p>\n", id="html_named_png"),
        pytest.param("x.png", '{"error": "no picture"}\n', id="json_named_png"),
        pytest.param(
            "x.png",
            '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
            id="svg_named_png",
        ),
        pytest.param("x.pdf", "<!DOCTYPE html>\n<p>hi</p>\n", id="html_named_pdf"),
    ],
)
def test_text_named_as_another_format_is_read(tmp_path: Path, name: str, data: str) -> None:
    page = read_text(write(tmp_path, name, data))
    assert page.content == data
    assert page.media_type.startswith(("text/", "application/json", "image/svg+xml"))
    assert "name_content_mismatch" in codes(page)


@pytest.mark.parametrize(
    "name",
    [
        "a.png",
        "a.pdf",
    ],
)
def test_empty_image_or_document_is_reported_as_empty(tmp_path: Path, name: str) -> None:
    page = read_text(write(tmp_path, name, b""))
    assert page.text == "[the file is empty]"
    assert "empty_file" in codes(page)


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        pytest.param("a.png", GOOD_JPEG, "image/jpeg"),
        pytest.param("a.jpg", PNG, "image/png"),
        pytest.param("a.png", GOOD_WEBP, "image/webp"),
        pytest.param("image", PNG, "image/png"),
    ],
)
def test_image_is_shown_under_any_name(tmp_path: Path, name: str, data: bytes, media_type: str) -> None:
    view = anyread.read_sync(write(tmp_path, name, data))
    assert isinstance(view, anyread.ImageView)
    assert view.image is not None
    assert (view.kind, view.media_type, view.image.data) == ("image", media_type, data)
    assert ("name_content_mismatch" in codes(view)) == (name != "image")


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [
        pytest.param(
            "a.png",
            PNG[:8] + NOISE,
            "image/png",
            id="signature_and_noise",
        ),
        pytest.param("a.png", PNG[: len(PNG) // 2], "image/png", id="half_a_png"),
        pytest.param("a.jpg", JPEG, "image/jpeg", id="jpeg_header"),
        pytest.param("a.png", JPEG, "image/jpeg", id="jpeg_header_named_png"),
        pytest.param("a.png", WEBP, "image/webp", id="webp_named_png"),
        pytest.param("a.avif", AVIF, "image/avif", id="avif"),
        pytest.param("a.bmp", BMP, "image/bmp", id="bmp"),
        pytest.param("a.tiff", TIFF, "image/tiff", id="tiff"),
        pytest.param("a.ico", ICO, "image/vnd.microsoft.icon", id="ico"),
        pytest.param("a.gif", GIF, "image/gif", id="gif"),
        pytest.param("a.png", png(0, 0, b""), "image/png", id="no_pixels"),
        pytest.param(
            "a.png",
            png(2**31 - 1, 1, b"\0"),
            "image/png",
            id="endless_row",
        ),
        pytest.param(
            "a.pdf",
            "%PDF-1.4 not really a pdf\n",
            "application/pdf",
            id="fake",
        ),
        pytest.param("a.pdf", PDF[:200], "application/pdf", id="truncated"),
        pytest.param("a.pdf", PDF, "application/pdf", id="pdf"),
        pytest.param("a", PDF, "application/pdf", id="no_extension"),
    ],
)
def test_damaged_media_raise_an_error_that_names_the_format(
    tmp_path: Path, name: str, data: bytes | str, media_type: str
) -> None:
    path = write(tmp_path, name, data)
    with pytest.raises((errors.DamagedFileError, errors.TooLargeError)) as caught:
        read_text(path)
    if isinstance(caught.value, errors.DamagedFileError):
        assert caught.value.media_type in (media_type, media_type.replace("vnd.microsoft.icon", "x-icon"))
    assert len(str(caught.value)) < 600
    assert read_text(path, kind="text").size_bytes == path.stat().st_size


def test_pages_argument_for_a_text_file_raises_wrong_kind(tmp_path: Path) -> None:
    with pytest.raises(errors.WrongKindError) as caught:
        read_text(write(tmp_path, "a.txt", "hello\n"), pages="1-2")
    assert caught.value.argument == "pages"
    assert caught.value.kind == "text"


def test_empty_pages_argument_is_ignored(tmp_path: Path) -> None:
    assert read_text(write(tmp_path, "a.txt", "hello\n"), pages="").content == "hello\n"


def test_transport_stream_named_ts_raises_binary_file(tmp_path: Path) -> None:
    packets = b"".join(b"\x47\x40\x00\x10\x00" + bytes(183) for _ in range(40))
    with pytest.raises(errors.BinaryFileError) as caught:
        read_text(write(tmp_path, "video.ts", packets))
    assert caught.value.media_type == "video/mp2t"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        pytest.param(b"\x7fELF\x02\x01\x01" + bytes(57) + NOISE, "application/x-executable", id="elf"),
        pytest.param(b"\xa7\r\r\n\0\0\0\0" + NOISE, "application/x-python-code", id="pyc"),
        pytest.param(b"SQLite format 3\0" + bytes(84) + NOISE, "application/vnd.sqlite3", id="sqlite"),
        pytest.param(b"\0asm\x01\0\0\0" + NOISE, "application/wasm", id="wasm"),
        pytest.param(NOISE, "application/octet-stream", id="noise"),
    ],
)
def test_binary_file_raises_an_error_with_its_type_and_size(
    tmp_path: Path, data: bytes, media_type: str
) -> None:
    path = write(tmp_path, "x.bin", data)
    with pytest.raises(errors.BinaryFileError) as caught:
        read_text(path)
    assert caught.value.size_bytes == len(data)
    assert caught.value.media_type == media_type
    assert str(caught.value).startswith(f"`{path}` is binary: {media_type}, {len(data):,} bytes\n")


OFFICE = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("name", "inside", "media_type"),
    [
        ("a.docx", "word/document.xml", f"{OFFICE}wordprocessingml.document"),
        ("renamed.bin", "word/document.xml", f"{OFFICE}wordprocessingml.document"),
        ("a.xlsx", "xl/workbook.xml", f"{OFFICE}spreadsheetml.sheet"),
        ("a.pptx", "ppt/presentation.xml", f"{OFFICE}presentationml.presentation"),
        ("a.ods", "content.xml", "application/vnd.oasis.opendocument.spreadsheet"),
    ],
)
def test_office_document_raises_an_error_with_its_type_and_size(
    tmp_path: Path, name: str, inside: str, media_type: str
) -> None:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        if name == "a.ods":
            package.writestr("mimetype", media_type)
        else:
            package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr(inside, "<document>visible</document>")
    with pytest.raises((errors.UnsupportedFormatError, errors.BinaryFileError)) as caught:
        read_text(path)
    assert caught.value.data == {"media_type": media_type, "size_bytes": path.stat().st_size}
