"""Office documents: the paragraphs of a .docx file as parts (a trial format)."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from anyread.errors import DamagedFileError
from anyread.formats.fallback import require_size, unchanged
from anyread.formats.parts import Part, PlainParts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anyread._native import Opened
    from anyread.arguments import Request
    from anyread.formats.parts import How

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def open(opened: Opened, _request: Request, how: How) -> DocumentParts:
    """Parse a document.

    Raises:
        DamagedFileError: It is no document.
    """
    require_size(opened, how.limits.max_notebook_bytes)
    with unchanged(opened):
        data = opened.read_at(0, opened.size_bytes)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            root = ElementTree.fromstring(archive.read("word/document.xml"))  # noqa: S314 - a sketch
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise DamagedFileError(opened.path, media_type=opened.media_type, reason=str(error)) from error
    texts = ["".join(text.text or "" for text in each.iter(f"{_W}t")) for each in root.iter(f"{_W}p")]
    return DocumentParts(texts)


class DocumentParts(PlainParts):
    """The paragraphs of a document, numbered as lines are."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self.count = len(texts)

    def facts(self) -> Mapping[str, object]:
        return {"paragraphs": self.count}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Part]:
        for number in numbers:
            yield Paragraph(number, [self._texts[number - 1]]).since(column)
            column = 1


class Paragraph(Part):
    """A paragraph with its number."""

    __slots__ = ()

    @property
    def head(self) -> str:
        return f"{self.number}\t"
