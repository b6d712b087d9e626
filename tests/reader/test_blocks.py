"""Blocks of images and documents: what their constructors accept, and their JSON."""

from __future__ import annotations

import base64
import copy
import json
import pickle

import pytest

from anyread.results.blocks import DocumentBlock, ImageBlock
from helpers.media import drawing, encoded, noise, text_pdf


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("JPEG", {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}),
        ("GIF", {}),
        ("WEBP", {}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}),
    ],
)
def test_type_and_size_are_read_from_the_bytes(kind: str, options: dict[str, object]) -> None:
    data = encoded(drawing(123, 45), kind, **options)
    block = ImageBlock.from_bytes(data)
    assert (block.media_type, block.width, block.height) == (f"image/{kind.lower()}", 123, 45)
    assert block.data == data
    assert base64.b64decode(block.base64) == data
    assert block.base64 is block.base64
    assert json.loads(json.dumps(block.base64)) == block.base64
    assert ImageBlock.from_bytes(data, media_type=block.media_type) == block


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_truncated_image_is_refused(kind: str) -> None:
    data = encoded(noise(40, 40), kind)
    for length in range(0, len(data) - 200, 97):
        if kind == "GIF" and length >= 14:
            break
        with pytest.raises(ValueError, match=r"truncated|no PNG"):
            ImageBlock.from_bytes(data[:length])


@pytest.mark.parametrize("data", [b"", b"hello", b"<svg/>", b"BM" + b"\0" * 80, b"%PDF-1.7"])
def test_unsupported_format_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no PNG, JPEG, GIF or WebP"):
        ImageBlock.from_bytes(data)


def test_media_type_that_contradicts_the_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="image/png, not image/jpeg"):
        ImageBlock.from_bytes(encoded(drawing(9, 9), "PNG"), media_type="image/jpeg")


def test_blocks_are_frozen_and_compared_by_value() -> None:
    block = ImageBlock.from_bytes(encoded(drawing(9, 9), "PNG"))
    document = DocumentBlock.from_bytes(text_pdf(2), name="a.pdf", page_count=2)
    for value in (block, document):
        assert value.base64
        again = pickle.loads(pickle.dumps(value))
        assert again == value == copy.copy(value)
        assert hash(again) == hash(value)
        assert again.base64 == value.base64
        with pytest.raises(AttributeError):
            value.data = b""  # type: ignore[misc]
        assert len(repr(value)) < 100
    assert block != document


@pytest.mark.parametrize(
    ("data", "name", "pages"), [(b"no", "a", 1), (text_pdf(1), "", 1), (text_pdf(1), "a", 0)]
)
def test_invalid_document_is_refused(data: bytes, name: str, pages: int) -> None:
    with pytest.raises(ValueError, match=r"PDF|name and pages"):
        DocumentBlock.from_bytes(data, name=name, page_count=pages)
