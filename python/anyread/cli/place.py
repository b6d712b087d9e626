"""Places of a command line, such as `main.py:10-20,80`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread.written_places import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.arguments import ReadArguments


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
