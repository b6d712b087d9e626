"""One place as an argument: a file and its lines, pages or cells, such as `a.py:10-20,80`.

All of the string must be understood, or it is an error that shows the forms. Texts in which places are to be
found, such as tracebacks, are for `anyread.places`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from .argument_types import MOST_RANGES
from .errors import BadArgumentError
from .page_range import PageRange
from .settings import LARGEST

Span: TypeAlias = "int | tuple[int, int]"
"""A line, which is shown with ten lines before and after it, or a first and a last line."""
MOST_PLACES = 64
"""The maximum number of places in one call."""
LONGEST = 5_000
"""The length in characters up to which a place is read: no path is longer."""
FORMS = '"a.py", "a.py:10-20", "a.py:10-20,80-90", "a.py:10" (with ten lines before and after), or "a.py:500-"'
"""The forms of a place, for errors."""


class FilePlace(NamedTuple):
    """A file and what to read of it."""

    path: str
    spans: tuple[Span, ...] = ()
    """Empty: the file from its start."""
    column: int = 1
    """The first character of the first line."""

    def __str__(self) -> str:
        if not self.spans:
            return self.path
        first, *rest = (_span_text(span) for span in self.spans)
        if self.column > 1:
            line, dash, last = first.partition("-")
            first = f"{line}@{self.column}{dash}{last}"
        return f"{self.path}:{','.join([first, *rest])}"

    @classmethod
    def of_next(cls, path: str, following: Mapping[str, Any]) -> FilePlace:
        """Write the call that reads the rest of a file."""
        column = following.get("column", 1)
        if "ranges" in following:
            return cls(path, tuple(following["ranges"]), column)
        if "pages" in following:
            pages = PageRange.parse(following["pages"]) or PageRange(1, None)
            return cls(path, ((pages.first, pages.last or -1),), column)
        offset = following.get("offset", 1)
        return cls(path) if offset == 1 and column == 1 else cls(path, ((offset, -1),), column)


def _span_text(span: Span) -> str:
    if isinstance(span, int):
        return str(span)
    first, last = span
    # The last line of a file is not named.
    return f"{first}-" if last == -1 else f"{first}-{last}"


_DASH = r"\s*(?:-|–|—|‑|−|\.\.\.?|to\b)\s*"
_END = r"(?:end|EOF|\$)"
_SPAN = rf"[Ll]?(\d+)(?:@(\d+))?(?:({_DASH})(?:[Ll]?(\d+)|{_END})?)?"
_SPANS = rf"{_SPAN}(?:\s*(?:,|;|&|and\b|\s)\s*{_SPAN})*".replace("(\\d+)", "\\d+").replace(f"({_DASH})", f"(?:{_DASH})")
_COLUMN = r"(?:(?::\s?|\.|,? col(?:umn)? ?|,? char(?:acter)?s? )\d+(?:-\d+)?)?"
_LINES = r"(?:lines?|lignes?|pages?|cells?|rows?|ll?\.)"
_SUFFIXES = re.compile(
    "|".join(
        [
            # a.py:10-20,80 and a.py:10:5
            rf"\s?:\s?(?:{_LINES}\s)?(?P<spans1>{_SPANS}){_COLUMN}(?::?|: .+)",
            # a.py#L10-L20
            r"#L?(?P<spans2>\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?)",
            # a.py (lines 10-20), a.py(10), a.py [10-20]
            rf"\s*[(\[](?:{_LINES}\s)?(?P<spans3>{_SPANS})[)\]]:?",
            # a.py, lines 10-20 and a.py on line 12, column 5
            rf"[\"']?[,:]?\s*(?:(?:at|on)\s)?{_LINES}\s(?P<spans4>{_SPANS}){_COLUMN}(?:, in .*)?:?",
        ]
    )
)
_EACH = re.compile(_SPAN)
_MSBUILD = re.compile(r"(?P<path>.+)\((?P<line>\d+),\s?\d+(?:,\d+,\d+)?\):?")
_LOOKS_LIKE_LINES = re.compile(r".*\S(?::\s?[Ll]?\d|#L\d|[,:(\s]lines?\s\d)")
_WRAPPERS = ("**", "__", "`", '"', "'", "<>", "()", "[]")


def parsed(text: str) -> FilePlace | None:
    """Return the file and the lines of a place; `None` if the text names no lines, so that it is a path.

    Raises:
        BadArgumentError: It names lines in a way that is not understood.
    """
    if len(text) > LONGEST:
        return None
    cleaned = _unwrapped(text.strip())
    found = _in_parentheses(cleaned) or _split(cleaned)
    if found is None:
        if _LOOKS_LIKE_LINES.match(cleaned):
            raise BadArgumentError(text, argument="places", value=text, reason=f"such as {FORMS}")
        return None if cleaned == text else FilePlace(_as_path(cleaned))
    return found


def split(places: object) -> list[str] | None:
    """Return the places of an argument: a list, one place, places on lines, or a list written as JSON."""
    if isinstance(places, str):
        text = places.strip()
        if text.startswith("["):
            import json

            try:
                places = json.loads(text)
            except ValueError:
                pass
        if isinstance(places, str):
            places = [line for line in places.splitlines() if line.strip()]
    if not isinstance(places, list) or not all(isinstance(place, str) and place for place in places):
        return None
    return places


def _unwrapped(text: str) -> str:
    """Take away what people write around a place: quotes, backticks, asterisks, a bullet, an arrow."""
    text = re.sub(r"^(?:-->|[-*•]\s|at\s|in\s|File\s(?=\"))\s*", "", text)
    changed = True
    while changed and len(text) > 2:
        changed = False
        for wrapper in _WRAPPERS:
            begin, end = (wrapper[0], wrapper[-1]) if len(set(wrapper)) == 2 else (wrapper, wrapper)
            if text.startswith(begin) and text.endswith(end) and begin not in text[len(begin) : -len(end)]:
                text, changed = text[len(begin) : -len(end)].strip(), True
    return text.rstrip(",;") or text


def _in_parentheses(text: str) -> FilePlace | None:
    """Return a place as TypeScript writes it: the second number is a column."""
    found = _MSBUILD.fullmatch(text)
    if found is None:
        inner = re.fullmatch(r"(?:at\s)?[^(]+\s\((.+)\)", text)
        return _split(inner[1]) if inner and _SUFFIXES.search(inner[1]) and "/" in inner[1] + "/" else None
    return _made(found["path"], found["line"])


def _split(text: str) -> FilePlace | None:
    """Return the path and the lines, if the end of the text says lines; the path is the shortest possible."""
    for found in _SUFFIXES.finditer(text):
        if found.end() != len(text) or not found.start():
            whole = _SUFFIXES.fullmatch(text, found.start()) if found.start() else None
            if whole is None:
                continue
            found = whole  # noqa: PLW2901 - the same beginning, to the end
        spans = next(value for name, value in found.groupdict().items() if value)
        return _made(text[: found.start()], spans)
    return None


def _made(path: str, written: str) -> FilePlace:
    spans: list[Span] = []
    column = 1
    for match in _EACH.finditer(re.sub(r"C\d+", "", written)):
        first, at, dash, last = match.groups()
        numbers = [first, last or "1", at or "1"]
        if any(len(number) > 16 or int(number) > LARGEST for number in numbers):
            raise BadArgumentError(path, argument="places", value=written[:40], reason=f"from 1 to {LARGEST:,}")
        if at and not spans:
            column = int(at)
        spans.append((int(first), int(last) if last else -1) if dash else int(first))
    if len(spans) > MOST_RANGES:
        reason = f"at most {MOST_RANGES} ranges; these are {len(spans):,}"
        raise BadArgumentError(path, argument="places", value=written[:40], reason=reason)
    return FilePlace(_as_path(path), tuple(spans), column)


def _as_path(path: str) -> str:
    path = path.strip().strip("\"'`") if len(path.strip()) > 2 else path
    if path.startswith("file://"):
        from urllib.parse import unquote

        path = unquote(path.removeprefix("file://"))
    return path


def merged(earlier: FilePlace, later: FilePlace) -> FilePlace:
    """Return two places of one file as one; a file without lines contains all of its places."""
    if not earlier.spans or not later.spans:
        whole = earlier if not earlier.spans else later
        return FilePlace(whole.path)
    spans = (*earlier.spans, *later.spans)
    # The column belongs to the first line; of a later one, the line is shown from its start.
    first = min(_begin(span) for span in spans)
    column = next((p.column for p in (earlier, later) if _begin(p.spans[0]) == first), 1)
    return FilePlace(earlier.path, spans, column)


def _begin(span: Span) -> int:
    return span if isinstance(span, int) else span[0]

