"""`anyread demo`: write the documentation's example files, the same ones each time."""

from __future__ import annotations

import json
import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from .terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Write the files to a directory; return 1 if one exists already or cannot be written."""
    directory = Path(arguments.directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, (description, make) in FILES.items():
            # Mode "x" changes no existing file.
            with (directory / name).open("xb") as file:
                file.write(make())
            terminal.out(f"{directory / name}: {description}\n")
    except OSError as error:
        terminal.err(f"anyread: cannot write `{error.filename}`: {error.strerror}")
        return 1
    return 0


def _log() -> bytes:
    lines = (f"INFO request {n} served in {n * 7919 % 90} ms\n" for n in range(1, 500_001))
    return "".join(lines).encode()


def _png() -> bytes:
    """Draw a navy line on white, of 4,000×3,000 pixels."""
    rows = [bytearray(4_001) for _ in range(3_000)]
    heights = [1_500 + 80 * n * 7919 % 900 for n in range(51)]
    for x in range(3_920):
        start, end = heights[x // 80], heights[x // 80 + 1]
        middle = start + (end - start) * (x % 80) // 80
        # A steep part needs more pixels in each column to look as thick as a flat one.
        half = 5 + abs(end - start) // 160
        for row in rows[middle - half : middle + half]:
            row[x + 1] = 1
    # Each row starts with its filter: none. The colors of the palette are white and navy.
    header = struct.pack(">IIBBBBB", 4_000, 3_000, 8, 3, 0, 0, 0)
    chunks = {b"IHDR": header, b"PLTE": b"\xff\xff\xff\0\0\x80", b"IDAT": zlib.compress(b"".join(rows), 1)}
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in (chunks | {b"IEND": b""}).items()
    )


def _pdf() -> bytes:
    """Make three pages with a line of text each; readers find the objects without a table of them."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 5 0 R 7 0 R]/Count 3>>"]
    for text in ("Trial of the new pump", "Flow was 41.7 litres a second", "Conclusions"):
        drawn = f"BT /F 24 Tf 72 700 Td ({text}) Tj ET"
        font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
        page = f"/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<{font}>>/Contents {len(objects) + 2} 0 R"
        objects += [f"<</Type/Page{page}>>", f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream"]
    body = "".join(f"{n} 0 obj\n{each}\nendobj\n" for n, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer\n<</Root 1 0 R>>\n".encode()


def _notebook() -> bytes:
    output = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    code = {"cell_type": "code", "id": "mean", "metadata": {}, "execution_count": 1, "source": "flow.mean()"}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "top", "metadata": {}, "source": "# The pump"},
        {**code, "outputs": [{**output, "data": {"text/plain": "41.7"}}]},
    ]
    metadata = {"language_info": {"name": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}).encode()


_OPEN = "http://schemas.openxmlformats.org"
_REFERENCES = f"{_OPEN}/officeDocument/2006/relationships"
_NAMES = f'="{_OPEN}/{{}}/2006/main" xmlns:r="{_REFERENCES}"'


