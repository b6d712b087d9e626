"""Mutants of JSON files and of packages, read in this process: the load of row S17.

`python -m torture.structured_mutants FIRST COUNT DIRECTORY` reads the mutants with these numbers and prints a
report. A mutant depends only on its number, so a failing one can be made again: `mutant(number)`.
"""

from __future__ import annotations

import faulthandler
import io
import json
import sys
import time
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import anyread
from helpers.corpus import CORPUS
from torture.mutants import change

FORMATS = {"records": ".jsonl", "sheets": ".xlsx", "documents": ".docx", "slides": ".pptx"}
"""What is mutated, and the suffix of its files."""
MAX_BYTES = 60_000
SLOW_S = 1.0
"""No read of a mutant may take longer."""
TOKENS = (
    b"<", b">", b"</row>", b"<row>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<!--", b"<![CDATA[", b"&b;",
    b"&#0;", b"]]>", b'"', b"99999999999", b"-1", b"1e400", b"XFD1048577", b"xml:space", b"\\ud800", b"[",
    b"{", b":", b",", b"//", b"NaN", b"\0", b"\xff", b"<w:p>", b"</w:tc>", b"<w:tbl>", b"<m:d>",
    b'<w:fldChar w:fldCharType="begin"/>', b"<a:p>", b"<p:grpSp>",
)  # fmt: skip
READER = anyread.Reader()


@cache
def originals(name: str) -> list[bytes]:
    """Return the files that are mutated: our own, and real ones where the corpus is there."""
    make, count = {
        "records": (records, 20),
        "sheets": (workbook, 6),
        "documents": (document, 6),
        "slides": (presentation, 3),
    }[name]
    found = [make(seed) for seed in range(count)]
    real = sorted((CORPUS / "office" / "files").glob(f"*{FORMATS[name]}"))
    return found + [path.read_bytes() for path in real if path.stat().st_size < MAX_BYTES]


def records(seed: int) -> bytes:
    """Return records in one of the forms that JSON files have."""
    rng = Random(seed)

    def value(depth: int) -> Any:
        match rng.randrange(7 if depth else 4):
            case 0:
                return rng.choice([0, -1, 1.5e300, 10**30, True, None])
            case 1 | 2:
                return rng.choice(["", "a" * rng.randrange(3_000), 'é"\\\n\u2028', "line\nline\n" * 20])
            case 3:
                return rng.randrange(10**9)
            case 4 | 5:
                return {rng.choice("abcd/~") * rng.randrange(1, 4): value(depth - 1) for _ in range(5)}
            case _:
                return [value(depth - 1) for _ in range(rng.randrange(6))]

    values = [value(4) for _ in range(rng.randrange(1, 12))]
    if seed % 3 == 0:
        return json.dumps(values, indent=rng.choice([None, 2])).encode()
    joint = rng.choice(["\n", "\n\n", "", " "]) if seed % 3 == 1 else "\n"
    return joint.join(json.dumps(each) for each in values).encode()


def workbook(seed: int) -> bytes:
    """Return a small workbook."""
    from xlsxwriter import Workbook

    rng, data = Random(seed), io.BytesIO()
    with Workbook(data, {"in_memory": True, "use_zip64": seed == 1}) as book:
        money = book.add_format({"num_format": rng.choice(["#,##0.00", "0.0%", "yyyy-mm-dd", "[h]:mm"])})
        for name in ("First", "Second sheet"):
            sheet = book.add_worksheet(name)
            for row in range(rng.randrange(1, 60)):
                sheet.write(row * rng.choice([1, 1, 3]), rng.randrange(5), rng.random() * 10_000, money)
                sheet.write(row, 6, rng.choice(["text", "<&>", "a\tb\nc", "=A1*2"]))
            sheet.merge_range(2, 8, 3, 9, "merged")
            sheet.set_row(4, None, None, {"hidden": True})
    return data.getvalue()


def document(seed: int) -> bytes:
    """Return a small document with a little of everything."""
    rng, data = Random(seed), io.BytesIO()

    def run(text: str, properties: str = "") -> str:
        return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"

    def paragraph(content: str, properties: str = "") -> str:
        return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"

    link = "".join(
        f"<w:r>{each}</w:r>"
        for each in (
            '<w:fldChar w:fldCharType="begin"/>',
            '<w:instrText>HYPERLINK "http://a.invalid"</w:instrText>',
            '<w:fldChar w:fldCharType="separate"/>',
            "<w:t>link</w:t>",
            '<w:fldChar w:fldCharType="end"/>',
        )
    )
    item = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'
    equation = "<m:oMath><m:d><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d></m:oMath>"
    box = f"<w:r><w:pict><w:txbxContent>{paragraph(run('boxed'))}</w:txbxContent></w:pict></w:r>"
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph(run("cell"))}</w:tc>'
    blocks = [
        paragraph(run("Title"), '<w:pStyle w:val="Heading1"/>'),
        paragraph(run("item", "<w:b/>"), item),
        paragraph(f"{link}{equation}{box}"),
        paragraph('<w:r><w:footnoteReference w:id="2"/></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>'),
        f"<w:tbl><w:tr>{cell}{cell}</w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>",
        paragraph(run("word " * rng.randrange(200)), "<w:rPr><w:del/></w:rPr>"),
    ]
    body = "".join(rng.choice(blocks) for _ in range(rng.randrange(5, 60)))
    level = '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1.%2"/></w:lvl>'
    related = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes"}
    relations = "".join(
        f'<Relationship Id="{kind}" Type="x/{kind}" Target="{name}.xml"/>' for kind, name in related.items()
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types><Override PartName="/d.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": "<Relationships>"
        '<Relationship Id="a" Type="x/officeDocument" Target="d.xml"/></Relationships>',
        "_rels/d.xml.rels": f"<Relationships>{relations}</Relationships>",
        "d.xml": f"<w:document><w:body>{body}</w:body></w:document>",
        "styles.xml": '<w:styles><w:style w:styleId="A"><w:basedOn w:val="A"/></w:style></w:styles>',
        "numbering.xml": f'<w:numbering><w:abstractNum w:abstractNumId="0">{level}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        "footnotes.xml": '<w:footnotes><w:footnote w:id="2">'
        f"{paragraph(run('note'))}</w:footnote></w:footnotes>",
    }
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return data.getvalue()


