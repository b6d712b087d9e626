"""How forge's `read` detects the type of a file, and how `file_type` overrides that."""

from __future__ import annotations

from typing import Any

import pytest

from anyread.tools.forge.detection import RequestedType, requested_type


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
