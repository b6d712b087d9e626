"""A format made for the tests: the pages of an album, each a line of text and a PNG."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anyread.errors import DamagedFileError
from anyread.formats.fallback import unchanged
from anyread.formats.parts import Part
from anyread.formats.pictures import MarkedParts, PackageImage
from anyread.results.parts import PartsPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.formats.parts import How
    from anyread.results.notices import Notice

MAGIC = b"ALBUM\0"
LENGTHS = struct.Struct(">II")
"""What precedes each page: the lengths of its text and of its image."""


class Pages(MarkedParts["Page"]):
    """The pages of an album."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        super().__init__(opened, request, how)
        with unchanged(opened):
            self._data = opened.read_at(0, opened.size_bytes)
        if not self._data.startswith(MAGIC):
            raise DamagedFileError(opened.path, media_type=opened.media_type, reason="it is no album")
        self._pages: list[tuple[str, bytes]] = []
        at = len(MAGIC)
        while at < len(self._data):
            text, image = LENGTHS.unpack_from(self._data, at)
            at += LENGTHS.size
            page = self._data[at : at + text].decode(), self._data[at + text : at + text + image]
            self._pages.append(page)
            at += text + image
        self.count = len(self._pages)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Page]:
        for number in numbers:
            text, data = self._pages[number - 1]
            width, height = struct.unpack_from(">II", data, 16)
            image = PackageImage(str(number), "image/png", (width, height), len(data))
            yield Page(number, [f"{text}\n{image.mark(1)}", self._marked(image), "\n"]).since(column)
            column = 1

    def _content(self, part: str) -> bytes:
        return self._pages[int(part) - 1][1]

    def notices(self, parts: Sequence[Page], _chosen: object) -> list[Notice]:
        return self._images_left_out(parts, "pages")

    def page(self, parts: Sequence[Page], common: dict[str, Any]) -> AlbumPage:
        return AlbumPage(**self._complete(parts, common))

    def facts(self) -> Mapping[str, object]:
        return {"images": self.count}


parts_of = Pages


class Page(Part):
    """A page with its number."""

    __slots__ = ()

    @property
    def head(self) -> str:
        return f"{self.number}\t"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class AlbumPage(PartsPage):
    """Pages of an album."""

    kind: ClassVar[Any] = "album"
    unit: ClassVar[tuple[str, str]] = ("page", "pages")
