"""Workbooks, documents and slides as zip files, without compression and without the time of day."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_TREE = (
    '<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr>'
    "<p:grpSpPr/>%s</p:spTree></p:cSld>"
)


class Formula(NamedTuple):
    """A cell with a formula, and its value."""

    text: str
    value: float


def column_name(index: int) -> str:
    """Return the letters of a column that counts from 0, up to 26 columns."""
    return chr(ord("A") + index)


def write_workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> dict[str, str]:
    """Write a workbook; the truth has each cell as `Sheet!A1`, a formula with its `=`."""
    truth, parts, kinds, links = {}, {}, {}, []
    for number, (name, rows) in enumerate(sheets.items(), 1):
        lines = []
        for row, cells in enumerate(rows, 1):
            shown = []
            for index, value in enumerate(cells):
                if value is None:
                    continue
                if isinstance(value, float) and value.is_integer():
                    value = int(value)  # noqa: PLW2901 - what the cell shows
                at = f"{column_name(index)}{row}"
                truth[f"{name}!{at}"] = f"={value.text}" if isinstance(value, Formula) else str(value)
                shown.append(_cell(at, value))
            lines.append(f'<row r="{row}">{"".join(shown)}</row>')
        data = f'<worksheet xmlns="{_SHEET}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
        parts[f"xl/worksheets/sheet{number}.xml"] = data
        kinds[f"xl/worksheets/sheet{number}.xml"] = f"{_TYPES}.spreadsheetml.worksheet+xml"
        links.append((f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml"))
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(sheets, 1)
    )
    parts["xl/workbook.xml"] = (
        f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    )
    kinds["xl/workbook.xml"] = f"{_TYPES}.spreadsheetml.sheet.main+xml"
    parts["xl/_rels/workbook.xml.rels"] = _relations(links)
    _write(path, "xl/workbook.xml", parts, kinds)
    return truth


def _cell(at: str, value: Any) -> str:
    if isinstance(value, Formula):
        return f'<c r="{at}"><f>{escape(value.text)}</f><v>{value.value}</v></c>'
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def write_document(path: Path, paragraphs: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Write a document of paragraphs, each with its level of heading or 0; the truth counts them from 1."""
    body = "".join(
        "<w:p>"
        + (f'<w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr>' if level else "")
        + f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
        for level, text in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in (1, 2)
    )
    normal = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    parts = {
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}<w:sectPr/></w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{normal}{styles}</w:styles>',
        "word/_rels/document.xml.rels": _relations([("rId1", "styles", "styles.xml")]),
    }
    kinds = {
        "word/document.xml": f"{_TYPES}.wordprocessingml.document.main+xml",
        "word/styles.xml": f"{_TYPES}.wordprocessingml.styles+xml",
    }
    _write(path, "word/document.xml", parts, kinds)
    return {str(number): text for number, (_, text) in enumerate(paragraphs, 1)}


