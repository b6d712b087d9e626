"""Lines of a file as compilers, editors and `grep -n` write them: `main.py:120` or `main.py:10-20`."""

from __future__ import annotations

import os
import re
from pathlib import Path

_AROUND = 10
"""The lines that are shown before and after a single line."""


def place_of(file: str, root: str = "") -> tuple[str, dict[str, int]]:
    """Split a FILE such as `main.py:120` into the file and the arguments of a read.

    Args:
        file: The argument of the command line.
        root: The directory that relative paths are relative to.

    Returns:
        The file and its `offset` and `limit`; without them if the argument names no line, or if a file of
        exactly that name exists.
    """
    found = re.fullmatch(r"(.+?):([1-9][0-9]{0,14})(?:-([0-9]{1,15})|:[0-9]+)?:?", file, re.DOTALL)
    if found is None or os.path.lexists(Path(root, file)):
        return file, {}
    name, line = found[1], int(found[2])
    first, last = (max(1, line - _AROUND), line + _AROUND) if found[3] is None else (line, int(found[3]))
    return (name, {"offset": first, "limit": last - first + 1}) if first <= last else (file, {})
