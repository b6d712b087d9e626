"""A format made for the tests: the paragraphs of a letter, as XML in a zip file."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree import ElementTree as ET

from anyread.errors import DamagedFileError
from anyread.formats.fallback import require_size, unchanged
from anyread.formats.parts import Part, Parts
from anyread.results.parts import PartsPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.formats.parts import How

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def parts_of(opened: Opened, _request: Request | None, how: How) -> Paragraphs:
    """Parse a document.

    Raises:
        DamagedFileError: It is no document.
    """
    require_size(opened, how.limits.max_notebook_bytes)
    with unchanged(opened):
        data = opened.read_at(0, opened.size_bytes)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            root = ET.fromstring(archive.read("word/document.xml"))
    except (zipfile.BadZipFile, KeyError, ET.ParseError) as error:
        raise DamagedFileError(opened.path, media_type=opened.media_type, reason=str(error)) from error
    return Paragraphs(["".join(t.text or "" for t in each.iter(f"{W}t")) for each in root.iter(f"{W}p")])


class Paragraphs(Parts["Paragraph"]):
    """The paragraphs of a document, numbered as lines are."""

    def __init__(self, texts: list[str]) -> None:
        self._texts, self.count = texts, len(texts)

    def facts(self) -> Mapping[str, object]:
        return {"paragraphs": self.count}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Paragraph]:
        for number in numbers:
            yield Paragraph(number, [self._texts[number - 1]]).since(column)
            column = 1

    def page(self, _parts: object, common: dict[str, Any]) -> DocumentPage:
        return DocumentPage(**common)


class Paragraph(Part):
    """A paragraph with its number."""

    __slots__ = ()

    @property
    def head(self) -> str:
        return f"{self.number}\t"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DocumentPage(PartsPage):
    """Paragraphs of a document."""

    kind: ClassVar[Any] = "letter"
    unit: ClassVar[tuple[str, str]] = ("paragraph", "paragraphs")
