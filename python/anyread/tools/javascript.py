"""Numbers, slices and paths as contracts in JavaScript have them."""

from __future__ import annotations

import os
import posixpath
from decimal import Decimal

from anyread.arguments import LARGEST


def spelled(value: float) -> str:
    """Write a number as JavaScript's `String` does."""
    if isinstance(value, int) and abs(value) <= LARGEST:
        return str(value)
    value = float(value)
    if value.is_integer() and abs(value) <= LARGEST:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def sliced(start: float, stop: float, total: int) -> tuple[int, int]:
    """Return the index of the first item of a list that `slice` returns, and how many it returns.

    Fractions are cut off, and negative numbers count from the end.
    """
    first, last = _index(start, total), _index(stop, total)
    return first, max(0, last - first)


def _index(value: float, total: int) -> int:
    index = int(max(-LARGEST, min(value, LARGEST)))
    return max(0, total + index) if index < 0 else min(index, total)


def resolved(base: str, path: str) -> str:
    """Join a path to an absolute one, without `.`, `..` and doubled slashes, as `path.resolve` does."""
    joined = posixpath.normpath(path if path.startswith("/") else f"{base}/{path}")
    return joined[1:] if joined.startswith("//") else joined


def expanded_home(path: str) -> str:
    """Replace `~` at the beginning of a path with the home directory."""
    return os.path.expanduser(path) if path == "~" or path.startswith("~/") else path  # noqa: PTH111 - text


def relative_path(directory: str, path: str) -> str:
    """Return an absolute path relative to a directory, as `path.relative` does; "": it is the directory."""
    below = f"{directory}/" if directory != "/" else "/"
    # `relpath` takes ten times as long.
    if path.startswith(below) and "//" not in path and os.path.normpath(path) == path:
        return path[len(below) :]
    relative = os.path.relpath(path, directory)
    return "" if relative == "." else relative
