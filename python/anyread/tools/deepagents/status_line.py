"""Texts below a status line, such as `@@ lines 1-100 of 240 | next offset 100 @@`, cut to a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .lines import SourceLines

_TOO_LONG: Final = (
    "[Output was truncated due to size limits. The file content is very large. Consider reformatting the file"
    " to make it easier to navigate. For example, if this is JSON, use execute(command='jq . {path}') to"
    " pretty-print it with line breaks. For other formats, you can use appropriate formatting tools to split"
    " long lines.]"
)


def with_status(lines: SourceLines, path: str, notices: Sequence[str], maximum: int | None) -> str:
    """Return lines below their status line; if they exceed the budget, as many of them as fit.

    Args:
        lines: The lines.
        path: The path of the file.
        notices: What precedes the status line.
        maximum: The most characters; `None`: any number.
    """
    whole = assembled(lines.body, _fields(lines, lines.last), notices)
    if maximum is None or len(whole) < maximum:
        return whole
    notices = [*notices, _TOO_LONG.format(path=path)]
    for end, last in reversed(list(_ends(lines))):
        fields = [*_fields(lines, last), "truncated due to size"]
        answer = assembled(lines.body[:end], fields, notices)
        if len(answer) <= maximum:
            return answer
    return _cut_in_line(lines, notices, maximum)


def assembled(body: str, fields: Sequence[str], notices: Sequence[str]) -> str:
    """Return a text below a status line of several fields."""
    return "\n".join([*notices, f"@@ {' | '.join(fields)} @@", body])


def _ends(lines: SourceLines) -> Iterator[tuple[int, int]]:
    """Yield where each row ends in the body, and the number that it has."""
    position = 0
    for number, row in enumerate(lines.body.split("\n"), lines.first):
        if number > lines.last:
            break
        position += len(row)
        yield position, number
        position += 1


def _cut_in_line(lines: SourceLines, notices: Sequence[str], maximum: int) -> str:
    """Show the beginning of a line of which nothing else fits."""
    chars = lines.first_row_chars
    span = [f"lines {lines.first}-{lines.first} of {lines.total}", "truncated mid-line"]
    reserved = len(assembled("", [*span, f"{chars} of {chars} chars"], notices))
    shown = max(0, min(chars, maximum - reserved))
    return assembled(lines.body[:shown], [*span, f"{shown} of {chars} chars"], notices)


def _fields(lines: SourceLines, last: int) -> list[str]:
    fields = [f"lines {lines.first}-{last} of {lines.total}"]
    return fields if last == lines.total else [*fields, f"next offset {last}"]
