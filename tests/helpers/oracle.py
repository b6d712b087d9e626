"""A slow, obvious reader that computes what `anyread` must return for text.

The whole file is a `bytes` object, its lines are a list, and one loop makes a page.
There are no indexes and no windowed scans: where the engine and this file disagree, one of them is wrong,
and this one is short enough to check by reading it.

The pipeline::

    bytes ─ split_bom ─► code units ─ split_lines ─► [Line(text, ending)] ─ read ─► Expected

Encodings: the one given, else that of a byte order mark, else UTF-8.
Nothing is detected; a file in another encoding needs `encoding`.
"""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

MIB = 1024 * 1024

# Longest first: the mark of UTF-32-LE begins with that of UTF-16-LE.
BOMS = (
    ("utf-32-le", codecs.BOM_UTF32_LE),
    ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("gb18030", b"\x84\x31\x95\x33"),
)

# The end of a clipped last line of a page is searched for within this many bytes only.
SEEK_END_BYTES = MIB

# Room for the footer and the marker of a cut line; a page smaller than four times that shows neither.
FOOTER_BYTES = 160
FOOTER_TOKENS = 48
LONG_FOOTER = "\n[line 1,000,000 of about 10,000,000 (1.0 GB) · next: offset=1000000, column=1000000]"
"""A footer as long as any of a page of one line, of which a tokenizer may count more than `FOOTER_TOKENS`."""


class PastColumnError(Exception):
    """The column is past the end of its line."""


class PastEndError(Exception):
    """The window begins after the last line."""

    def __init__(self, total_lines: int) -> None:
        super().__init__(total_lines)
        self.total_lines = total_lines


@dataclass(frozen=True)
class Character:
    """One Unicode scalar value of a line."""

    scalar: str
    size: int  # bytes in the file
    replaced: bool  # U+FFFD for bytes that do not decode


@dataclass(frozen=True)
class Line:
    """One line of the file, decoded, without its ending."""

    characters: list[Character]
    ending: str  # "\n", "\r\n", "\r", or "" for an unterminated last line

    @property
    def text(self) -> str:
        """The line's characters, joined."""
        return "".join(character.scalar for character in self.characters)


@dataclass(frozen=True)
class File:
    """A file, decoded and split."""

    lines: list[Line]
    encoding: str
    bom: bytes

    @property
    def line_ending(self) -> str:
        """Which endings the lines have: lf, crlf, cr or mixed."""
        names = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}
        found = {names[line.ending] for line in self.lines if line.ending}
        if len(found) > 1:
            return "mixed"
        return found.pop() if found else "lf"

    @property
    def final_newline(self) -> bool:
        """Whether the last line is terminated."""
        return bool(self.lines) and self.lines[-1].ending != ""


@dataclass(frozen=True)
class Limits:
    """The limits that determine where a text page ends; `max_tokens` needs `count_tokens`."""

    max_lines: int = 2_000
    max_line_chars: int = 2_000
    fill_one_line: bool = True
    max_bytes: int = 256 * 1024
    max_tokens: int | None = None
    count_tokens: Callable[[str], int] = len
    count_bytes: int = 256 * MIB
    exact_total: bool = False


@dataclass
class Expected:
    """The parts of a text page that are determined by the file and the arguments."""

    text: str
    footer: str
    content: str
    start_line: int
    end_line: int
    total_lines: int
    encoding: str
    bom: bool
    line_ending: str
    final_newline: bool
    lossy: bool
    next: tuple[int, int] | None = None  # offset, column
    clipped: list[tuple[int, int]] = field(default_factory=list)  # each tail that `next` does not lead to

    @property
    def truncated(self) -> bool:
        """Whether a call with other arguments would show more."""
        return self.next is not None or bool(self.clipped)


# ---------------------------------------------------------------- bytes to lines


def split_bom(data: bytes, encoding: str | None) -> tuple[str, bytes, bytes]:
    """Return the encoding, the byte order mark (may be empty) and the bytes after it."""
    for name, mark in BOMS:
        if data.startswith(mark) and encoding in (None, name):
            return name, mark, data[len(mark) :]
    return encoding or "utf-8", b"", data


def unit_size(encoding: str) -> int:
    """Return the size of a code unit in bytes, which is 1 except in UTF-16 and UTF-32."""
    if encoding.startswith("utf-16"):
        return 2
    return 4 if encoding.startswith("utf-32") else 1


