"""What a PDF has besides the text that its pages draw: comments, layers, attached files, hidden text."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from media import one_page, text_at

READERS = [anyread.Reader(), anyread.Reader(model="text-only")]


def text_of(tmp_path: Path, data: bytes, reader: anyread.Reader = READERS[0]) -> str:
    (tmp_path / "a.pdf").write_bytes(data)
    return reader.read_sync(tmp_path / "a.pdf", kind="pdf", pages="1-").pages[0].text


# -- comments


def annotated(*annotations: bytes) -> bytes:
    numbers = b" ".join(b"%d 0 R" % (5 + index) for index in range(len(annotations)))
    objects = (b"<</Type/Annot/Rect[72 500 300 540]" + annotation + b">>" for annotation in annotations)
    return one_page(text_at(72, 700, "The body of it"), *objects, page=b"/Annots[" + numbers + b"]")


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Text", "note by Ada"),
        ("Highlight", "highlight by Ada"),
        ("Caret", "insertion by Ada"),
        ("Stamp", "stamp by Ada"),
        ("Ink", "drawing by Ada"),
        ("Redact", "redaction by Ada"),
        ("Popup", "note by Ada"),
        ("FileAttachment", "attached file by Ada"),
    ],
)
def test_comment_has_its_kind_author_and_text(
    tmp_path: Path, reader: anyread.Reader, kind: str, label: str
) -> None:
    """The text of a comment was nowhere, and of a note the picture has only an icon."""
    comment = f"/Subtype/{kind}/Contents(Is this\\rright?)/T(Ada)".encode()
    assert text_of(tmp_path, annotated(comment), reader) == f"The body of it\n[{label}] Is this\nright?"


def test_comment_quotes_what_it_marks_and_replies_are_named(tmp_path: Path) -> None:
    marked = b"/Subtype/Highlight/Contents(Why?)/T(Ada)/QuadPoints[94 712 122 712 94 696 122 696]"
    reply = b"/Subtype/Text/Contents(Because.)/T(Ben)/IRT 5 0 R"
    hidden = b"/Subtype/Text/Contents(Gone.)/F 2"
    silent = b"/Subtype/Highlight/T(Ada)/QuadPoints[94 712 122 712 94 696 122 696]"
    assert text_of(tmp_path, annotated(marked, reply, hidden, silent)).splitlines() == [
        "The body of it",
        '[highlight of "body" by Ada] Why?',
        "[reply by Ben] Because.",
    ]


@pytest.mark.parametrize("reader", READERS, ids=["images", "text-only"])
def test_text_box_without_an_appearance_is_text(tmp_path: Path, reader: anyread.Reader) -> None:
    """It was missing for a model that accepts images, because drawing the page gives it an appearance."""
    box = b"/Subtype/FreeText/Contents(A box)/DA(/Helv 12 Tf)"
    assert text_of(tmp_path, annotated(box), reader) == "The body of it\nA box"
