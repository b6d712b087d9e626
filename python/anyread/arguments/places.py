"""One place as an argument: a file and its lines, pages or cells, such as `a.py:10-20,80`.

All of the string must be understood, or it is an error that shows the forms. Texts in which places are to be
found, such as tracebacks, are for `anyread.places`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, cast

from anyread.errors import BadArgumentError

from .page_range import PageRange
from .types import MOST_RANGES, Statement

Span: TypeAlias = "int | tuple[int, int]"
"""A line, which is shown with the block around it, or a first and a last line."""
MOST_PLACES = 64
"""The maximum number of places in one call."""
LONGEST = 4_096
"""The maximum bytes of a place: no path is longer."""
_MOST_DIGITS = 15
FORMS = '"a.py", "a.py:10-20", "a.py:10-20,80-90", "a.py:10" (with the block around it), or "a.py:500-"'
"""The forms of a place, for errors."""


class FilePlace(NamedTuple):
    """A file and what to read of it."""

    path: str
    spans: tuple[Span, ...] = ()
    """Empty: the file from its start."""
    column: int = 1
    """The first character of the first of `spans`, before which no other begins."""
    at: str = ""
    """The address of a value in the file, whose lines or entries `spans` are; empty: the whole file."""

    def __str__(self) -> str:
        inside = f"{':' if _WORKBOOK.search(self.path) else '#'}{self.at}" if self.at else ""
        if not self.spans:
            return f"{self.path}{inside}"
        first, *rest = (_span_text(span) for span in self.spans)
        if self.column > 1:
            line, dash, last = first.partition("-")
            first = f"{line}@{self.column}{dash}{last}"
        lines = ",".join([first, *rest])
        plain = f"{self.path}{inside}:{lines}"
        is_plain = _PLAIN_PATH.fullmatch(self.path) and _is_rising(self.spans)
        if is_plain or _means(plain, self):
            return plain
        # `200,105-201,104` would be one range of numbers with separators.
        spaced = f"{self.path}{inside}:{', '.join([first, *rest])}"
        if _means(spaced, self):
            return spaced
        # Quotes say where a path ends that looks like a place itself.
        quoted = (f"{mark}{self.path}{mark}{inside}:{lines}" for mark in "\"'`")
        return next((text for text in quoted if _means(text, self)), plain)

    @classmethod
    def of_next(cls, path: str, following: Mapping[str, Any]) -> FilePlace:
        """Write the call that reads the rest of a file."""
        column, at = following.get("column", 1), following.get("at", "")
        if "ranges" in following:
            return cls(path, tuple(following["ranges"]), column, at)
        if "pages" in following:
            pages = PageRange.parse(str(following["pages"])) or PageRange(1, None)
            return cls(path, ((pages.first, pages.last or -1),), column)
        offset = following.get("offset", 1)
        is_start = offset == 1 and column == 1
        return cls(path, () if is_start else ((offset, -1),), column, at)


def _means(text: str, place: FilePlace) -> bool:
    try:
        return parsed(text) == place
    except BadArgumentError:
        return False


def _span_text(span: Span) -> str:
    if isinstance(span, int):
        return str(span)
    first, last = span
    # The last line of a file is not named.
    return f"{first}-" if last == -1 else f"{first}-{last}"


_DASH = r"\s*+(?:--?|–|—|‑|−|\.\.\.?|to\b|through\b)\s*+"  # noqa: RUF001 - typographic dashes
_SPAN = (
    r"(?:[Ll]?NUMBER(?:@NUMBER|C\d+)?(?:DASH(?:[Ll]?NUMBER(?:C\d+)?|(?:end|EOF|\$)(?!\w))?)?"
    r"|-NUMBER(?:-(?:-NUMBER)?)?)"
)
_EACH = re.compile(_SPAN.replace("NUMBER", r"(\d+)").replace("DASH", f"({_DASH})"))
_ONE = _SPAN.replace("NUMBER", r"\d+").replace("DASH", f"(?:{_DASH})")
_LINES = r"(?:lines?|pages?|cells?|rows?|slides?|ll?\.)\s?"
_SUFFIX = re.compile(
    # Only what begins the lines is searched for, and nothing that follows passes the beginning of another.
    r"(?<![\s/\\])(?:"
    # a.ts(10,5): error, where the second number is a column
    r"\((?P<line>\d+),\s?(?P<at>\d+)(?:,(?P<end_line>\d+),\d+)?\)(?::.*+)?|"
    # a.py:10-20,80 and a.py#L10-L20; a.py (lines 10-20), a.py(10), a.py [10-20]; a.py, on lines 10-20
    rf"(?: ?: ?(?:{_LINES})?|#|\s*+(?P<bracket>[(\[])(?P<has_word>{_LINES})?"
    rf"|(?:[,:;]\s*+|\s++)(?:(?:at|on)\s)?{_LINES})"
    rf"(?P<spans>{_ONE}(?P<more>(?:(?>\s*+[,;&]\s*+(?:and\s++)?|\s*+and\s++|\s++){_ONE})*+))"
    # The column, and what a tool says.
    r"(?(bracket)[)\]]|(?:(?::\s?|\.|,? ?(?:col(?:umn)?|char(?:acter)?s?) )(?P<column>\d+)(?:-\d+)?)?)"
    r"(?P<said>[:.,;]?|(?::\s|, in ).*+)"
    r")\Z"
)
_ADDRESSED = re.compile(
    # trace.jsonl#17/output and data.json#/steps/12, perhaps with lines of it
    rf"(?P<path>[^#]*[^#\s])#(?P<at>\d*/[^:]*+(?::(?!{_ONE}(?:,\s?{_ONE})*+\Z)[^:]*+)*+)"
    rf"(?::(?P<spans>{_ONE}(?:,\s?{_ONE})*+))?\Z"
)
"""A value inside a JSON file."""
_CELL = r"\$?[A-Za-z]{1,3}\$?\d{1,7}"
_SHEET = r"(?:'(?:[^'\n]|'')*+'|[^:'!\n][^:!\n]*+)"
_WORKBOOK = re.compile(r"(?i)\.xl[st][xm]\Z")
_IN_WORKBOOK = re.compile(
    # report.xlsx:Orders, report.xlsx:'My sheet'!B2:F20 and report.xlsx:J50, perhaps with rows or lines of it
    rf"(?P<path>(?:[A-Za-z]:)?[^:#]*?\.(?i:xl[st][xm])[\"`']?)[:#]\s?(?!{_ONE}(?:,\s?{_ONE})*+\Z)"
    rf"(?P<at>(?:{_SHEET}!)?(?:{_CELL}(?::{_CELL})?|\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\d{{1,7}}:\d{{1,7}})|{_SHEET})"
    rf"(?::(?P<spans>{_ONE}(?:,\s?{_ONE})*+))?\Z"
)
"""Cells of a workbook."""
_NAME = re.compile(
    # A test, as in tests/test_a.py::TestCart::test_discount[euro] - AssertionError
    r"(?:::(?P<test>[^\s:].*+)"
    # An execution, as in a.ipynb:In[17] and a.ipynb, Cell In[17], line 3
    r"|\s?[:#,]\s?(?:[Cc]ell\s)?(?P<cell>(?:In|Out)\s?\[\d+\])(?:,? line \d+)?:?"
    # As people write it: manual.docx, section 1.2
    r"|,?\s(?P<section>(?:[Ss]ection|[Cc]hapter|§)\s?\d[\d.]*)"
    # In the address of a PDF, as in report.pdf, then `#page=3`
    r"|\#page=(?P<page>\d{1,15})(?:&[^#]*)?"
    # A link such as README.md#install, and data.json#$.todos[0]; a.py#L10 and a.py#10 are lines
    rf"|\#(?!page=|{_ONE}(?:,\s?{_ONE})*+\Z)(?P<name>[^/\\:\s#](?:[^/\\:\n#]|::)*+)"
    # A function, as in price.py, then a colon and `discount`
    r"|:(?P<only>[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*+))\Z"
)
"""What follows the path of a part with a name: a heading, a function, a cell that was executed, a value."""
_HAS_NAMES = re.compile(r"[^\s/\\]\.\w{1,12}[\"'`]?\Z|(?:\A|[/\\])(?:README|LICENSE|CHANGELOG|Makefile)\Z")
_RESULT = re.compile(r"\A(?:FAILED|ERROR|PASSED|SKIPPED|XFAIL|XPASS)\s+")
_PAGE_OF_DOCUMENT = re.compile(
    r"(?i)(?P<path>.*\.(?:docx|docm|dotx|dotm)[\"'`]?)(?:\s?[,:;(#]|\s)\s?(?:on )?"
    r"(?P<at>(?:page|slide|cell|row)s?[ =]?\d[^)]*)\)?"
)
"""Documents have no fixed pages: it is the name of a heading, or an error that names the headings."""
_CELLS = rf"(?P<cells>{_CELL}(?::{_CELL})?)"
_BOOK = r"(?P<path>[^\n]*\.(?i:xl[st][xm])[\"'`]?)"
_OF_EXCEL = (
    re.compile(
        r"(?P<folder>(?:'[^\[\]'\n]*)?)\[(?P<path>[^\[\]\n/\\]+\.(?i:xl[st][xm]))\]"
        rf"(?P<sheet>[^'!\n]+)'?!{_CELLS}"
    ),
    re.compile(
        rf"{_BOOK}(?:[!,]\s?|\s)(?:work)?(?:sheet|tab)\s(?P<sheet>[^\n!,]+?)"
        rf"(?:(?:!|,?\s(?:cells?|range)\s){_CELLS})?"
    ),
    re.compile(rf"{_BOOK}[!,]\s?(?P<sheet>[^\n!,]+)!{_CELLS}"),
    re.compile(rf"{_BOOK}!(?P<sheet>[^\n!,]+)(?P<cells>)"),
    re.compile(rf"{_BOOK},?\s(?P<sheet>)cells?\s{_CELLS}"),
)
"""Cells as Excel and people write them, as in `[orders.xlsx]Orders!F204`."""
_OF = re.compile(rf"\A({_LINES}[^:]*?) (?:of|in) (.+)\Z")
"""Such as `lines 10-20 of a.py`."""
_PLAIN = re.compile(r"([\w./-]+)(?::(\d{1,15}(?:-\d{1,15})?(?:,\d{1,15}(?:-\d{1,15})?)*+))?")
"""Most places, for speed."""
_BEFORE = re.compile(r"\A(?:-->|[-*•] |##\[\w+\]|(?:at|in|see) |[Ff]ile (?=\"))\s*")
"""What tools and people write before a place."""
_CALL = re.compile(r"(?:at )?[^(]+ \((.+)\)")
"""A frame, such as `at total (a.js:3:4)`."""
_LOOKS_LIKE_LINES = re.compile(r".*\S(?::\s?[Ll]?-?\d|#L\d|[,:(\s]lines?\s\d|\s?[@\[(]\d[\d,: –-]*[\])]?$)")
QUOTES = dict(zip("\"'`”’»›」』》>", "\"'`“‘«‹「『《<", strict=True))  # noqa: RUF001 - typographic marks
"""The mark that opens what each mark closes."""
_BRACKETS = {")": "(", "]": "["}
_THOUSANDS = re.compile(r"(?<![\d,])\d{1,3}(?:,\d{3})++(?![\d,])")
_LINES_OF_PAGE = 2_000
_PLAIN_PATH = re.compile(r"[\w./+~-]*[A-Za-z_.]")
"""Paths that look like nothing else."""


def parsed(text: str, *, is_only: bool = False) -> FilePlace | None:
    """Return the file and the lines of a place; `None` if the text names no lines, so that it is a path.

    Args:
        text: The place.
        is_only: Whether no other place is passed with it, so that what follows a colon may be a name.

    Raises:
        BadArgumentError: It names lines in a way that is not understood, or is longer than any path.
    """
    plain = _PLAIN.fullmatch(text) if len(text) < LONGEST // 4 else None
    if plain and plain[2] is None:
        return None
    if plain and plain[2].count(",") < MOST_RANGES:
        pairs = [span.partition("-") for span in plain[2].split(",")]
        spans = tuple((int(a), int(b)) if b else int(a) for a, _, b in pairs)
        if len(spans) == 1 or (_is_rising(spans) and ",0" not in plain[2]):
            return FilePlace(plain[1], spans)
    try:
        size = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise _refused(text, "without half of a surrogate pair, which no file name has") from None
    if size > LONGEST:
        raise _refused(text, f"at most {LONGEST:,} bytes; these are {size:,}")
    unquoted = _unwrapped(text, QUOTES)
    # The error about a link has its lines, too.
    if "\n" in text or (unquoted.startswith(("https://", "http://")) and "/blob/" in unquoted):
        return None
    inside = _inside(unquoted, is_only=is_only)
    if inside is not None:
        return inside
    cleaned = _BEFORE.sub("", _unwrapped(unquoted, QUOTES | _BRACKETS), count=1)
    call = _CALL.fullmatch(cleaned)
    found = _split(call[1], is_frame=True) if call else None
    if found is None or not found.spans:
        found = _split(cleaned)
    if found is not None:
        return found
    if _LOOKS_LIKE_LINES.match(cleaned):
        raise _refused(text, f"such as {FORMS}")
    return FilePlace(decoded(unquoted)) if unquoted != text or "://" in text else None


def _inside(text: str, *, is_only: bool) -> FilePlace | None:
    """Return the path and the address or the name of a part; `None` if the text has neither.

    A name after a colon counts only if no other place is passed: `grep -r` prints lines so.
    """
    addressed = _ADDRESSED.match(text) or _IN_WORKBOOK.match(text)
    if addressed is not None:
        inside, column = _spans_of(text, addressed["spans"] or "")
        path = _unwrapped(addressed["path"], QUOTES)
        return FilePlace(decoded(path), tuple(inside), column, addressed["at"])
    in_office = _in_office(text)
    if in_office is not None:
        return in_office
    found = _NAME.search(text, 1)
    if found is None or (found["only"] and not is_only):
        return None
    path = _RESULT.sub("", text[: found.start()]) if found["test"] else text[: found.start()]
    is_address = "://" in path and not path.startswith("file:")
    if is_address or not _HAS_NAMES.search(path) or (found["cell"] and ".ipynb" not in path[-8:]):
        return None
    path = decoded(_unwrapped(path, QUOTES))
    if found["page"]:
        return FilePlace(path, (int(found["page"]),))
    at = found["test"] or found["cell"] or found["section"] or found["name"] or found["only"]
    return FilePlace(path, at=at.strip())


def _in_office(text: str) -> FilePlace | None:
    """Return a place in a document or a workbook that is written as Excel or people do."""
    if page := _PAGE_OF_DOCUMENT.fullmatch(text):
        return FilePlace(decoded(_unwrapped(page["path"], QUOTES)), at=page["at"])
    cells = next(filter(None, (form.fullmatch(text) for form in _OF_EXCEL)), None)
    if cells is None:
        return None
    folder = cells.groupdict().get("folder", "").removeprefix("'")
    sheet = _unwrapped(cells["sheet"], QUOTES).replace("'", "''")
    at = "!".join(filter(None, (sheet and f"'{sheet}'", cells["cells"])))
    return FilePlace(decoded(folder + _unwrapped(cells["path"], QUOTES)), at=at)


def split(places: object) -> list[str] | None:
    """Return the places of an argument: a list, one place, places on lines, or a list written as JSON."""
    if isinstance(places, str):
        text = places.strip()
        if text.startswith("["):
            import json

            with suppress(ValueError, RecursionError):
                places = json.loads(text)
        if isinstance(places, str):
            places = [line for line in places.splitlines() if line.strip()]
    if not isinstance(places, list) or not all(isinstance(place, str) and place for place in places):
        return None
    return places


def decoded(path: str) -> str:
    """Return the path of a `file://` address, in which spaces are `%20`; any other path unchanged."""
    address = _ADDRESS.match(path)
    if address is None:
        return path
    from urllib.parse import unquote

    return unquote(path[address.end() :])


_ADDRESS = re.compile(
    r"file://(?:localhost)?(?:/(?=[A-Za-z]:))?|(?:vscode(?:-insiders)?|cursor)://file(?:/(?=[A-Za-z]:))?"
)


def _unwrapped(text: str, marks: Mapping[str, str]) -> str:
    """Take away quotes, backticks, asterisks and, if they are among the marks, brackets around a place."""
    text = text.strip()
    while len(text) > 2 and text[0] == ("*" if text[-1] == "*" else marks.get(text[-1])):
        inner = text[1:-1]
        if text[-1] in inner and text[-1] != "*":
            break
        text = inner.strip()
    return text


REPORT = re.compile(
    r"(?i:\b(?:error|warning))(?:\[[\w:-]+\])?(?::|  | TS\d| [A-Z]+\d)|\b(?:ERROR|WARNING) in "
    r"|^(?:##\[|::)(?:error|warning)|^\s*-->|:\d+:\d+: \S|[:\s][A-Z]{1,4}\d{3,4}(?::| \S)"
)
"""How compilers and linters write errors and warnings."""


def _split(text: str, *, is_frame: bool = False) -> FilePlace | None:
    """Return the path and the lines, if the end of the text says lines; the path is the shortest possible.

    A line with a column, or about which something is said, is one of which only the statement matters; the
    columns of the frames of a stack say nothing.
    """
    found = _SUFFIX.search(_OF.sub(r"\2, \1", text, count=1), 1)
    # In brackets, `(10, 20)` may be two lines, or a line and a column.
    if found is None or (found["bracket"] and found["more"] and not found["has_word"]):
        return None
    written = found["spans"]
    if written is None:
        written = "-".join(filter(None, (found["line"], found["end_line"])))
    place = _made(found.string[: found.start()], written)
    column = found["column"] or found["at"]
    is_one = len(place.spans) == 1 and isinstance(place.spans[0], int) and place.spans[0] > 0
    if is_frame or not is_one or not (column or REPORT.search(found["said"] or "")):
        return place
    at = int(column) if column and len(column) <= _MOST_DIGITS else 1
    return place._replace(spans=(Statement.at(cast("int", place.spans[0]), max(1, at)),))


def _made(path: str, written: str) -> FilePlace:
    spans, column = _spans_of(path, written)
    if ",0" in written or not _is_rising(spans):
        # In headings and footers, numbers have thousands separators: `1,001-1,200`, `400,000`.
        # A list may be in any order, such as `320-330,138`, `270,117` and `90,129-135,134,150`, unless a page
        # has such a range, or the list would have a range that goes backwards.
        plain = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), written)
        is_plain = not any(map(str.isdigit, _THOUSANDS.sub("", written)))
        joined, column_of_joined = _spans_of(path, plain)
        first, _, last = plain.partition("-")
        is_page = first.isdigit() and last.isdigit() and int(last) - int(first) < _LINES_OF_PAGE
        is_list = all(isinstance(span, int) or _is_rising([span]) for span in spans)
        if is_plain and _is_rising(joined) and (",0" in written or is_page or not is_list):
            spans, column = joined, column_of_joined
    stripped = path.strip()
    if len(stripped) > 2 and stripped[0] == QUOTES.get(stripped[-1]):
        # What is in quotes is the name to the letter.
        path = stripped[1:-1]
    else:
        path = _unwrapped(path, QUOTES)
    if path.startswith("@") and len(path) > 1 and path.count("/") < 2:
        # A mention. Packages of npm have two slashes.
        path = path[1:]
    return FilePlace(decoded(path), tuple(spans), column)


def _is_rising(spans: Sequence[Span]) -> bool:
    numbers = [number for span in spans for number in ((span,) if isinstance(span, int) else span)]
    return all(a <= b or b < 0 for a, b in pairwise(numbers))


def _spans_of(path: str, written: str) -> tuple[list[Span], int]:
    """Return the lines that are written, and the first character of the first one."""
    spans: list[Span] = []
    column = 1
    for match in _EACH.finditer(written):
        first, at, dash, last, from_end, to_end = match.groups()
        # A line 0 is refused like one of `ranges`.
        written_numbers = (first or from_end, last or "1", at or "1", to_end or "1")
        numbers = [int(number) if len(number) <= _MOST_DIGITS else 0 for number in written_numbers]
        if any(len(number) > _MOST_DIGITS for number in written_numbers) or not numbers[2]:
            raise _refused(f"{path}:{written}", f"of numbers from 1 to {10**_MOST_DIGITS - 1:,}")
        if from_end:
            spans.append((-numbers[0], -numbers[3]))
            continue
        if at and spans:
            raise _refused(f"{path}:{written}", f"such as {FORMS}; only the first line may have a column")
        if at:
            column = numbers[2]
        if dash:
            spans.append((numbers[0], numbers[1] if last else -1))
        else:
            # The rest of a line is shown without the lines around it.
            spans.append((numbers[0], numbers[0]) if at else numbers[0])
    if len(spans) > MOST_RANGES:
        raise _refused(f"{path}:{written}", f"at most {MOST_RANGES} ranges; these are {len(spans):,}")
    if any(_begin(span) <= _begin(spans[0]) for span in spans[1:]):
        # The line is asked for whole, or is not the first.
        column = 1
    return spans, column


def _refused(text: str, reason: str) -> BadArgumentError:
    shown = text[:80].encode("utf-8", "backslashreplace").decode()
    return BadArgumentError(shown, argument="places", value=shown, reason=reason)


def merged(earlier: FilePlace, later: FilePlace) -> FilePlace:
    """Return two places of one file as one; a file without lines contains all of its places."""
    if not earlier.spans or not later.spans:
        whole = earlier if not earlier.spans else later
        return FilePlace(whole.path, at=whole.at)
    # The column is that of the first line; a later one is shown from its start.
    first, second = sorted((earlier, later), key=lambda place: (min(map(_begin, place.spans)), place.column))
    return FilePlace(earlier.path, (*first.spans, *second.spans), first.column, earlier.at)


def _begin(span: Span) -> int:
    return span if isinstance(span, int) else span[0]
