"""Word documents: lines of their rendering, and how pages of them follow one another."""

from __future__ import annotations

import os
import random
import re
import zipfile
from pathlib import Path

import pytest

import anyread
from anyread.errors import (
    BinaryFileError,
    DamagedFileError,
    UnsupportedFormatError,
)
from anyread.results import DocumentPage

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def write(path: Path, body: str, *, content_type: str = TYPE) -> Path:
    """Write a document with a body."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types><Override PartName="/word/document.xml" ContentType="{content_type}"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            '<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="word/document.xml"/>'
            "</Relationships>",
        )
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
        )
    return path


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def test_a_document_is_detected_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path / "report.xlsx", paragraph("Title", "Heading1") + paragraph("text"))
    page = anyread.read_sync(path)
    assert isinstance(page, DocumentPage)
    assert page.text == "1\t# Title\n2\t\n3\ttext"
    assert [(line.number, line.text) for line in page.lines] == [(1, "# Title"), (2, ""), (3, "text")]
    assert anyread.info_sync(path).kind == "document"


def test_long_paragraphs_are_shown_whole(tmp_path: Path) -> None:
    """They were clipped, and `pages` never came back to the rest."""
    text = " ".join(f"{number}" for number in range(30_000))
    path = write(tmp_path / "a.docx", paragraph("x" * 5_000) + paragraph(text) + paragraph("end"))
    shown = ""
    for page in anyread.pages_sync(path, max_bytes=9_000):
        shown += page.text.removesuffix(page.footer)
    assert "".join(re.sub(r"(?m)^\d\t", "", shown).split("\n")) == f"{'x' * 5_000}{text}end"


def test_pages_are_the_same_whatever_was_read_before(tmp_path: Path) -> None:
    """Places at which a text is continued must have all that its lines depend on."""
    rng = random.Random(3)
    number = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="9"/></w:numPr></w:pPr>'
    row = f"<w:tr><w:tc>{paragraph('cell')}</w:tc></w:tr>"
    table = f"<w:tbl>{row * 40}</w:tbl>"
    texts = [paragraph(f"paragraph {n} " * rng.randrange(1, 60)) for n in range(1_500)]
    texts[100:100] = [f"<w:p>{number}<w:r><w:t>item</w:t></w:r></w:p>"] * 50
    texts[700:700] = [table] * 20
    path = write(tmp_path / "a.docx", "".join(texts))
    # The state of a file that was just written is not trusted, so nothing would be kept.
    os.utime(path, (1_000_000_000, 1_000_000_000))
    for _ in range(40):
        offset, limit = rng.randrange(1, 3_900), rng.randrange(1, 30)
        known = anyread.read_sync(path, offset=offset, limit=limit).text
        anyread.clear_caches()
        assert anyread.read_sync(path, offset=offset, limit=limit).text == known


def test_replaced_characters_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", "")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document.xml"] = f"<w:document>{paragraph('@')}</w:document>".encode().replace(b"@", b"\xff")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert "lossy" in [notice.code for notice in anyread.read_sync(path).notices]


def test_notices_and_facts(tmp_path: Path) -> None:
    body = (
        "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"
    )
    kind = "application/vnd.ms-word.document.macroEnabled.main+xml"
    path = write(tmp_path / "a.docm", body, content_type=kind)
    page = anyread.read_sync(path)
    assert page.text == "1\tnew"
    assert {notice.code for notice in page.notices} >= {"tracked_changes", "hidden_runs", "macros"}
    info = anyread.info_sync(path)
    facts = info.facts
    assert ": document, 1 line, " in info.summary()
    assert facts == {
        "headings": "",
        "text_lines": 1,
        "images": 0,
        "has_tracked_changes": True,
        "has_macros": True,
    }


@pytest.mark.slow
def test_damaged_documents_have_typed_errors(tmp_path: Path) -> None:
    path = write(tmp_path / "a.docx", paragraph("some words " * 50) * 20)
    whole = path.read_bytes()
    rng = random.Random(11)
    outcomes = set()
    for _ in range(300):
        mutant = bytearray(whole)
        for _ in range(rng.choice([1, 4])):
            mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
        path.write_bytes(mutant)
        try:
            outcomes.add(type(anyread.read_sync(path)).__name__)
        except (BinaryFileError, DamagedFileError, UnsupportedFormatError) as error:
            outcomes.add(type(error).__name__)
    assert {"DocumentPage", "DamagedFileError"} <= outcomes


@pytest.mark.parametrize("part", ["word/document.xml", "ppt/presentation.xml"])
def test_damaged_document_is_named_by_its_own_type(tmp_path: Path, part: str) -> None:
    """A document whose XML declares entities was "a damaged application/zip"; only workbooks had a name."""
    form = "wordprocessingml.document" if part.startswith("word") else "presentationml.presentation"
    media_type = f"application/vnd.openxmlformats-officedocument.{form}"
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        types = f'<Types><Override PartName="/{part}" ContentType="{media_type}.main+xml"/></Types>'
        archive.writestr("[Content_Types].xml", types)
        relation = f'<Relationship Id="r1" Type="x/officeDocument" Target="{part}"/>'
        archive.writestr("_rels/.rels", f"<Relationships>{relation}</Relationships>")
        archive.writestr(part, '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    with pytest.raises(DamagedFileError) as caught:
        anyread.read_sync(path)
    assert caught.value.media_type == media_type
    problem = anyread.info_sync(path).problem
    assert problem is not None
    assert media_type in str(problem)
