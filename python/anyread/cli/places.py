"""`anyread places`: show the places in files that a text names."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anyread.arguments.places import MOST_PLACES
from anyread.reading.written_places import Place, places

from .colors import BOLD, FOOTER
from .read import run as read
from .read import selected_gutter
from .stdin import is_stdin
from .terminal import Terminal

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from anyread import Gutter


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Show the places that a text names; return 1 if nothing could be shown."""
    try:
        text = "\n".join(map(_text, arguments.files))
    except OSError as error:
        terminal.err(f"anyread: cannot read `{error.filename or '-'}`: {error.strerror}")
        return 1
    roots = arguments.root or [""]
    found = [_existing(place, roots) for place in places(text)]
    if not found:
        terminal.err("anyread: the text names no place in a file, such as src/main.py:10")
        return 1
    if arguments.list:
        for place in found:
            terminal.out(f"{place}:{place.column}\n" if place.column else f"{place}\n")
        return 0
    # Places that differ only in their column are one.
    named = list({str(place): place for place in reversed(found)}.values())[::-1]
    arguments.files = list(map(_written, named[:MOST_PLACES]))
    status = read(arguments, _WithMessages(terminal, named, selected_gutter(arguments)))
    if len(named) > MOST_PLACES:
        terminal.footer(f"[places not shown: {len(named) - MOST_PLACES:,}; --list names all of them]")
    return status


def _written(place: Place) -> str:
    """Write a place; with a column, only the lines around its statement are shown."""
    is_statement = place.wants == "statement" and place.end_line is None
    return f"{place}:{place.column or 1}" if is_statement else str(place)


class _WithMessages(Terminal):
    """Below the heading of a file, show what the text says of its places; mark these lines on a terminal."""

    def __init__(self, terminal: Terminal, named: Sequence[Place], gutter: Gutter) -> None:
        vars(self).update(vars(terminal))
        self._named = named
        self._separator = gutter.separator
        self._lines: re.Pattern[str] | None = None

    def out_heading(self, path: str, *, is_first: bool) -> None:
        super().out_heading(path, is_first=is_first)
        here = [place for place in self._named if place.path == path]
        for place in here:
            if place.message not in {"", str(place)}:
                self.out_colored(
                    f"[{place.name or place.line}: {_shortened(place.message)}]\n", [(_ANY_LINE, FOOTER)]
                )
        self._lines = None
        if here and self._separator is not None:
            numbers = "|".join(str(place.line) for place in here)
            self._lines = re.compile(rf"^ *(?:{numbers}){re.escape(self._separator)}.*", re.MULTILINE)

    def out_colored(self, text: str, styles: Iterable[tuple[re.Pattern[str], str]]) -> None:
        if self._lines is not None and self.is_terminal:
            if self.is_colored:
                styles = [(self._lines, BOLD), *styles]
            else:
                text = self._lines.sub(r">\g<0>", text)
        super().out_colored(text, styles)


_ANY_LINE = re.compile(r".+")


def _shortened(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _MESSAGE_CHARS else f"{line[:_MESSAGE_CHARS]} …"


_MESSAGE_CHARS = 200


def _existing(place: Place, roots: Sequence[str]) -> Place:
    """Return a place with the longest of its paths that exists."""
    for candidate in place.candidates:
        if any(os.path.lexists(Path(root, candidate)) for root in roots):
            return replace(place, path=candidate)
    return place


def _text(file: str) -> str:
    if not is_stdin(file):
        return Path(file).read_text("utf-8", "replace")
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")
