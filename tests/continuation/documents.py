"""Word documents, of which the parts are lines, and presentations, of which they are slides."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from continuation.texts import counted

TYPE = "application/vnd.openxmlformats-officedocument.{}.main+xml"
LAYOUT = "L"
"""The name of the layout of all slides."""


def random_lines(chance: random.Random, *, is_small: bool) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Make up the characters of each line, and no address."""
    lengths = [0, 1, 3, 12] if is_small else [0, 0, 1, 40, 80, 300, 2_500]
    if chance.random() < 0.3:
        lengths = [0, 0, 1, *(chance.randint(20, 2_000) for _ in range(4))]
    most = chance.choice([1, 4] if is_small else [1, 9, 60, 700])
    return tuple((chance.choice(lengths),) for _ in range(most)), ""


def random_slides(chance: random.Random, *, is_small: bool) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Make up the lines of each slide and of its notes, and no address."""
    lines = [0, 1, 2] if is_small else [0, 1, 4, 30, 200]
    slides = range(chance.randint(1, 3 if is_small else 8))
    return tuple((chance.choice(lines), chance.choice([0, 0, 1, 5])) for _ in slides), ""


def lines_of(parts: Sequence[Sequence[int]]) -> list[str]:
    """Return the lines of a document, of which the first one is never empty."""
    lengths = [length for (length,) in parts]
    return [
        counted(f"{number}:", length if number > 1 else max(1, length), ".é日😀")
        for number, length in enumerate(lengths, 1)
    ]


def write_document(path: Path, parts: Sequence[Sequence[int]], _at: str) -> None:
    """Write a document: an empty line between two others separates paragraphs; all others are in one."""
    lines = lines_of(parts)
    paragraphs = [lines[:1]]
    for line, following in pairwise([*lines[1:], ""]):
        if line or not following:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    body = "".join(
        f"<w:p><w:r>{'<w:br/>'.join(f'<w:t>{line}</w:t>' for line in paragraph)}</w:r></w:p>"
        for paragraph in paragraphs
    )
    main = f"<w:document><w:body>{body}</w:body></w:document>"
    _write(path, "wordprocessingml.document", {"document.xml": main})


def write_slides(path: Path, parts: Sequence[Sequence[int]], _at: str) -> None:
    """Write a presentation; each slide has a title, lines below it, and perhaps notes."""
    slides = [f"s{number}.xml" for number in range(1, len(parts) + 1)]
    ids = "".join(f"<sldId r:id='{slide}'/>" for slide in slides)
    found = {
        "p.xml": f"<presentation><sldIdLst>{ids}</sldIdLst></presentation>",
        "_rels/p.xml.rels": _relations([(slide, "slide", slide) for slide in slides]),
        "layout.xml": f"<sldLayout><cSld name='{LAYOUT}'/></sldLayout>",
    }
    for number, (lines, notes) in enumerate(parts, 1):
        shapes = _shape(number, 1, "t", "<nvPr><ph type='title'/></nvPr>") + _shape(number, lines, "l")
        found[f"s{number}.xml"] = f"<sld><cSld><spTree>{shapes}</spTree></cSld></sld>"
        related = [("l", "slideLayout", "layout.xml")]
        if notes:
            found[f"n{number}.xml"] = f"<notes>{_shape(number, notes, 'n')}</notes>"
            related.append(("n", "notesSlide", f"n{number}.xml"))
        found[f"_rels/s{number}.xml.rels"] = _relations(related)
    _write(path, "presentationml.presentation", found)


def _shape(number: int, lines: int, name: str, properties: str = "") -> str:
    texts = (counted(f"{name}{number}l{line} ", 20 + line * 37 % 400, ".é日😀") for line in range(lines))
    paragraphs = "".join(f"<p><r><t>{text}</t></r></p>" for text in texts)
    return f"<sp>{properties}<txBody>{paragraphs}</txBody></sp>"


def _relations(relations: Sequence[tuple[str, str, str]]) -> str:
    found = (f"<Relationship Id='{name}' Type='x/{kind}' Target='{to}'/>" for name, kind, to in relations)
    return f"<Relationships>{''.join(found)}</Relationships>"


def _write(path: Path, kind: str, parts: dict[str, str]) -> None:
    """Write a package that begins with the first part."""
    main = next(iter(parts))
    types = f"<Types><Override PartName='/{main}' ContentType='{TYPE.format(kind)}'/></Types>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", types)
        package.writestr("_rels/.rels", _relations([("r", "officeDocument", main)]))
        for name, content in parts.items():
            package.writestr(name, content)
