"""PDFs in `read_file`, by model and by number of pages."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from anyread.models.model import Model
from helpers.media import decoded, text_pdf

Make = Callable[..., Any]


def padded(data: bytes, size: int) -> bytes:
    """Pad a PDF to `size` bytes with a comment after its header."""
    head, _, rest = data.partition(b"\n")
    return head + b"\n%" + b"x" * (size - len(data) - 2) + b"\n" + rest


def images(output: Any) -> list[Any]:
    (message,) = output["supplementalMessages"]
    assert (message["role"], message["isMeta"]) == ("user", True)
    for item in message["content"]:
        assert item["type"] == "image"
        assert item["bytes"] == len(base64.b64decode(item["data"]))
    return [decoded(base64.b64decode(item["data"])) for item in message["content"]]


def test_file_over_3_mb_is_rendered_as_images(deck_of: Make) -> None:
    deck = deck_of(model="everything")
    threshold = 3 * 1024 * 1024
    deck.write("fits.pdf", padded(text_pdf(1), threshold))
    deck.write("over.pdf", padded(text_pdf(1), threshold + 1))
    assert deck.text("fits.pdf") == f"PDF file read: fits.pdf ({threshold} bytes, 1 pages)"
    output = deck.read("over.pdf")
    assert output["content"][0]["text"] == (
        "[PDF pages rendered from over.pdf: 1-1 of 1 (file exceeds 3MB threshold).]"
    )
    assert output["data"]["modelSupportsPdf"] is True
    assert output["data"]["degradeReason"] == "file exceeds 3MB threshold"
    assert len(images(output)) == 1


def test_pdf_limits_set_by_the_host_apply(deck_of: Make) -> None:
    both = frozenset({"text", "image", "pdf"})
    data = text_pdf(3)
    for model, reason in [
        (Model(inputs=both, max_pdf_pages=2), "file exceeds the model's 2 pages"),
        (Model(inputs=both, max_pdf_bytes=500), "file exceeds the model's 500 bytes"),
    ]:
        deck = deck_of(model=model)
        deck.write("doc.pdf", data)
        assert deck.text("doc.pdf") == f"[PDF pages rendered from doc.pdf: 1-3 of 3 ({reason}).]"
    without_images = deck_of(model=Model(inputs=frozenset({"text", "pdf"}), max_pdf_pages=2))
    output = without_images.read("doc.pdf")
    assert output["content"][0]["text"] == (
        f"[PDF file: doc.pdf, {len(data)} bytes, 3 pages."
        " The file exceeds the model's 2 pages, and the current model does not support image input.]"
    )
    assert output["data"]["modelSupportsPdf"] is True
