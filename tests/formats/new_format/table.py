"""A format made for the tests: the rows of a text, such as a table of CSV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from anyread.formats.fallback import unchanged
from anyread.formats.parts import Part, Parts
from anyread.results.parts import PartsPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.formats.parts import How


def parts_of(opened: Opened, _request: Request | None, _how: How) -> Rows:
    """Read a text."""
    with unchanged(opened):
        return Rows(opened.read_at(0, opened.size_bytes).decode().split("\n")[:-1])


class Rows(Parts["Row"]):
    """The lines of a text."""

    are_lines = True

    def __init__(self, texts: list[str]) -> None:
        self._texts, self.count = texts, len(texts)

    def facts(self) -> Mapping[str, object]:
        return {"rows": self.count}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Row]:
        for number in numbers:
            yield Row(number, [self._texts[number - 1]]).since(column)
            column = 1

    def page(self, _parts: object, common: dict[str, Any]) -> TablePage:
        return TablePage(**common)


class Row(Part):
    """A row with its number."""

    __slots__ = ()

    @property
    def head(self) -> str:
        return f"{self.number}\t"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TablePage(PartsPage):
    """Rows of a text."""

    kind: ClassVar[Any] = "table"
    unit: ClassVar[tuple[str, str]] = ("row", "rows")