def split_lines(data: bytes, encoding: str) -> list[tuple[bytes, bytes]]:
    """Split on code units equal to LF; return each line's bytes and its ending's bytes.

    A CR before the LF is part of the ending.
    A file that has CR but no LF is split on CR.
    """
    size = unit_size(encoding)
    lf = "\n".encode(encoding)
    cr = "\r".encode(encoding)
    units = [data[at : at + size] for at in range(0, len(data), size)]
    terminator = cr if cr in units and lf not in units else lf
    lines: list[tuple[bytes, bytes]] = []
    line: list[bytes] = []
    for unit in units:
        if unit != terminator:
            line.append(unit)
        elif terminator == lf and line and line[-1] == cr:
            lines.append((b"".join(line[:-1]), cr + lf))
            line = []
        else:
            lines.append((b"".join(line), terminator))
            line = []
    if line:
        lines.append((b"".join(line), b""))
    return lines


@cache
def character(scalar: str, encoding: str) -> Character:
    return Character(scalar, len(scalar.encode(encoding)), replaced=False)


def decode(data: bytes, encoding: str) -> list[Character]:
    """Decode one line.

    In UTF-8, one U+FFFD replaces each maximal subpart that does not decode, which CPython reports as one
    error; in UTF-16, it replaces each lone surrogate and an odd last byte.
    """
    characters: list[Character] = []
    while data:
        end, bad = len(data), 0
        try:
            data.decode(encoding)
        except UnicodeDecodeError as error:
            end, bad = error.start, error.end - error.start
            if unit_size(encoding) == 2:
                bad = min(bad, 2)
        good = data[:end].decode(encoding)
        characters += [character(scalar, encoding) for scalar in good]
        if bad:
            characters.append(Character("\ufffd", bad, replaced=True))
        data = data[end + bad :]
    return characters


def load(data: bytes, encoding: str | None = None) -> File:
    """Decode and split a whole file."""
    name, bom, rest = split_bom(data, encoding)
    lines = []
    for body, ending in split_lines(rest, name):
        lines.append(Line(decode(body, name), ending.decode(name)))
    return File(lines, name, bom)


# ---------------------------------------------------------------- lines to a page


def marker(offset: int, column: int, more_bytes: int | None) -> str:
    """Return the marker after the shown part of a clipped line."""
    what = "more" if more_bytes is None else f"{more_bytes:,} more byte{'s' if more_bytes != 1 else ''}"
    return f" … [{what}: offset={offset}, column={column}]"


def footer(page: Expected) -> str:
    """Return the last line of a page that leaves something out."""
    a, b = page.start_line, page.end_line
    span = f"line {a:,}" if a == b else f"lines {a:,}-{b:,}"
    parts = [f"{span} of {page.total_lines:,}"]
    if page.clipped:
        parts.append(f"{len(page.clipped)} line{'s' if len(page.clipped) > 1 else ''} clipped")
    if page.next:
        offset, column = page.next
        parts.append(f"next: offset={offset}" + (f", column={column}" if column > 1 else ""))
    return f"[{' · '.join(parts)}]"


def window(file: File, offset: int, column: int) -> tuple[int, int]:
    """Return the first line (counted from 1) and the first column of a window."""
    total = len(file.lines)
    first = max(1, total + 1 + offset) if offset < 0 else max(1, offset)
    if first > total:
        raise PastEndError(total)
    column = max(1, column)
    length = len(file.lines[first - 1].characters)
    # The column after the last character means the next line; column 1 of an empty line is valid.
    if column == length + 1 > 1 and first < total:
        return first + 1, 1
    if column > max(1, length):
        raise PastColumnError
    return first, column


def read(
    data: bytes,
    *,
    offset: int = 1,
    limit: int | None = None,
    column: int = 1,
    encoding: str | None = None,
    gutter: tuple[int, str | None] = (0, "\t"),
    limits: Limits = Limits(),
) -> Expected:
    """Return the expected page of a file of at most `count_bytes`."""
    file = load(data, encoding)
    page = Expected(
        text="",
        footer="",
        content="",
        start_line=1,
        end_line=0,
        total_lines=len(file.lines),
        encoding=file.encoding,
        bom=bool(file.bom),
        line_ending=file.line_ending,
        final_newline=file.final_newline,
        lossy=False,
    )
    if not file.lines:
        return replace(page, text="[the file is empty]")

    first, column = window(file, offset, column)
    count = limits.max_lines if limit is None else limit
    last = min(len(file.lines), first - 1 + count)
    shown = []
    for n in range(first, last + 1):
        start = column if n == first else 1
        is_last = n == first - 1 + count
        shown.append(show(file, n, start, is_last=is_last, gutter=gutter, limits=limits))
    # A line whose end was not found ends the page.
    far = [index for index, line in enumerate(shown) if line.tail and not line.end_known]
    shown = shown[: far[0] + 1] if far else shown
    # A continued line, the only line of a file, and a line whose end was not found may fill the page.
    if limits.fill_one_line and (column > 1 or len(file.lines) == 1 or far == [0]):
        is_last = count == 1
        unclipped = replace(limits, max_line_chars=len(file.lines[first - 1].characters) + 1)
        shown[0] = show(file, first, column, is_last=is_last, gutter=gutter, limits=unclipped)
    # The page is the longest run of lines that fits together with its footer.
    for run in range(len(shown), 0, -1):
        fill(page, shown[:run], starts=(first, column), total=len(file.lines), limits=limits)
        if fits(page.text, limits):
            return page
    cut = cut_first(shown[0], limits)
    fill(page, [cut], starts=(first, column), total=len(file.lines), limits=limits)
    return page