def _office(folder: str, family: str, main: str, parts: dict[str, str]) -> bytes:
    """Make an Office file of its parts in XML; the first one refers to the others by their names."""
    # Loaded here, because no other command needs it.
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    first, *others = parts
    kinds = {name: name.rstrip("0123456789") for name in others}
    types = "".join(
        f'<Override PartName="/{folder}/{name}.xml"'
        f' ContentType="application/vnd.openxmlformats-officedocument.{family}.{kind}+xml"/>'
        for name, kind in {first: f"{main}.main", **kinds}.items()
    )

    def relations(kinds: dict[str, str]) -> str:
        each = (
            f'<Relationship Id="{name}" Type="{_REFERENCES}/{kind}" Target="/{folder}/{name}.xml"/>'
            for name, kind in kinds.items()
        )
        namespace = f"{_OPEN}/package/2006/relationships"
        return f'<Relationships xmlns="{namespace}">{"".join(each)}</Relationships>'

    of_relations = "application/vnd.openxmlformats-package.relationships+xml"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{of_relations}"/>{types}</Types>',
        "_rels/.rels": relations({first: "officeDocument"}),
        f"{folder}/_rels/{first}.xml.rels": relations(kinds),
        **{f"{folder}/{name}.xml": text for name, text in parts.items()},
    }
    made = BytesIO()
    with ZipFile(made, "w") as package:
        for name, text in files.items():
            # Such an entry has no time of its own, so that the file is the same one each time.
            package.writestr(ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{text}', ZIP_DEFLATED)
    return made.getvalue()


def _workbook() -> bytes:
    """Make a sheet of 300 orders, one with a formula, and a hidden one."""

    def row(number: int, cells: str, more: str = "") -> str:
        return f'<row r="{number}"{more}>{cells}</row>'

    def text(place: str, content: str) -> str:
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{content}</t></is></c>'

    titles = zip("ABCDE", ("id", "customer", "date", "total", "comment"), strict=True)
    rows = [row(1, "".join(text(f"{column}1", title) for column, title in titles))]
    for n in range(1, 301):
        here = n + 1
        cells = f'<c r="A{here}"><v>{n}</v></c>{text(f"B{here}", f"Customer {n}")}'
        # Excel counts days: 43831 is 2020-01-01.
        for column, style, value in (("C", 1, 43831 + n % 28), ("D", 2, n * 7.5)):
            cells += f'<c r="{column}{here}" s="{style}"><v>{value:g}</v></c>'
        comment = text("E3", "first line\nsecond line") if here == 3 else ""
        rows.append(row(here, cells + comment, ' hidden="1"' if here == 4 else ""))
    formula = row(7, '<c r="C7"><f>SUM(Orders!D2:D301)</f></c>')
    names = f"xmlns{_NAMES.format('spreadsheetml')}"

    def sheet(area: str, rows: str) -> str:
        dimension = f'<dimension ref="{area}"/>'
        return f"<worksheet {names}>{dimension}<sheetData>{rows}</sheetData></worksheet>"

    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="worksheet{n}"{state}/>'
        for n, name, state in (
            (1, "Orders", ""), (2, "My notes", ""), (3, "Prices", ' state="hidden"'),
        )
    )  # fmt: skip
    styles = (
        '<numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00 &quot;EUR&quot;"/></numFmts>'
        '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="3"><xf/><xf numFmtId="14" applyNumberFormat="1"/>'
        '<xf numFmtId="164" applyNumberFormat="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    )
    return _office(
        "xl",
        "spreadsheetml",
        "sheet",
        {
            "workbook": f"<workbook {names}><sheets>{listed}</sheets></workbook>",
            "worksheet1": sheet("A1:E301", "".join(rows)),
            "worksheet2": sheet("C7", formula),
            "worksheet3": sheet("A1", ""),
            "styles": f"<styleSheet {names}>{styles}</styleSheet>",
        },
    )


def _document() -> bytes:
    """Make a report of two sections, one with a table."""

    def paragraph(text: str, style: str = "") -> str:
        look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{look}<w:r><w:t>{text}</w:t></w:r></w:p>"

    def row(*texts: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{paragraph(text)}</w:tc>' for text in texts)}</w:tr>"

    body = [
        paragraph("Report of the pump trial", "Heading1"),
        paragraph("Flow was measured."),
        f"<w:tbl><w:tblPr/><w:tblGrid/>{row('month', 'm³')}{row('May', '41')}</w:tbl>",
        paragraph("Results", "Heading1"),
        paragraph("The pump stays."),
    ]
    heading = '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr>'
    style = f'<w:style w:type="paragraph" w:styleId="Heading1">{heading}</w:style>'
    names = f"xmlns:w{_NAMES.format('wordprocessingml')}"
    return _office(
        "word",
        "wordprocessingml",
        "document",
        {
            "document": f"<w:document {names}><w:body>{''.join(body)}</w:body></w:document>",
            "styles": f"<w:styles {names}>{style}</w:styles>",
        },
    )


def _slides() -> bytes:
    """Make four slides, of which the third is hidden."""
    names = f'xmlns:p{_NAMES.format("presentationml")} xmlns:a="{_OPEN}/drawingml/2006/main"'

    def shape(number: int, role: str, *paragraphs: str) -> str:
        about = f'<p:cNvPr id="{number}" name="{role}"/><p:cNvSpPr/><p:nvPr><p:ph type="{role}"/></p:nvPr>'
        text = f"<p:txBody><a:bodyPr/>{''.join(paragraphs)}</p:txBody>"
        return f"<p:sp><p:nvSpPr>{about}</p:nvSpPr><p:spPr/>{text}</p:sp>"

    def line(text: str, level: int = 0) -> str:
        return f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{text}</a:t></a:r></a:p>'

    parts = {}
    for n, title in enumerate(("Flow by month", "Costs", "Old figures", "Next steps"), 1):
        shapes = shape(2, "title", line(title))
        if n == 1:
            shapes += shape(3, "body", line("Higher in spring"), line("because of rain", 1))
        root = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        tree = f"<p:cSld><p:spTree>{root}{shapes}</p:spTree></p:cSld>"
        hidden = ' show="0"' if n == 3 else ""
        parts[f"slide{n}"] = f"<p:sld {names}{hidden}>{tree}</p:sld>"
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="slide{n}"/>' for n in range(1, 5))
    size = '<p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>'
    main = f"<p:presentation {names}><p:sldIdLst>{listed}</p:sldIdLst>{size}</p:presentation>"
    return _office("ppt", "presentationml", "presentation", {"presentation": main, **parts})


def _trace() -> bytes:
    steps: list[dict[str, Any]] = [
        {"type": "assistant", "message": {"text": "I will run the tests."}, "id": 18231},
        {"type": "tool", "output": "FAILED test_a.py\n" * 611, "log": list(range(312))},
    ]
    return "".join(json.dumps(step) + "\n" for step in steps).encode()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "notes.txt": (
        "a poem, in KOI8-R",
        lambda: "Буря мглою небо кроет,\nВихри снежные крутя;\n".encode("koi8-r"),  # noqa: RUF001 - Cyrillic
    ),
    "menu.txt": (
        "a menu, in Latin-1",
        lambda: "Café crème 3,20\nPâté en croûte 8,50\nGâteau à la crème brûlée 6,90\n".encode("latin-1"),
    ),
    "server.log": ("a log of 500,000 lines", _log),
    "chart.png": ("an image of 4,000×3,000 pixels", _png),
    "trial.pdf": ("a PDF of three pages", _pdf),
    "pump.ipynb": ("a notebook of two cells", _notebook),
    "report.xlsx": ("a workbook of three sheets", _workbook),
    "report.docx": ("a document with a table", _document),
    "plan.pptx": ("a presentation of four slides", _slides),
    "trace.jsonl": ("a trace of two records", _trace),
}
"""The name of each file, what it is, and a function that returns its bytes."""
