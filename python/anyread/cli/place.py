"""Places on the command line, such as `main.py:10-20,80`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread.arguments.places import FilePlace, merged, parsed
from anyread.errors import BadArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.arguments.request import ReadArguments


def paths_and_places(
    files: Sequence[str], window: ReadArguments, roots: Sequence[str]
) -> list[tuple[str, ReadArguments]]:
    """Return each file and the arguments of its read; places of one file are one, where the first was named.

    The options of the command line are in `window`; `limit` is the number of lines around a single line.
    """
    found: dict[object, tuple[str, Any]] = {}
    places: dict[object, FilePlace] = {}
    besides = {name: value for name, value in window.items() if name != "limit"}
    for file in files:
        # A file that has the name of a place is meant itself.
        is_file = any(os.path.lexists(Path(root, file)) for root in roots or [""])
        try:
            place = None if is_file else parsed(file, is_only=len(files) == 1)
        except BadArgumentError:
            place = None
        if place is None:
            found[object()] = (file, window)
            continue
        inside = {"at": place.at} if place.at else {}
        if not place.spans:
            found[object()] = (place.path, {**window, **inside})
            continue
        place = place._replace(spans=tuple(_around(span, window.get("limit")) for span in place.spans))
        # Absolute and dotted spellings are the same file; what `..` means depends on links.
        path = Path(roots[0] if roots else "", place.path)
        key = path if ".." in path.parts else Path(os.path.abspath(path)), place.at  # noqa: PTH100 - no links
        place = places[key] = merged(places[key], place) if key in places else place
        column = {"column": place.column} if place.column > 1 else {}
        found[key] = (place.path, {**besides, **inside, **column, "ranges": [*place.spans]})
    return list(found.values())


def _around(span: int | tuple[int, int], size: int | None) -> int | tuple[int, int]:
    if size is None or not isinstance(span, int) or span < 1:
        return span
    return max(1, span - (size - 1) // 2), span + size // 2