@dataclass(frozen=True)
class Shown:
    """One line as a page shows it."""

    number: int
    start: int  # column of its first character
    prefix: str  # the gutter
    part: list[Character]
    tail: list[Character]  # what is clipped or cut
    end_known: bool  # whether the end of the tail was found
    ending: str
    mark: str

    @property
    def text(self) -> str:
        """The line as it appears on the page."""
        return self.prefix + text_of(self.part) + self.mark

    @property
    def tail_start(self) -> tuple[int, int]:
        """The line and the column at which the tail begins."""
        return self.number, self.start + len(self.part)


def show(
    file: File, n: int, start: int, *, is_last: bool, gutter: tuple[int, str | None], limits: Limits
) -> Shown:
    """Clip line `n`, from column `start`."""
    width, separator = gutter
    line = file.lines[n - 1]
    rest = line.characters[start - 1 :]
    part, tail = rest[: limits.max_line_chars], rest[limits.max_line_chars :]
    tail_bytes = sum(character.size for character in tail)
    end_known = not is_last or tail_bytes <= SEEK_END_BYTES
    mark = marker(n, start + len(part), tail_bytes if end_known else None) if tail else ""
    prefix = "" if separator is None else f"{n:>{width}}{separator}"
    return Shown(n, start, prefix, part, tail, end_known, line.ending, mark)


def has_words(limits: Limits) -> bool:
    """Return whether pages of these limits are large enough for a footer and markers."""
    tokens = limits.max_tokens is None or limits.max_tokens >= 4 * FOOTER_TOKENS
    return tokens and limits.max_bytes >= 4 * FOOTER_BYTES


def fits(text: str, limits: Limits, *, reserved_bytes: int = 0, reserved_tokens: int = 0) -> bool:
    """Return whether a text is within the budgets minus what is reserved."""
    if len(text.encode()) > limits.max_bytes - reserved_bytes:
        return False
    return limits.max_tokens is None or limits.count_tokens(text) <= limits.max_tokens - reserved_tokens


def cut_first(line: Shown, limits: Limits) -> Shown:
    """Cut a line that exceeds the whole budget to the part that fits.

    At least one character is shown, so that a page always advances; a line of one character is not cut.
    """
    if len(line.part) <= 1 and not line.tail:
        return line

    def cut(count: int) -> Shown:
        part, tail = line.part[:count], line.part[count:] + line.tail
        mark = marker(line.number, line.start + count, None) if has_words(limits) else ""
        return replace(line, part=part, tail=tail, end_known=False, mark=mark)

    reserved = 0, 0
    if has_words(limits):
        tokens = 0
        if limits.max_tokens is not None:
            tokens = min(max(FOOTER_TOKENS, limits.count_tokens(LONG_FOOTER)), limits.max_tokens // 2)
        reserved = FOOTER_BYTES, tokens

    def is_over(count: int) -> bool:
        text = cut(count).text
        return not fits(text, limits, reserved_bytes=reserved[0], reserved_tokens=reserved[1])

    counts = range(1, len(line.part) + 1)
    return cut(max(1, bisect_left(counts, True, key=is_over)))


def fill(page: Expected, shown: list[Shown], *, starts: tuple[int, int], total: int, limits: Limits) -> None:
    """Set every field of the page that depends on which lines are shown."""
    last = shown[-1]
    page.start_line, page.end_line = shown[0].number, last.number
    page.clipped = [line.tail_start for line in shown if line.tail and line.end_known]
    page.next = (last.number + 1, 1) if last.number < total else None
    if last.tail and not last.end_known:
        page.next = last.tail_start
    page.content = "".join(text_of(line.part) + (line.ending if line.end_known else "") for line in shown)
    page.lossy = any(character.replaced for line in shown for character in line.part)
    whole = starts == (1, 1) and not page.truncated
    page.footer = "" if whole or not has_words(limits) else footer(page)
    page.text = "\n".join([line.text for line in shown] + ([page.footer] if page.footer else []))


def text_of(characters: list[Character]) -> str:
    """Return the characters' text."""
    return "".join(character.scalar for character in characters)
