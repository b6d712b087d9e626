"""JSON records: the core finds and shows values, and this module makes parts of them.

What an address leads to decides what the parts are: the records of the file, the entries of a list or an
object, the lines of a string, or one value. The reasons are in docs/design/021-records.md.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial
from json import dumps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from anyread._native import Json, Layout, detect_encoding
from anyread.arguments.request import ReadArguments
from anyread.arguments.settings import LARGEST
from anyread.errors import (
    BadArgumentError,
    FileChangedError,
    NoSuchPartError,
    NotOneValueError,
    UnsupportedFormatError,
    WrongKindError,
)
from anyread.errors.base import counted, nearest
from anyread.results.notices import make_notice
from anyread.results.records import JsonRecord, RecordsPage, Value
from anyread.values import replaced

from .json_paths import pointer
from .parts import LONG_LINE, Part, Parts, continuation, near_hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import JsonRow, Opened, Pattern
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
_BEGINNING = re.compile(rb"(\xef\xbb\xbf)?[ \t\r\n\x1e]*[\[{\"]")
"""How JSON begins."""
_LONGEST_NAME = 200
"""The most characters of a key that are shown; `JsonRecord.name` has all of them."""
_MOST_NEAR = 10
"""The most keys that an error has."""
_HEAD = 8_192
"""How many bytes the encoding is detected from."""
_RECORDS_AT_ONCE = 10_000
"""The most records that match of one search of the core."""
_VALUES_OF_RECORD = 20
"""The most values that match and are shown of a record."""
_Hit: TypeAlias = tuple[int, str | None, list[tuple[str, int, str, int, int]], int]
"""As of `Json.search`."""
_FIRST_ROWS = 16
"""How many rows are shown at first if the call does not say how many it wants; then always twice as many."""


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Find what an address leads to.

    Raises:
        WrongKindError: The file is no text, or in an encoding in which JSON is not read.
        BadArgumentError: The address cannot be parsed.
        NoSuchPartError: It leads nowhere.
        FileChangedError: The file changed meanwhile.
    """
    # NULs of a file that was not written to its end make no difference, but its first value does.
    head = b"" if opened.is_gzip else opened.read_at(0, _HEAD)
    kind = None if opened.is_text or _BEGINNING.match(head) else "binary"
    # The first character of JSON is of ASCII, so each encoding of two or four bytes has a NUL here.
    if opened.is_text and b"\0" in head[:4]:
        kind = f"text in {detect_encoding(head, None)[0]}"
    if kind is not None:
        argument = "kind" if request is None or request["kind"] is not None else "at"
        raise WrongKindError(opened.path, argument=argument, kind=kind)
    with _consistent(opened, may_grow=True):
        return _Address(opened, request, how).parts()


@contextmanager
def _consistent(opened: Opened, *, may_grow: bool) -> Iterator[None]:
    """Raise `FileChangedError` if the file has changed by the end of the block; perhaps it may grow."""
    yield
    if not opened.recheck() and not (may_grow and opened.current_size() > opened.size_bytes):
        raise FileChangedError(opened.path, change="rewritten")


def _json_of(opened: Opened, how: How) -> Json:
    """Open a file as JSON, or the text in a gzip file, which a decoder does not decompress."""
    if opened.is_gzip and how.core is not None:
        size, media_type = opened.size_bytes, opened.media_type
        raise UnsupportedFormatError(opened.path, media_type=media_type, size_bytes=size, compression="gzip")
    path = PurePath(opened.path)
    suffix = (path.with_suffix("") if opened.is_gzip else path).suffix
    return how.native(Json)(opened, is_named_lines=suffix.lower() in _NAMES_OF_LINES, cancel=how.cancel)


def named(opened: Opened, request: Request, how: How) -> tuple[Request, list[Notice]]:
    """Replace an address in another form than ours, such as `$.todos[0].status`.

    Raises:
        BadArgumentError: It names several values.
    """
    at = request["at"] or ""
    try:
        Json.parse(at)
    except ValueError:
        json = _json_of(opened, how)
        address, is_whole = pointer(at, is_list=json.form == "list")
        if not is_whole or not address:
            raise NotOneValueError(opened.path, value=at, begin=address) from None
        return {**request, "at": address}, [make_notice("translated_address", at=address)]
    return request, []


class _Found(NamedTuple):
    """What an address leads to."""

    value: Value
    begin: int
    """The offset of its first byte."""
    at: str
    is_duplicate: bool = False
    """Whether a key on the way occurs several times."""


