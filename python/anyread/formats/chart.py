"""The points of one chart of a document, a workbook or a presentation: `at="chart 2"`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from anyread._native import chart_points
from anyread.arguments.request import ARGUMENTS
from anyread.errors import NoSuchNameError

from .fallback import unchanged
from .parts import Part, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.results import Page

    from .parts import How

_POINTS_AT_ONCE = 128


class PointPart(Part):
    """The values of all series at one point, as the row of a table."""

    __slots__ = ("_head",)

    def __init__(self, number: int, row: str, head: str) -> None:
        super().__init__(number, [row])
        self._head = head

    @property
    def head(self) -> str:
        return self._head


class ChartParts(Parts[PointPart]):
    """The points of the chart that a call names.

    Raises:
        NoSuchNameError: There is no such chart.
        BadArgumentError: The call also chooses pages, or a region.
    """

    unit = ("point", "points")
    without = frozenset({"pages"})

    def __init__(
        self, opened: Opened, request: Request, how: How, page: Callable[..., Page], number: int
    ) -> None:
        self._opened, self._how, self._page, self._number = opened, how, page, number
        for name in ("pages", "region"):
            if request[name] is not None:
                raise ARGUMENTS[name].refusal(opened.path, request[name], "omitted together with `at`")
        self.most = how.limits.max_lines
        self._above, _, self.count = self._points(1, 1)

    def _points(self, first: int, most: int) -> tuple[str, Sequence[str], int]:
        with unchanged(self._opened):
            found = self._how.native(chart_points)(
                self._opened,
                self._number,
                first=first,
                most=most,
                max_inflated_bytes=self._how.limits.max_inflated_bytes,
                cancel=self._how.cancel,
            )
        if found is None:
            raise NoSuchNameError(self._opened.path, value=f"chart {self._number}", unit="chart")
        return found

    def shows(self, number: int) -> bool:
        return self._how.gutter.shows(number)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[PointPart]:
        rows: Sequence[str] = ()
        first = 0
        for number in numbers:
            if not first <= number < first + len(rows):
                _, (_, rows, _) = self._how.in_time(_POINTS_AT_ONCE, partial(self._points, number))
                if not rows:
                    return
                is_first, first = not first, number
                gap = f"{self._above}\n" if is_first else ""
            part = PointPart(number, rows[number - first], self._how.gutter.before(number))
            part.gap, gap = gap, ""
            yield part.since(column)
            column = 1

    def nothing(self) -> str:
        return self._above

    def page(self, parts: Sequence[PointPart], common: dict[str, Any]) -> Page:
        return self._page(**common)
