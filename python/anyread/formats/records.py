"""Records of JSON: the core finds and shows values, and this module makes parts of them.

What an address leads to decides what the parts are: the records of the file, the entries of a list or an
object, the lines of a string, or one value. The reasons are in docs/design/021-records.md.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from anyread._native import Json, Layout
from anyread.arguments.request import ReadArguments
from anyread.errors import BadArgumentError, NoSuchPartError, WrongKindError
from anyread.results.notices import make_notice
from anyread.results.records import Record, RecordsPage
from anyread.values import replaced

from .fallback import unchanged
from .parts import Part, Parts, continuation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import JsonRow, Opened
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How
    from .selection import Selection

_LINES = Layout(line_ends="lf", clip_length=1, total="known")
"""For looking up where a line begins."""
_NAMES_OF_LINES = {".jsonl", ".ndjson", ".jsonlines"}
_UNITS = {
    "records": ("record", "records"),
    "list": ("entry", "entries"),
    "object": ("entry", "entries"),
    "string": ("line", "lines"),
    "scalar": ("value", "values"),
}
_FIRST_ROWS = 16
"""How many rows are shown at first if the call does not say how many it wants; then twice as many each time."""


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Find what an address leads to.

    Raises:
        WrongKindError: The file is no text.
        BadArgumentError: The address cannot be parsed.
        NoSuchPartError: It leads nowhere.
        FileChangedError: The file changed meanwhile.
    """
    if not opened.is_text:
        raise WrongKindError(opened.path, argument="kind", kind="binary")
    with unchanged(opened, may_grow=True):
        return _Address(opened, request, how).parts()