def write_slides(path: Path, slides: Sequence[tuple[str, Sequence[str], str]]) -> dict[str, str]:
    """Write slides of a title, a list and notes; the truth has `slide/title`, `slide/1` and `slide/notes`."""
    empty = f'xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}" xmlns:p="{_SLIDE}"'
    colors = " ".join(f'{n}="{n}"' for n in ("bg1", "tx1", "bg2", "tx2", "hlink", "folHlink"))
    accents = " ".join(f'accent{n}="accent{n}"' for n in range(1, 7))
    mapping = f"<p:clrMap {colors} {accents}/>".replace('bg1="bg1"', 'bg1="lt1"').replace(
        'tx1="tx1"', 'tx1="dk1"'
    )
    mapping = mapping.replace('bg2="bg2"', 'bg2="lt2"').replace('tx2="tx2"', 'tx2="dk2"')
    master = "ppt/slideMasters/slideMaster1.xml"
    layout = "ppt/slideLayouts/slideLayout1.xml"
    notes_master = "ppt/notesMasters/notesMaster1.xml"
    layouts = '<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'
    parts = {
        master: f"<p:sldMaster {empty}>{_TREE % ''}{mapping}{layouts}</p:sldMaster>",
        layout: f"<p:sldLayout {empty}>{_TREE % ''}</p:sldLayout>",
        notes_master: f"<p:notesMaster {empty}>{_TREE % ''}{mapping}</p:notesMaster>",
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": _relations(
            [("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml")]
        ),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _relations(
            [("rId1", "slideMaster", "../slideMasters/slideMaster1.xml")]
        ),
    }
    kinds = {
        master: f"{_TYPES}.presentationml.slideMaster+xml",
        layout: f"{_TYPES}.presentationml.slideLayout+xml",
        notes_master: f"{_TYPES}.presentationml.notesMaster+xml",
    }
    links = [("rId1", "slideMaster", "slideMasters/slideMaster1.xml"),
             ("rId2", "notesMaster", "notesMasters/notesMaster1.xml")]  # fmt: skip
    truth, listed = {}, []
    for number, (title, body, notes) in enumerate(slides, 1):
        truth[f"{number}/title"], truth[f"{number}/notes"] = title, notes
        truth |= {f"{number}/{index}": text for index, text in enumerate(body, 1)}
        name, note = f"ppt/slides/slide{number}.xml", f"ppt/notesSlides/notesSlide{number}.xml"
        shapes = _shape(2, "title", 0, [title]) + _shape(3, "body", 1, body)
        parts[name] = f"<p:sld {empty}>{_TREE % shapes}</p:sld>"
        parts[note] = f"<p:notes {empty}>{_TREE % _shape(2, 'body', 1, [notes])}</p:notes>"
        kinds[name] = f"{_TYPES}.presentationml.slide+xml"
        kinds[note] = f"{_TYPES}.presentationml.notesSlide+xml"
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations([
            ("rId1", "slideLayout", "../slideLayouts/slideLayout1.xml"),
            ("rId2", "notesSlide", f"../notesSlides/notesSlide{number}.xml"),
        ])  # fmt: skip
        parts[f"ppt/notesSlides/_rels/notesSlide{number}.xml.rels"] = _relations([
            ("rId1", "notesMaster", "../notesMasters/notesMaster1.xml"),
            ("rId2", "slide", f"../slides/slide{number}.xml"),
        ])  # fmt: skip
        links.append((f"rId{number + 2}", "slide", f"slides/slide{number}.xml"))
        listed.append(f'<p:sldId id="{255 + number}" r:id="rId{number + 2}"/>')
    parts["ppt/presentation.xml"] = (
        f'<p:presentation {empty}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/>'
        f"</p:sldMasterIdLst>"
        f'<p:notesMasterIdLst><p:notesMasterId r:id="rId2"/></p:notesMasterIdLst>'
        f'<p:sldIdLst>{"".join(listed)}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
        '<p:notesSz cx="6858000" cy="9144000"/></p:presentation>'
    )
    kinds["ppt/presentation.xml"] = f"{_TYPES}.presentationml.presentation.main+xml"
    parts["ppt/_rels/presentation.xml.rels"] = _relations(links)
    _write(path, "ppt/presentation.xml", parts, kinds)
    return truth


def _shape(number: int, kind: str, index: int, paragraphs: Sequence[str]) -> str:
    text = "".join(f"<a:p><a:r><a:t>{escape(each)}</a:t></a:r></a:p>" for each in paragraphs)
    placeholder = f'<p:ph type="{kind}"' + (f' idx="{index}"' if index else "") + "/>"
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{kind} {number}"/><p:cNvSpPr/>'
        f"<p:nvPr>{placeholder}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>{text}</p:txBody></p:sp>"
    )


def _relations(links: Sequence[tuple[str, str, str]]) -> str:
    each = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, kind, target in links
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'


def _write(path: Path, main: str, parts: dict[str, str], kinds: dict[str, str]) -> None:
    overrides = "".join(f'<Override PartName="/{n}" ContentType="{kind}"/>' for n, kind in kinds.items())
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )
    first = {"[Content_Types].xml": types, "_rels/.rels": _relations([("rId1", "officeDocument", main)])}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, text in {**first, **parts}.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            packed.writestr(entry, _XML + text)
