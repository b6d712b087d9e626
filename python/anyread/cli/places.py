"""Places in files, such as `main.py:10-20`, on a command line, and in a text for `anyread places`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread.burst import MOST_PLACES
from anyread.written_places import parsed, places

from .stdin import is_stdin

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from anyread.arguments import ReadArguments

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
            column = f":{place.column}" if place.column else ""
            if arguments.json:
                terminal.out_json(place._asdict())
            else:
                terminal.out(f"{place}{column}\n")
        return 0
    from . import read

    # Places that differ only in their column are one.
    named = list(dict.fromkeys(map(str, found)))
    arguments.files = named[:MOST_PLACES]
    status = read.run(arguments, terminal)
    if len(named) > MOST_PLACES:
        terminal.footer(f"[places not shown: {len(named) - MOST_PLACES:,}; --list names all of them]")
    return status


def _text(file: str) -> str:
    if not is_stdin(file):
        return Path(file).read_text("utf-8", "replace")
    return "" if sys.stdin is None else sys.stdin.buffer.read().decode("utf-8", "replace")


def wanted(
    files: Sequence[str], window: ReadArguments, roots: Sequence[str]
) -> list[tuple[str, ReadArguments]]:
    """Return each file and the arguments of its read; places of one file are one, where the first was named.

    Args:
        files: The files and places of the command line.
        window: The arguments that its options specify; `limit` is the number of lines around a single line.
        roots: The directories that relative paths may be relative to.
    """
    found: dict[object, tuple[str, Any]] = {}
    besides = {name: value for name, value in window.items() if name != "limit"}
    for file in files:
        # A file that has the name of a place is meant itself.
        is_file = any(os.path.lexists(Path(root, file)) for root in roots or [""])
        place = None if is_file else parsed(file)
        if place is None:
            found[object()] = (file, window)
            continue
        name, spans = place
        _, given = found.setdefault(name, (name, {**besides, "ranges": []}))
        given["ranges"] += [_around(span, window.get("limit")) for span in spans]
    return list(found.values())


def _around(span: int | tuple[int, int], size: int | None) -> int | tuple[int, int]:
    if size is None or not isinstance(span, int) or span < 1:
        return span
    return max(1, span - (size - 1) // 2), span + size // 2
