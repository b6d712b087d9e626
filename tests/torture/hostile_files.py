"""Small files that ask for much memory or work, by name.

Packages are written piece by piece, so that making them needs little memory. Most of these files once made a
read take or keep hundreds of megabytes, or work for seconds; the others come close to several limits at once.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from helpers.gzip_files import EMPTY, HEADER, member
from helpers.media import encoded, noise

Piece = str | bytes | tuple[Any, ...]
"""A text; or a number and pieces that are repeated so often, in which `{n}` counts them."""
Pieces = tuple[Piece, ...]
Parts = Mapping[str, Pieces]
NO_PARTS: Parts = {}
BLOCK = 1 << 20
TYPE = "application/vnd.openxmlformats-officedocument."
MAINS = {
    ".docx": f"{TYPE}wordprocessingml.document.main+xml",
    ".xlsx": f"{TYPE}spreadsheetml.sheet.main+xml",
    ".pptx": f"{TYPE}presentationml.presentation.main+xml",
}


@dataclass(frozen=True)
class Hostile:
    """A file by its parts; one that is no package has a single part, without a name."""

    suffix: str
    """Empty for a directory with an ignore file."""
    parts: Parts
    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments of the read."""
    is_wide: bool = False
    """Whether its main part is in UTF-16."""
    is_zip64: bool = False
    members: int = 0
    """How many more members its directory has."""

    def write(self, directory: Path, name: str) -> Path:
        """Write the file, and return its path."""
        path = directory / f"{name}{self.suffix}"
        if self.suffix in MAINS:
            # Sizes and offsets above this limit are written as those of zip64.
            with mock.patch.object(zipfile, "ZIP64_LIMIT", -1 if self.is_zip64 else zipfile.ZIP64_LIMIT):
                self._write_package(path)
            return path
        if not self.suffix:
            path.mkdir()
            (path / ("a" * 200)).touch()
        with (path if self.suffix else path / ".gitignore").open("wb") as file:
            file.writelines(blocks(self.parts[""]))
        return path

    def _write_package(self, path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
            for name, pieces in self.parts.items():
                with package.open(name, "w", force_zip64=True) as part:
                    is_wide = self.is_wide and name == "main.xml"
                    for block in blocks(("\ufeff", *pieces), "utf-16-le") if is_wide else blocks(pieces):
                        part.write(block)
            for number in range(self.members):
                # They have no content, so their entries in the directory are enough.
                member = zipfile.ZipInfo(f"{number:05}" + "a" * 80)
                member.header_offset, member.CRC = package.start_dir, 0
                package.filelist.append(member)


def blocks(pieces: Pieces, encoding: str = "utf-8", number: int = 0) -> Iterator[bytes]:
    """Yield pieces in blocks of about a megabyte at most."""
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
        elif isinstance(piece, str):
            yield piece.replace("{n}", str(number)).encode(encoding)
        elif len(piece) == 2 and isinstance(piece[1], str) and "{n}" not in piece[1]:
            once = piece[1].encode(encoding)
            times, rest = divmod(piece[0], BLOCK // len(once))
            yield from (once * (BLOCK // len(once)) for _ in range(times))
            yield once * rest
        else:
            for each in range(piece[0]):
                yield from blocks(piece[1:], encoding, each)


# ---------------------------------------------------------------- packages


def package(suffix: str, main: Pieces, related: Pieces, parts: Parts, **how: Any) -> Hostile:
    """Return a package by its main part, the relationships of that, and its other parts."""
    types = f'<Types><Override PartName="/main.xml" ContentType="{MAINS[suffix]}"/></Types>'
    start = {
        "[Content_Types].xml": (types,),
        "_rels/.rels": rels(rel("a", "officeDocument", "main.xml")),
        "_rels/main.xml.rels": rels(related),
        "main.xml": main,
    }
    return Hostile(suffix, start | dict(parts), **how)


def rel(name: str, kind: str, *target: Piece, mode: str = "Internal") -> Pieces:
    return (f'<Relationship Id="{name}" Type="x/{kind}" TargetMode="{mode}" Target="', *target, '"/>')


def link(name: str, *address: Piece) -> Pieces:
    return rel(name, "hyperlink", *address, mode="External")


def rels(pieces: Pieces) -> Pieces:
    return ("<Relationships>", *pieces, "</Relationships>")


def docx(*run: Piece, related: Pieces = (), parts: Parts = NO_PARTS, **how: Any) -> Hostile:
    """Return a document by a run of it."""
    main = (f"<w:document><w:body>{RUN}", *run, f"{END_RUN}</w:body></w:document>")
    return package(".docx", main, related, parts, **how)


def xlsx(
    *cells: Piece,
    of_sheet: Pieces = (),
    sheets: Pieces = ('<sheet name="A" r:id="s"/>',),
    related: Pieces = (),
    parts: Parts = NO_PARTS,
    **how: Any,
) -> Hostile:
    """Return a workbook by the cells of a row, and the relationships of its sheet and of the workbook."""
    row = ("<worksheet>", ROW, *cells, END_ROW, "</worksheet>")
    sheet = {"s.xml": row, "_rels/s.xml.rels": rels(of_sheet)}
    main = ("<workbook><sheets>", *sheets, "</sheets></workbook>")
    return package(".xlsx", main, rel("s", "worksheet", "s.xml") + related, sheet | dict(parts), **how)


def drawn(*drawings: Piece, targets: Pieces, parts: Parts = NO_PARTS, **how: Any) -> Hostile:
    """Return a workbook by the drawings on its first cell, and their relationships."""
    drawing = {"d.xml": ("<wsDr>", *drawings, "</wsDr>"), "_rels/d.xml.rels": rels(targets)}
    how = {"of_sheet": rel("d", "drawing", "d.xml"), **how}
    return xlsx(*how.pop("cells", (VALUE,)), parts=drawing | dict(parts), **how)


def pptx(*shapes: Piece, of_slide: Pieces = (), parts: Parts = NO_PARTS) -> Hostile:
    """Return a presentation by the shapes of its slide."""
    slide: Parts = {"s.xml": ("<p:sld>", *shapes, "</p:sld>"), "_rels/s.xml.rels": rels(of_slide)}
    main = (DECK, '<p:sldId r:id="s"/>', END_DECK)
    return package(".pptx", main, rel("s", "slide", "s.xml"), {**slide, **parts})


def plain(suffix: str, *pieces: Piece, **arguments: Any) -> Hostile:
    return Hostile(suffix, {"": pieces}, arguments)


RUN, END_RUN = "<w:p><w:r>", "</w:r></w:p>"
ROW, END_ROW = '<sheetData><row r="1">', "</row></sheetData>"
DECK, END_DECK = "<p:presentation><p:sldIdLst>", "</p:sldIdLst></p:presentation>"
ITEM = '<p:sp><a:p><a:pPr lvl="8"><a:buChar/></a:pPr><a:r><a:t>a</a:t></a:r>'
TABLE, END_TABLE = "<p:graphicFrame><a:tbl>", "</a:tbl></p:graphicFrame>"
NOTEBOOK, END_NOTEBOOK = '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[', "]}"
CELL = '{"cell_type":"code","source":['
NAME = (250_000, "a")
"""Longer than the name of any part."""
VALUE, STRING = "<c><v>1</v></c>", '<c t="s" s="{n}"><v>{n}</v></c>'
LONG_SHEET = f'<sheet name="{{n}}{"a" * 1_018}" r:id="s"/>'
SHEET = '<sheet name="{n}" r:id="s"/>'
CODE = '<numFmt numFmtId="{n}" formatCode="'
IMAGE, CHART = rel("i", "image", "i.png"), rel("c", "chart", "c.xml")
BLIP, GRAPH = '<blip r:embed="i"/>', '<chart r:id="c"/>'
STRINGS, STYLES = rel("t", "sharedStrings", "t.xml"), rel("y", "styles", "y.xml")
PNG: Parts = {"i.png": (encoded(noise(2, 2), "PNG"),)}
SERIES = (20, "<ser><tx><v>", (500, "a"), "</v></tx></ser>")
GRAPHS: Parts = {"c.xml": ("<chart><title><t>", (500, "a"), "</t></title>", SERIES, "</chart>")}
POINT = '<pt idx="{n}"><v>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</v></pt>'
POINTS: Parts = {
    "c.xml": (
        "<chart>",
        (21, "<ser><cat>", (5, "<lvl>", (21, POINT), "</lvl>"), "</cat><val>", (21, POINT), "</val></ser>"),
        "</chart>",
    )
}
LONG_TEXTS: Parts = {"t.xml": ("<sst>", (16_384, "<si><t>{n}", (2_100, "a"), "</t></si>"), "</sst>")}
ONE_TEXT: Parts = {"t.xml": ("<sst><si><t>", (65_000, "a"), "</t></si></sst>")}


def part(text: bytes) -> bytes:
    """Return a part of a member of a gzip file that others may follow."""
    compressor = zlib.compressobj(9, wbits=-15)
    return compressor.compress(text) + compressor.flush(zlib.Z_FULL_FLUSH)


def styles(count: int, *code: Piece) -> Parts:
    """Return so many number formats with a code."""
    formats = ("<styleSheet><numFmts>", (count, CODE, *code, '"/>'), "</numFmts><cellXfs>")
    return {"y.xml": (*formats, (count, '<xf numFmtId="{n}"/>'), "</cellXfs></styleSheet>")}


HOSTILE = {
    # Documents.
    "pictures": docx((100_000, BLIP), related=IMAGE, parts=PNG),
    "charts": docx((10_000, GRAPH), related=CHART, parts=GRAPHS),
    "title": docx(
        GRAPH, related=CHART, parts={"c.xml": ("<chart><title>", (8_000_000, "<p/>"), "</title></chart>")},
    ),
    "relations": docx("<w:t>a</w:t>", related=((60, *rel("{n}", "y", NAME)),)),
    "fields": docx(
        (255, '<w:fldChar w:fldCharType="begin"/><w:instrText>', (4_096, "a"), "</w:instrText>"),
        (2, '<w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="separate"/>'),
        (1_600_000, f"{END_RUN}{RUN}  "), arguments={"offset": 10},
    ),
    "descriptions": docx(
        '<wp:docPr descr="', NAME, '"/>', (1_600_000, f"{END_RUN}{RUN}  "), arguments={"offset": 10},
    ),
    "entities": docx("<w:t>", (1_000_000, "&b;&#97;"), "</w:t>"),
    "long tags": docx((20, "<w:r ", (100_000, "a='b' x  "), "/>")),
    "empty elements": docx((5_000_000, "<a/>")),
    "equation": docx(
        '<m:oMath><m:d><m:sepChr m:val="', NAME, '"/>', (500_000, "<m:e/>"), "</m:d></m:oMath>",
    ),
    "links": docx((200_000, '<w:hyperlink r:id="i"/>'), related=link("i", NAME)),
    "parentheses": docx(
        (20_000, '<w:hyperlink r:id="i"><w:t>a</w:t></w:hyperlink>'), related=link("i", (2_000, "(")),
    ),
    "comments": docx(
        (60_000, '<w:commentReference w:id="{n}"/>'), related=rel("c", "comments", "c.xml"),
        parts={"c.xml": ("<w:comments>", (60_000, '<w:comment w:id="{n}"/>'), "</w:comments>")},
    ),
    "lists": docx(
        (60_000, END_RUN, '<w:p><w:pPr><w:numPr><w:numId w:val="{n}"/></w:numPr></w:pPr><w:r><w:t>a</w:t>'),
        related=rel("n", "numbering", "n.xml"),
        parts={"n.xml": (
            '<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:lvlText w:val="',
            (200, "%1"), '"/></w:lvl></w:abstractNum>',
            (60_000, '<w:num w:numId="{n}"><w:abstractNumId w:val="1"/></w:num>'), "</w:numbering>",
        )},
    ),
    "entries": docx(
        '<w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>', (1_000_000, '<w:listEntry w:val="a"/>'),
        '<w:listEntry w:val="', NAME, '"/></w:ddList></w:ffData></w:fldChar>',
        (1_000_000, '<w:fldChar w:fldCharType="end"/>'),
    ),
    "tables of charts": docx((1_000, GRAPH), related=CHART, parts=POINTS),
    "nested tables": docx(
        END_RUN, (500, (80, "<w:tbl><w:tr><w:tc>"), (80, f"{RUN}a{END_RUN}</w:tc></w:tr></w:tbl>")), RUN,
    ),
    "utf-16": docx("<w:t>", (10_000_000, "a\n"), "</w:t>", is_wide=True),
    # Workbooks.
    "owners": xlsx((200, '<c r="A', (1_000_000, "1"), '"><f t="shared" si="{n}">A1</f></c>')),
    "at signs": xlsx(
        (16_000, '<c t="s" s="0"><v>0</v></c>'), related=STRINGS + STYLES,
        parts={**ONE_TEXT, **styles(1, (255, "@"))},
    ),
    "formats": xlsx(
        (16_000, '<c s="{n}"><v>1</v></c>'), related=STYLES, parts=styles(2_000, (255, ";")),
    ),
    "sheets of a part": xlsx(VALUE, END_ROW, (200_000, "<cols/>"), ROW, sheets=((100, SHEET),)),
    "sheets of a drawing": drawn((20_000, "<cols/>   "), targets=(), sheets=((4_000, SHEET),)),
    "sheet names": xlsx(VALUE, sheets=((4_096, LONG_SHEET),)),
    "sheet parts": xlsx(
        VALUE, sheets=((4_000, '<sheet name="A" r:id="z"/>'),), related=rel("z", "worksheet", NAME),
    ),
    "drawing parts": drawn((4_000, BLIP), targets=rel("i", "image", NAME)),
    "drawings on a cell": drawn((44_000, BLIP), targets=IMAGE, parts=PNG),
    "charts on a row": drawn((4_000, GRAPH), targets=CHART, parts=GRAPHS),
    "chart parts": drawn(
        (4_000, '<chart r:id="c{n}"/>'), targets=((4_000, *rel("c{n}", "chart", "{n}.xml")),),
        parts={f"{number}.xml": GRAPHS["c.xml"] for number in range(4_000)},
    ),
    "comments on cells": xlsx(
        VALUE, of_sheet=rel("c", "comments", "c.xml") + rel("t", "threadedComment", "t.xml"),
        related=rel("p", "person", "p.xml"),
        parts={
            "c.xml": (
                "<comments>", (60_000, "<author>", (500, "a"), "</author>"),
                (20_000, '<comment ref="A{n}" authorId="{n}"><text><t>', (500, "a"), "</t></text></comment>"),
                "</comments>",
            ),
            "t.xml": (
                "<c>", (20_000, '<threadedComment ref="A1"><text>', (500, "a"), "</text></threadedComment>"),
                "</c>",
            ),
            "p.xml": ("<c>", (60_000, '<person id="{n}" displayName="', (500, "a"), '"/>'), "</c>"),
        },
    ),
    "tables of charts on a row": drawn((4_000, GRAPH), targets=CHART, parts=POINTS),
    "text boxes": drawn((40_000, "<sp><p><t>", (500, "a"), "</t></p></sp>"), targets=()),
    "links of cells": xlsx(
        VALUE, END_ROW, "<hyperlinks>", (60_000, '<hyperlink ref="A1:Z9" r:id="{n}"/>'), "</hyperlinks>", ROW,
        of_sheet=((60_000, *link("{n}", (2_000, "a"))),),
    ),
    "images in cells": xlsx(
        (16_000, '<c t="e" vm="{n}"><v>0</v></c>'),
        related=(
            *rel("m", "sheetMetadata", "m.xml"), *rel("v", "rdRichValue", "v.xml"),
            *rel("i", "richValueRel", "i.xml"),
        ),
        parts={
            "m.xml": (
                '<m><metadataType name="XLRICHVALUE"/><futureMetadata name="XLRICHVALUE">',
                (200_000, '<rvb i="{n}"/>'), "</futureMetadata><valueMetadata>",
                (200_000, '<rc t="1" v="{n}"/>'), "</valueMetadata></m>",
            ),
            "v.xml": ("<r>", (200_000, '<rv s="0"><v>0</v></rv>'), "</r>"),
            "i.xml": ("<r>", (200_000, '<rel r:id="i"/>'), "</r>"),
            "_rels/i.xml.rels": rels(IMAGE), **PNG,
        },
    ),
    "external links": xlsx(VALUE, of_sheet=((60_000, *link("{n}", (2_000, "a"))),)),
    "clipped cells": xlsx((16_384, STRING), related=STRINGS, parts=LONG_TEXTS),
    "clipped cells, long name": xlsx(
        (16_384, STRING), sheets=(LONG_SHEET,), related=STRINGS, parts=LONG_TEXTS,
    ),
    "long cells": xlsx((1_000, '<c t="inlineStr"><is><t>', NAME, "</t></is></c>")),
    "shared formula": xlsx(
        '<c r="A', (250_000, "1"), '"><f t="shared" si="0">A1</f></c>',
        (4_000, '<c><f t="shared" si="0"/></c>'),
    ),
    "many kinds": drawn(
        (12_000, BLIP + GRAPH), targets=(*IMAGE, *CHART, (12_000, *rel("{n}", "image", "{n}.png"))),
        cells=((16_384, STRING),), sheets=((4_000, LONG_SHEET),), related=STRINGS + STYLES,
        parts={**PNG, **GRAPHS, **LONG_TEXTS, **styles(900, (60, "&quot;a&quot;;"))},
    ),
    "zip64": drawn((44_000, BLIP), targets=IMAGE, parts=PNG, is_zip64=True),
    "members": xlsx(VALUE, members=65_500),
    # Presentations.
    "breaks": pptx(ITEM, (5_000_000, "<a:br/>"), "<a:r><a:t>a</a:t></a:r></a:p></p:sp>"),
    "breaks in a cell": pptx(
        TABLE, "<a:tr><a:tc><a:p>", (5_000_000, "<a:br/>"), "<a:r><a:t>a</a:t></a:r></a:p></a:tc></a:tr>",
        END_TABLE,
    ),
    "cells": pptx(TABLE, (5_000, "<a:tr>", (1_000, "<a:tc/>"), "</a:tr>"), END_TABLE),
    "items": pptx((200_000, ITEM, "</a:p></p:sp>")),
    "lines of items": pptx((5_000, ITEM, (400, "<a:br/>"), "<a:r><a:t>a</a:t></a:r></a:p></p:sp>")),
    "comment": pptx(
        of_slide=rel("c", "comments", "c.xml"),
        parts={"c.xml": ("<c><cm><t>a</t>", (8_000_000, "<p/>"), "</cm></c>")},
    ),
    "diagrams": pptx(
        (4_000, '<p:graphicFrame><dgm:relIds r:dm="i"/></p:graphicFrame>'),
        of_slide=rel("i", "diagramData", NAME),
    ),
    "slides": package(
        ".pptx", (DECK, (16_000, '<p:sldId r:id="{n}"/>'), END_DECK),
        ((16_000, *rel("{n}", "slide", "s.xml")),),
        {"s.xml": ('<p:sld show="0">', ITEM, "</a:p></p:sp></p:sld>")},
    ),
    # Text in gzip files.
    "empty members": plain(".gz", (200, EMPTY * 50_000), member(b"end\n")),
    "a gzip bomb": plain(".gz", HEADER, (2_000, part(b"a" * BLOCK))),
    "a gzip bomb of lines": plain(".gz", HEADER, (2_000, part(b"\n" * BLOCK)), offset=-9),
    "a name in gzip": plain(".gz", HEADER[:3] + b"\x08" + HEADER[4:], (200, b"n" * BLOCK)),
    # JSON, notebooks and ignore files.
    "pointer": plain(
        ".json", (2_000, '{"a":'), '"', (3_000_000, "x"), '"', (2_000, "}"), at="1" + "/a" * 2_000,
    ),
    "records": plain(".json", "[[", (2_000_000, '["a",[3]],'), "0]]", kind="records"),
    "brackets": plain(".json", (3_000_000, "["), (3_000_000, "]"), kind="records"),
    "empty cells": plain(".ipynb", NOTEBOOK, (1_300_000, "{},"), "{}", END_NOTEBOOK),
    "texts of a cell": plain(".ipynb", NOTEBOOK, CELL, (1_300_000, '"",'), '""]}', END_NOTEBOOK),
    "lines of a cell": plain(".ipynb", NOTEBOOK, CELL, '"', (2_000_000, "\\n"), '"]}', END_NOTEBOOK),
    "outputs": plain(".ipynb", NOTEBOOK, CELL, '],"outputs":[', (1_300_000, "{},"), "{}]}", END_NOTEBOOK),
    "data of outputs": plain(
        ".ipynb", NOTEBOOK, CELL, '],"outputs":[',
        (40_000, '{"output_type":"display_data","data":{"text/plain":[""],"a/{n}":[1]}},'), "{}]}",
        END_NOTEBOOK,
    ),
    "question marks": plain("", (130_000, "?")),
    "patterns": plain("", (32_000, "*a*\n")),
    "stars": plain("", (600, (100, "*a"), "\n")),
    "classes": plain("", (5_000, "[!a-z]*[b-y]**/[a]\n")),
}  # fmt: skip
"""All files by name."""
