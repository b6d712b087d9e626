"""Message blocks that are made from the answers of `read_file`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock
from helpers.media import encoded, noise, text_pdf

Make = Callable[..., Any]


def blocks(deck: Any, name: str, **arguments: Any) -> Any:
    return deck.tool.blocks(deck.read(name, **arguments))


def test_empty_window_of_a_notebook_has_no_block(deck: Any) -> None:
    deck.write("a.ipynb", "{}")
    assert blocks(deck, "a.ipynb", limit=0) == []


def test_document_block_follows_its_sentence(deck_of: Make) -> None:
    deck = deck_of(model="everything")
    data = text_pdf(2)
    deck.write("a/doc.pdf", data)
    text, document = blocks(deck, "a/doc.pdf")
    assert text == TextBlock(f"PDF file read: a/doc.pdf ({len(data)} bytes, 2 pages)")
    assert document == DocumentBlock.from_bytes(data, name="doc.pdf", page_count=2)
    text, first, second = blocks(deck, "a/doc.pdf", pages="1-2")
    assert text.text.startswith("PDF pages extracted: 2 page(s)")
    assert [(block.media_type, block.width) for block in (first, second)] == [("image/jpeg", 850)] * 2


def test_invalid_media_are_described_in_text(deck_of: Make) -> None:
    deck = deck_of(model="everything", validate_media=False)
    data = encoded(noise(60, 50), "PNG")[:3_000]
    deck.write("p.png", data)
    (block,) = blocks(deck, "p.png")
    assert isinstance(block, TextBlock)
    assert block.text.startswith("[image/png of 3,000 bytes: ")