class _Address:
    """What an address leads to in a file."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        self._opened, self._request, self._how = opened, request, how
        is_lines = PurePath(opened.path).suffix.lower() in _NAMES_OF_LINES
        self.json = Json(opened, is_named_lines=is_lines, cancel=how.cancel)

    def parts(self) -> Parts[Any]:
        at = (self._request and self._request["at"]) or ""
        try:
            number, steps = Json.parse(at)
        except ValueError:
            reason = 'an address such as "17/output" (of record 17) or "/steps/12" (of the whole file)'
            raise BadArgumentError(self._opened.path, argument="at", value=at, reason=reason) from None
        json = self.json
        if number is None and not steps:
            return RowParts(self._opened, self._request, self._how, json, "records", json.form, json.begin, at)
        begin = json.begin if number is None else self._begin_of(number, at)
        if number is None and json.form != "list" and json.find("sequence", begin, 2, cancel=self._how.cancel)[0]:
            reason = f'the number of a record, and an address in it: "1{at}"'
            raise BadArgumentError(self._opened.path, argument="at", value=at, reason=reason)
        try:
            value, begin, is_duplicate = json.follow(begin, steps, cancel=self._how.cancel)
        except LookupError as error:
            known, kind, items, names = error.args
            raise NoSuchPartError(
                self._opened.path,
                value=at,
                last=_written(number, steps[:known]),
                kind=kind,
                count=items,
                near=tuple(names),
            ) from None
        if value == "string":
            return StringParts(self._opened, self._request, self._how, json, begin, at, is_duplicate)
        kind = value if value in {"list", "object"} else "scalar"
        return RowParts(self._opened, self._request, self._how, json, kind, kind, begin, at, is_duplicate)

    def _begin_of(self, number: int, at: str) -> int:
        json, opened = self.json, self._opened
        if json.form == "lines":
            found = _line_begin(opened, number, self._how)
            total = _line_count(opened, self._how) if found is None else None
        else:
            found, total = json.find(json.form, json.begin, number, cancel=self._how.cancel)
        if found is None:
            raise NoSuchPartError(opened.path, value=at, last="", kind="records", count=total)
        return found


def _line_begin(opened: Opened, number: int, how: How) -> int | None:
    """Return where a line begins; `None` after the last one."""
    window = opened.window(number, 1, _LINES, cancel=how.cancel, may_wait=True)
    return window.start_byte if window.start_byte < window.end_byte else None


def _line_count(opened: Opened, how: How) -> int:
    layout = Layout(line_ends="lf", clip_length=1)
    return opened.window(1, 1, layout, cancel=how.cancel, may_wait=True).total_lines or 0


def _written(number: int | None, steps: Sequence[str]) -> str:
    address = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    return f"{'' if number is None else number}{address}"


class RowPart(Part):
    """A record or an entry as one line."""

    __slots__ = ("row", "_head")

    def __init__(self, row: JsonRow | None, number: int, text: str, head: str) -> None:
        super().__init__(number, [text])
        self.row, self._head = row, head

    @property
    def head(self) -> str:
        return self._head


class _JsonParts(Parts[RowPart]):
    """What all values have in common."""

    def __init__(
        self,
        opened: Opened,
        request: Request | None,
        how: How,
        json: Json,
        value: str,
        begin: int,
        at: str,
        is_duplicate: bool = False,
    ) -> None:
        self._opened, self._how, self._json = opened, how, json
        self._form = json.form
        self._value, self._begin, self._at, self._is_duplicate = value, begin, at, is_duplicate
        self._wanted = (request and request["limit"]) or 0
        self.unit = _UNITS[value]
        self.most = how.limits.max_lines
        self.count: int | None = None
        self._is_lossy = self._is_odd = self._is_torn = False

    def close(self) -> None:
        # The file is closed by its reader.
        del self._json

    def facts(self) -> Mapping[str, object]:
        return {"records_form": self._form, "records": self.count}

    def notices(self, parts: Sequence[RowPart], chosen: Selection) -> list[Notice]:
        notices = []
        if self._is_duplicate:
            notices.append(make_notice("duplicate_key", at=self._at))
        if self._is_lossy:
            notices.append(make_notice("lossy", encoding="utf-8"))
        if any(part.row is not None and part.row.is_odd for part in parts):
            notices.append(make_notice("not_strict"))
        wrong = [part.number for part in parts if part.row is not None and part.row.wrong_at is not None]
        if wrong:
            notices.append(make_notice("not_json", rows=wrong, unit=list(self.unit)))
        if any(part.row is not None and part.row.is_torn for part in parts):
            notices.append(make_notice("torn_record"))
        return notices

    def marks(self, parts: Sequence[RowPart]) -> list[str]:
        clipped = sum(part.row is not None and part.row.is_clipped for part in parts)
        marks = [f"{clipped:,} clipped"] if clipped else []
        if any(part.row is not None and part.row.is_torn for part in parts):
            marks.append("the last record is torn")
        return marks

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> RecordsPage:
        records = tuple(
            Record(
                part.number,
                None if part.row is None else part.row.name,
                "".join(piece for piece in part.pieces if isinstance(piece, str)),
                part.row is not None and part.row.is_clipped,
                None if part.row is None else part.row.wrong_at,
            )
            for part in parts
        )
        return RecordsPage(**common, form=self._form, at=self._at, value=self._value, records=records)


class RowParts(_JsonParts):
    """The records of a file, the entries of a container, or one value."""

    def __init__(
        self,
        opened: Opened,
        request: Request | None,
        how: How,
        json: Json,
        value: str,
        of: str,
        begin: int,
        at: str,
        is_duplicate: bool = False,
    ) -> None:
        super().__init__(opened, request, how, json, value, begin, at, is_duplicate)
        self._of = of
        if value == "scalar":
            self.count = 1

    def counted(self) -> int:
        if self._of == "lines":
            return _line_count(self._opened, self._how)
        return self._json.count(self._of, self._begin, cancel=self._how.cancel)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        rows: dict[int, JsonRow] = {}
        size, last = self._wanted or _FIRST_ROWS, 0
        for number in numbers:
            if number > last:
                if self.count is not None and number > self.count:
                    return
                rows, last = self._fetched(number, size), number + size - 1
                if rows:
                    last = max(rows) if self.count is None else self.count
                elif self.count is not None:
                    return
                size *= 2
            row = rows.get(number)
            # A blank line is no record.
            if row is not None:
                yield self._part(row).since(column)
                column = 1

    def _fetched(self, number: int, size: int) -> dict[int, JsonRow]:
        how, begin = self._how, self._begin
        with unchanged(self._opened, may_grow=self._form == "lines"):
            if self._value == "scalar":
                found = [self._json.value(begin, how.limits.max_line_chars, cancel=how.cancel)], 1
            else:
                if self._of == "lines":
                    start = _line_begin(self._opened, number, how)
                    if start is None:
                        self.count = self.counted()
                        return {}
                    begin = start
                found = self._json.rows(
                    self._of,
                    begin,
                    first=number,
                    rows=size,
                    chars=how.limits.max_line_chars,
                    max_bytes=how.limits.max_bytes,
                    cancel=how.cancel,
                )
        rows, total = found
        if total is not None:
            self.count = total
        return {row.number: row for row in rows}

    def _part(self, row: JsonRow) -> RowPart:
        self._is_lossy |= row.is_lossy
        if self._value == "records":
            head = self._how.gutter.before(row.number)
        elif self._value == "scalar":
            head = ""
        else:
            head = f"/{row.number - 1 if row.name is None else row.name}\t"
        if row.wrong_at is not None:
            head += f"not JSON at character {row.wrong_at:,}: "
        return RowPart(row, row.number, row.text, head)


class StringParts(_JsonParts):
    """The lines of a string."""

    def __init__(
        self,
        opened: Opened,
        request: Request | None,
        how: How,
        json: Json,
        begin: int,
        at: str,
        is_duplicate: bool,
    ) -> None:
        super().__init__(opened, request, how, json, "string", begin, at, is_duplicate)
        self._clipped: list[tuple[int, int]] = []

    def counted(self) -> int:
        found = self._lines(1 << 53, 1, column=1, chars=1)
        return found[1] or 0

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        limits = self._how.limits
        lines: dict[int, tuple[str, int]] = {}
        size, last = self._wanted or _FIRST_ROWS, 0
        for number in numbers:
            if number > last:
                if self.count is not None and number > self.count:
                    return
                # Where a page goes on inside a line, the line is shown as far as the page has room.
                chars = limits.max_line_chars if column == 1 else limits.max_bytes
                found, total, is_lossy = self._lines(number, 1 if column > 1 else size, column=column, chars=chars)
                self._is_lossy |= is_lossy
                if total is not None:
                    self.count = total
                if not found:
                    return
                lines, last = {line: (text, chars) for line, text, chars in found}, found[-1][0]
                size *= 2
            text, chars = lines[number]
            part = RowPart(None, number, text, self._how.gutter.before(number))
            if column > 1:
                part.column, part.characters = column, chars
            elif chars > len(text):
                part.show([f"{text}… (+{chars - len(text):,} chars)"], None)
                self._clipped.append((number, len(text) + 1))
            yield part
            column = 1

    def _lines(
        self, first: int, lines: int, *, column: int, chars: int
    ) -> tuple[list[tuple[int, str, int]], int | None, bool]:
        how = self._how
        with unchanged(self._opened, may_grow=self._form == "lines"):
            return self._json.string_lines(
                self._begin,
                first=first,
                lines=lines,
                column=column,
                chars=chars,
                max_bytes=how.limits.max_bytes,
                cancel=how.cancel,
            )

    def marks(self, parts: Sequence[RowPart]) -> list[str]:
        clipped = len(self._shown_clipped(parts))
        return [f"{clipped:,} clipped"] if clipped else []

    def _shown_clipped(self, parts: Sequence[RowPart]) -> list[tuple[int, int]]:
        shown = {part.number for part in parts}
        return [found for found in self._clipped if found[0] in shown]

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> RecordsPage:
        page = super().page(parts, common)
        clipped = tuple(
            continuation(self._opened, ReadArguments(at=self._at, offset=line, column=column, limit=1))
            for line, column in self._shown_clipped(parts)
        )
        return replaced(page, clipped=clipped) if clipped else page