def presentation(seed: int) -> bytes:
    """Return a small presentation with texts, a table and notes."""
    import pptx
    from pptx.util import Inches

    rng, data, deck = Random(seed), io.BytesIO(), pptx.Presentation()
    for number in range(rng.randrange(2, 6)):
        slide = deck.slides.add_slide(deck.slide_layouts[number % 2])
        title: Any = slide.shapes.title
        title.text = f"Slide {number}"
        place = Inches(1), Inches(5), Inches(4), Inches(1)
        table = slide.shapes.add_table(2, 2, *place).table
        table.cell(0, 0).text = "a|b"
        table.cell(0, 0).merge(table.cell(1, 0))
        notes: Any = slide.notes_slide.notes_text_frame
        notes.text = "note " * rng.randrange(20)
    deck.save(data)
    return data.getvalue()


def mutant(number: int) -> tuple[str, bytes, list[dict[str, Any]]]:
    """Return what the original was, the content of a mutant, and the arguments of its reads."""
    rng = Random(number)
    name = rng.choice(list(FORMATS))
    data = bytearray(rng.choice(originals(name)))
    if name == "records" or rng.random() < 0.4:
        spoil(data, rng)
        found = bytes(data)
    else:
        found = _with_spoiled_part(bytes(data), rng)
    if name == "records":
        at = rng.choice([None, "1", "2/a", "/a/b", "/0", "3/a~1/~0"])
        return name, found, [{"kind": "records"}, *([{"at": at}] if at else [])]
    offset = rng.choice([1, 2, 40, 10**6])
    if name == "documents":
        return name, found, [{"offset": offset}, {"ranges": [1, (3, 9), offset]}, {"offset": -2}]
    if name == "slides":
        return name, found, [{}, {"pages": rng.choice(["1", "2-", "3-4"]), "column": rng.choice([1, 5])}]
    return name, found, [{"offset": offset}, {"at": rng.choice(["A1:C9", "First", "'Second sheet'!B2"])}]


def spoil(data: bytearray, rng: Random) -> None:
    """Make a few random changes."""
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if data and rng.random() < 0.5:
            at = rng.randrange(len(data))
            token = rng.choice(TOKENS)
            data[at : at + rng.choice([0, len(token)])] = token
        else:
            change(data, rng)


def _with_spoiled_part(data: bytes, rng: Random) -> bytes:
    """Return a package in which the content of one part is changed, with the right checksum."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            parts = {each: old.read(each) for each in old.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        # Some of the real files are damaged on purpose.
        return data
    spoilt = rng.choice([each for each in parts if each.endswith((".xml", ".rels"))] or list(parts))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as new:
        for each, content in parts.items():
            part = bytearray(content)
            if each == spoilt:
                spoil(part, rng)
            new.writestr(
                each, bytes(part), zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED
            )
    return written.getvalue()


def main(first: int, count: int, directory: Path) -> dict[str, Any]:
    """Read mutants and count how the reads end."""
    read: Counter[str] = Counter()
    failures: dict[str, list[str]] = {each: [] for each in FORMATS}
    slowest = 0.0
    for number in range(first, first + count):
        name, data, calls = mutant(number)
        read[name] += 1
        path = directory / f"{number % 16}{FORMATS[name]}"
        path.write_bytes(data)
        for arguments in calls:
            # Its own time: another process may have the core.
            started = time.process_time()
            try:
                READER.read_sync(path, **arguments)
            except anyread.ReadError:
                pass
            except Exception as error:  # noqa: BLE001 - each other error is what is looked for
                failures[name].append(f"{number} {arguments}: {error!r}")
            seconds = time.process_time() - started
            if seconds > SLOW_S:
                failures[name].append(f"{number} {arguments}: {seconds:.1f} s")
            slowest = max(slowest, seconds)
    # Not `ru_maxrss`, which includes the process that started this one.
    status = Path("/proc/self/status").read_text("utf-8").splitlines()
    peak = next(int(line.split()[1]) * 1_024 for line in status if line.startswith("VmHWM:"))
    return {"read": read, "failures": failures, "slowest_s": slowest, "peak_bytes": peak}


if __name__ == "__main__":
    faulthandler.enable()
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
