"""A format made for the tests: compressed records, whose number is known only at their end."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anyread.formats.parts import Part, Parts
from anyread.results.parts import PartsPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.formats.parts import How

SEPARATOR = b"\x1e"
_CHUNK_BYTES = 4_096


def parts_of(opened: Opened, _request: Request | None, _how: How) -> Records:
    """Begin to read records."""
    return Records(opened)


class Records(Parts["Record"]):
    """Records, each of which ends with a separator."""

    count = None

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def _texts(self) -> Iterator[str]:
        stream, offset, rest = zlib.decompressobj(wbits=31), 0, b""
        while data := self._opened.read_at(offset, _CHUNK_BYTES):
            offset += len(data)
            *records, rest = (rest + stream.decompress(data)).split(SEPARATOR)
            for record in records:
                yield record.decode()

    def counted(self) -> int:
        return sum(1 for _ in self._texts())

    def facts(self) -> Mapping[str, object]:
        return {"packed_with": "gzip"}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Record]:
        texts, last = self._texts(), 0
        for number in numbers:
            for text in texts:
                last += 1
                if last == number:
                    yield Record(number, [text]).since(column)
                    column = 1
                    break
            else:
                self.count = last
                return

    def page(self, _parts: object, common: dict[str, Any]) -> RecordsPage:
        return RecordsPage(**common)


class Record(Part):
    """A record with its number."""

    __slots__ = ()

    @property
    def head(self) -> str:
        return f"{self.number}\t"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RecordsPage(PartsPage):
    """Records of a stream."""

    kind: ClassVar[Any] = "records"
    unit: ClassVar[tuple[str, str]] = ("record", "records")