class _Address:
    """A file, and how it is read."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        self.opened, self.how = opened, how
        self.at = "" if request is None else request["at"] or ""
        self.limit = None if request is None else request["limit"]
        self.is_window = request is None or request["ranges"] is None
        self.json = _json_of(opened, how)
        gzip = opened.gzip(how.cancel, may_wait=True)
        self.damage = None if gzip is None else gzip[1]

    def parts(self) -> Parts[Any]:
        """Return what the address leads to as parts."""
        at, json, path, cancel = self.at, self.json, self.opened.path, self.how.cancel
        try:
            number, steps = Json.parse(at)
        except ValueError:
            raise NotOneValueError(path, value=at, begin="") from None
        if number is None and not steps:
            return RowParts(self, _Found("records", json.begin, at), json.form)
        if number is not None:
            json, begin = self._record(number)
        elif json.form == "list" or json.find("sequence", json.begin, 2, cancel=cancel)[0] is None:
            begin = json.begin
        else:
            reason = f'the number of a record, and an address in it, such as "1{at}"'
            raise BadArgumentError(path, argument="at", value=at, reason=reason)
        # The values inside of a line end with it.
        self.json = json
        try:
            value, begin, is_duplicate = json.follow(begin, steps, cancel=cancel)
        except LookupError as error:
            known, kind, items, names = error.args
            last = _written(number, steps[:known])
            near = tuple(dict.fromkeys([*nearest(steps[known], names), *names]))[:_MOST_NEAR]
            raise NoSuchPartError(path, value=at, last=last, kind=kind, count=items, near=near) from None
        found = _Found(value, begin, at, is_duplicate)
        return StringParts(self, found) if value == "string" else RowParts(self, found, value)

    def _record(self, number: int) -> tuple[Json, int]:
        json, cancel = self.json, self.how.cancel
        if json.form == "lines":
            start = _line_begin(self.opened, number, self.how) if number <= LARGEST else None
            line = None if start is None else json.line(start, cancel=cancel)
            if line is not None:
                return line, line.begin
            total: int | None = _line_count(self.opened, self.how)
        else:
            found, total = json.find(json.form, json.begin, number, cancel=cancel)
            if found is not None:
                return json, found
        raise NoSuchPartError(self.opened.path, value=self.at, last="", kind="records", count=total)


def _line_begin(opened: Opened, number: int, how: How) -> int | None:
    """Return where a line begins; `None` after the last one."""
    window = opened.window(number, 1, _LINES, cancel=how.cancel, may_wait=True)
    return window.start_byte if window.start_byte < window.end_byte else None


def _line_count(opened: Opened, how: How) -> int:
    layout = Layout(line_ends="lf", clip_length=1)
    return opened.window(1, 1, layout, cancel=how.cancel, may_wait=True).total_lines or 0


def _shown_name(name: str) -> str:
    """Return a key as one line that fits on every page."""
    shown = re.sub(r"[\x00-\x1f]", lambda found: dumps(found[0])[1:-1], name[:_LONGEST_NAME])
    return f"{shown}…({len(name):,} chars)" if len(name) > _LONGEST_NAME else shown


def _written(number: int | None, steps: Sequence[str]) -> str:
    address = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    return f"{'' if number is None else number}{address}"


class RowPart(Part):
    """A record or an entry as one line."""

    __slots__ = ("_head", "row")

    def __init__(self, row: JsonRow | None, number: int, text: str, head: str) -> None:
        super().__init__(number, [text])
        self.row, self._head = row, head

    @property
    def is_clipped(self) -> bool:
        return self.row is not None and self.row.is_clipped

    @property
    def head(self) -> str:
        return self._head


class StringLine(Part):
    """A line of a string, or the part of it that a page begins with or that the core returned."""

    __slots__ = ("_head", "_whole", "line")
    row = None

    def __init__(self, number: int, line: str, whole: int, head: str, *, column: int) -> None:
        super().__init__(number, [line])
        self.line, self._whole, self._head = line, whole, head
        if column > 1:
            self.column, self.characters = column, whole
        elif self.is_clipped:
            self.show([f"{line}… (+{whole - len(line):,} chars)"], None)

    @property
    def is_clipped(self) -> bool:
        """Whether it is shortened because it is long; where a page goes on inside it, it is not."""
        return self.column == 1 and self.characters is None and self._whole > len(self.line)

    def within(self, most_bytes: int) -> None:
        # The next page goes on where the line is cut, so that nothing says how much is left out.
        if self.is_clipped:
            self.show([self.line], self._whole)
        super().within(most_bytes)

    @property
    def head(self) -> str:
        return self._head


_P = TypeVar("_P", bound=RowPart | StringLine)


class _JsonParts(Parts[_P]):
    """What all values have in common."""

    count: int | None = None

    def __init__(self, address: _Address, found: _Found) -> None:
        self._opened, self._how, self._json = address.opened, address.how, address.json
        self._damage = address.damage
        self._found, self._form = found, address.json.form
        self._rows_at_first = address.limit or _FIRST_ROWS
        self._is_window = address.is_window
        self.unit = _UNITS[found.value]
        self.most = address.how.limits.max_lines
        self._is_lossy = self._is_torn = self._is_odd = False

    def close(self) -> None:
        # The file is closed by its reader.
        del self._json

    def facts(self) -> Mapping[str, object]:
        return {"records_form": self._form, "records": self.counted()}

    def notices(self, parts: Sequence[_P], chosen: Selection) -> list[Notice]:
        notices = []
        if self._damage is not None:
            notices.append(make_notice("gzip_damaged", reason=self._damage))
        if self._found.is_duplicate:
            notices.append(make_notice("duplicate_key", at=self._found.at))
        if self._is_lossy:
            notices.append(make_notice("lossy", encoding="utf-8"))
        if self._is_odd or any(part.row is not None and part.row.is_odd for part in parts):
            notices.append(make_notice("not_strict"))
        wrong = [part.number for part in parts if part.row is not None and part.row.wrong_at is not None]
        if wrong:
            notices.append(make_notice("not_json", rows=wrong, unit=list(_UNITS[self._found.value])))
        if self._has_torn(parts):
            notices.append(make_notice("torn_record"))
        return notices

    def marks(self, parts: Sequence[_P]) -> list[str]:
        torn = ["the last record is torn"] if self._has_torn(parts) else []
        return super().marks(parts) + torn

    def _has_torn(self, parts: Sequence[_P]) -> bool:
        return self._is_torn or any(part.row is not None and part.row.is_torn for part in parts)

    def page(self, parts: Sequence[_P], common: dict[str, Any]) -> RecordsPage:
        records = tuple(
            JsonRecord(
                part.number,
                None if part.row is None else part.row.name,
                "".join(piece for piece in part.pieces if isinstance(piece, str)),
                part.row is not None and part.row.is_clipped,
                None if part.row is None else part.row.wrong_at,
            )
            for part in parts
        )
        return RecordsPage(
            **common, form=self._form, at=self._found.at, value=self._found.value, records=records
        )


class RowParts(_JsonParts[RowPart]):
    """The records of a file, the entries of a container, or one value."""

    def __init__(self, address: _Address, found: _Found, of: str) -> None:
        super().__init__(address, found)
        self._of = of
        self.shortens_hits = found.value != "scalar"
        if found.value == "scalar":
            self.count = 1

    def shows(self, number: int) -> bool:
        return self._how.pattern is not None or (
            self._found.value == "records" and self._how.gutter.shows(number)
        )

    def counted(self) -> int:
        if self._of == "lines":
            return _line_count(self._opened, self._how)
        return self._json.count(self._of, self._found.begin, cancel=self._how.cancel)

    def searched(self, chosen: Selection, pattern: Pattern, most: int | None) -> Iterator[tuple[int, int]]:
        if not self.shortens_hits:
            yield from super().searched(chosen, pattern, most)
            return
        records = min(most or _RECORDS_AT_ONCE, _RECORDS_AT_ONCE)
        for first, last in chosen.ranges:
            number = first
            while number <= last:
                hits, looked = self._hits(number, last, pattern, records, values=0)
                yield from ((hit[0], 1) for hit in hits)
                yield looked, 0
                if len(hits) < records:
                    break
                number = looked + 1

    def _hits(
        self, first: int, last: int, pattern: Pattern, records: int, *, values: int
    ) -> tuple[list[_Hit], int]:
        begin: int | None = self._found.begin
        with _consistent(self._opened, may_grow=self._form == "lines"):
            if self._of == "lines":
                begin = _line_begin(self._opened, first, self._how)
            if begin is None:
                return [], first - 1
            return self._json.search(
                self._of,
                begin,
                first=first,
                last=last,
                find=pattern.text,
                literal=pattern.is_literal,
                records=records,
                values=values,
                cancel=self._how.cancel,
            )

    def _hit(self, hit: _Hit) -> RowPart:
        """Return a record as the values of it that match, a line each, with their addresses."""
        number, name, values, total = hit
        start = f"{number}"
        if self._found.value != "records":
            start = f"{self._found.at}/{number - 1 if name is None else name}"
        lines = []
        for at, line, text, before, after in values:
            head = f"{_shown_name(start + at)}{f':{line}' if line > 1 else ''}\t"
            head += f"[{counted(before, 'characters')}] … " if before else ""
            tail = f" … [{counted(after, 'characters')}]" if after else ""
            lines.append(f"{head}{text if line else '[the name]'}{tail}")
        if total > len(values):
            lines.append(f"[{counted(total - len(values), 'more values')} of {start} match]")
        return RowPart(None, number, "\n".join(lines), "")

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        pattern = self._how.pattern
        if pattern is not None and self.shortens_hits:
            for number in numbers:
                found, _ = self._hits(number, number, pattern, 1, values=_VALUES_OF_RECORD)
                yield from (self._hit(hit) for hit in found)
            return
        rows: dict[int, JsonRow] = {}
        size, last, shown = self._rows_at_first, 0, 0
        for number in numbers:
            if number > last:
                size, rows = self._how.in_time(size, partial(self._fetched, number))
                if not rows:
                    break
                last = max(rows)
                size *= 2
            row = rows.get(number)
            # A blank line is no record.
            if row is not None:
                yield self._part(row).since(column)
                column, shown = 1, number
        if not shown and rows and self._is_window:
            # Nothing but blank lines: without a record the page would not advance.
            yield self._part(rows[min(rows)])

    def _fetched(self, number: int, size: int) -> dict[int, JsonRow]:
        how, begin = self._how, self._found.begin
        with _consistent(self._opened, may_grow=self._form == "lines"):
            if self._found.value == "scalar":
                return {1: self._json.value(begin, how.limits.max_line_chars, cancel=how.cancel)}
            if self._of == "lines":
                start = _line_begin(self._opened, number, how)
                if start is None:
                    self.count = self.counted()
                    return {}
                begin = start
            rows, total, self._is_odd, self._is_torn = self._json.rows(
                self._of,
                begin,
                first=number,
                rows=size,
                chars=how.limits.max_line_chars,
                max_bytes=how.limits.max_bytes,
                cancel=how.cancel,
            )
        if total is not None:
            self.count = total
        return {row.number: row for row in rows}

    def _part(self, row: JsonRow) -> RowPart:
        self._is_lossy |= row.is_lossy
        if self._found.value == "records":
            head = self._how.gutter.before(row.number)
        elif self._found.value == "scalar":
            head = ""
        else:
            head = f"/{row.number - 1 if row.name is None else _shown_name(row.name)}\t"
        if row.wrong_at is not None:
            head += f"not JSON at character {row.wrong_at:,}: "
        return RowPart(row, row.number, row.text, head)


class StringParts(_JsonParts[StringLine]):
    """The lines of a string."""

    are_lines = True

    def shows(self, number: int) -> bool:
        return self._how.gutter.shows(number)

    def counted(self) -> int:
        found = self._lines(1 << 53, 1, column=1, chars=1)
        return found[1] or 0

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[StringLine]:
        limits = self._how.limits
        lines: dict[int, tuple[str, int]] = {}
        size, last = self._rows_at_first, 0
        for number in numbers:
            if number > last:
                if self.count is not None and number > self.count:
                    return
                # Where a page goes on inside a line, the line is shown as far as the page has room.
                chars = limits.max_line_chars if column == 1 else limits.max_bytes
                found, total, is_lossy, is_torn = self._lines(
                    number, 1 if column > 1 else size, column=column, chars=chars
                )
                self._is_lossy |= is_lossy
                self._is_torn |= is_torn
                if total is not None:
                    self.count = total
                if not found:
                    return
                lines, last = {line: (text, chars) for line, text, chars in found}, found[-1][0]
                size *= 2
            if number not in lines:
                # A decoder may say anything.
                return
            text, chars = lines[number]
            if self._how.pattern is not None and chars > LONG_LINE:
                text = near_hit(text, self._how.pattern)
                chars = len(text)
            yield StringLine(number, text, chars, self._how.gutter.before(number), column=column)
            column = 1

    def _lines(
        self, first: int, lines: int, *, column: int, chars: int
    ) -> tuple[list[tuple[int, str, int]], int | None, bool, bool]:
        how = self._how
        with _consistent(self._opened, may_grow=self._form == "lines"):
            return self._json.string_lines(
                self._found.begin,
                first=first,
                lines=lines,
                column=column,
                chars=chars,
                max_bytes=how.limits.max_bytes,
                cancel=how.cancel,
            )

    def page(self, parts: Sequence[StringLine], common: dict[str, Any]) -> RecordsPage:
        page = super().page(parts, common)
        rests = (
            ReadArguments(at=self._found.at, offset=part.number, column=len(part.line) + 1, limit=1)
            for part in parts
            if part.is_clipped
        )
        clipped = tuple(continuation(self._opened, rest) for rest in rests)
        return replaced(page, clipped=clipped) if clipped else page
