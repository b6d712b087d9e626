"""`anyread places`: show the places in files that a text names."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from anyread.place_arguments import MOST_PLACES
from anyread.written_places import Place, places

from .read import run as read
from .stdin import is_stdin

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from .terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Show the places that a text names; return 1 if nothing could be shown."""
    try:
        text = "\n".join(map(_text, arguments.files))
    except OSError as error:
        terminal.err(f"anyread: cannot read `{error.filename or '-'}`: {error.strerror}")
        return 1
    found = places(text)
    if not found:
        terminal.err("anyread: the text names no place in a file, such as src/main.py:10")
        return 1
    if arguments.list:
        for place in found:
            terminal.out(f"{place}:{place.column}\n" if place.column else f"{place}\n")
        return 0
    # Places that differ only in their column are one.
    named = list(dict.fromkeys(str(_existing(place, arguments.root or [""])) for place in found))
    arguments.files = named[:MOST_PLACES]
    status = read(arguments, terminal)
    if len(named) > MOST_PLACES:
        terminal.footer(f"[places not shown: {len(named) - MOST_PLACES:,}; --list names all of them]")
    return status


def _existing(place: Place, roots: Sequence[str]) -> Place:
    """Return a place with the longest of its paths that exists."""
    for candidate in place.candidates:
        if any(os.path.lexists(Path(root, candidate)) for root in roots):
            return place._replace(path=candidate)
    return place


def _text(file: str) -> str:
    if not is_stdin(file):
        return Path(file).read_text("utf-8", "replace")
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")
