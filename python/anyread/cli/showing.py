"""A page on standard output: its text, footer and notices, with colors and images on a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from anyread.formats.budget import next_clause
from anyread.results import TextPage

from .colors import BOLD, FOOTER, GUTTER
from .hints import footer_of, next_call, next_of, option

if TYPE_CHECKING:
    from anyread import Gutter
    from anyread.results import Page

    from .inline_images import InlineImages
    from .terminal import Terminal


def show(
    page: Page, terminal: Terminal, gutter: Gutter, images: InlineImages | None, *, is_last: bool = True
) -> None:
    """Write the text; in a pipe, write the footer and the notices to standard error.

    Args:
        page: The page.
        terminal: Where to write.
        gutter: How the lines of the page are numbered.
        images: How the terminal shows images; `None`: it does not.
        is_last: Whether no other page of the file is shown, so that the footer says what follows.
    """
    footer: str = "" if page.kind == "image" else getattr(page, "footer", "")
    for piece in _pieces(page, images):
        if isinstance(piece, bytes):
            terminal.out_sequence(piece + b"\n")
            continue
        text = piece
        if footer and text.endswith(footer):
            text = text[: -len(footer)].removesuffix("\n")
        if text or (isinstance(page, TextPage) and page.end_line >= page.start_line):
            if terminal.is_terminal and isinstance(page, TextPage):
                text = _with_options(text, page)
            if terminal.is_terminal and page.kind == "sheet":
                text = _aligned(text, gutter)
            terminal.out_colored(f"{text}\n", _styles(page, gutter) if terminal.is_colored else ())
    terminal.flush()
    if not is_last:
        pass
    elif footer:
        terminal.footer(footer_of(page))
    elif page.next is not None and not terminal.is_quiet:
        # The budget was too small for a footer, but does not apply to standard error.
        terminal.err(next_clause(next_of(page.path, page.next)))
    for notice in page.notices:
        terminal.notice(notice.code, notice.message_as(option))


def _pieces(page: Page, images: InlineImages | None) -> list[str | bytes]:
    """Return the text of a page and the escape sequences of its images, in order."""
    if isinstance(page, TextPage):
        # A notice says that a file is empty.
        return [page.text if page.total_lines != 0 else ""]
    from .media import described

    pieces = [] if images is None else images.pieces(page)
    if page.kind == "image" or not pieces:
        return [described(page), *pieces]
    return pieces


def number_pattern(gutter: Gutter) -> re.Pattern[str] | None:
    """Return a pattern for the line numbers of a page; `None` if it has none."""
    separator = gutter.separator
    return None if separator is None else re.compile(rf"^ *-?\d+{re.escape(separator)}", re.MULTILINE)


def _aligned(text: str, gutter: Gutter) -> str:
    """Align the columns of a sheet; what is longer than most cells moves the rest of its row."""
    own = int(gutter.separator == "\t")
    rows = [line.split("\t") for line in text.split("\n")]
    columns = max(map(len, rows))
    widths = [
        min(_WIDEST, max(len(row[column]) for row in rows if column < len(row) and len(row) > 1))
        for column in range(columns if columns > 1 else 0)
    ]

    def aligned(row: list[str]) -> str:
        cells = [f"{cell:{width}}" for cell, width in zip(row[own:], widths[own:], strict=False)]
        return "\t".join([*row[:own], "  ".join(cells).rstrip()]) if len(row) > 1 else row[0]

    return "\n".join(map(aligned, rows))


_WIDEST = 40
"""The most characters of a cell for which its column is made wider."""


def _with_options(text: str, page: TextPage) -> str:
    """Write the calls in the markers of clipped lines as options."""
    if not page.clipped:
        return text
    calls = {next_call(each, str, ", "): next_call(each, option, " ") for each in page.clipped}

    def spelled(marker: re.Match[str]) -> str:
        before, separator, call = marker[0][:-1].rpartition(": ")
        return f"{before}{separator}{calls.get(call, call)}]"

    return _MARKER.sub(spelled, text)


def _styles(page: Page, gutter: Gutter) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns of what is not from the file: numbers, headings, labels and markers."""
    if page.kind == "image":
        return [(LABEL, BOLD)]
    numbers = number_pattern(gutter)
    styles = [] if numbers is None or page.kind == "pdf" else [(numbers, GUTTER)]
    if isinstance(page, TextPage):
        return [*styles, (_MARKER, FOOTER)] if page.clipped else styles
    return [*styles, (_PART, BOLD)]


LABEL = re.compile(r"^[a-z ]+:", re.MULTILINE)
"""The name of a fact in a description."""
_PART = re.compile(r"^\[(?:page|cell|output|sheet|slide)\b.*\]$", re.MULTILINE)
"""The heading of a page of a PDF, of a cell of a notebook or its output, of a sheet, or of a slide."""
_MARKER = re.compile(r" … \[[^\[\]\n]*\]$", re.MULTILINE)
"""The end of a clipped line."""
