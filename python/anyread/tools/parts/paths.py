"""Paths by the rules of the system: POSIX, or Windows with its drives and two separators.

Contracts show paths as their originals do, which use such functions of their languages.
"""

from __future__ import annotations

import os
import re
from typing import Final

_system = os.path
_DRIVE: Final = re.compile(r"/(?:mnt/|cygdrive/)?([a-zA-Z])(?=/|$)")


def joined(base: str, path: str) -> str:
    """Join a path to a directory, unless it is absolute; the system resolves `..`."""
    # `join` takes four times as long to return an absolute path.
    return path if path.startswith("/") and _system.sep == "/" else _system.join(base, path)


def resolved(base: str, path: str) -> str:
    """Join a path to an absolute one, without `.`, `..` and doubled separators, as `path.resolve` does."""
    found = _system.normpath(joined(base, path))
    return found[1:] if found.startswith("//") else found


def absolute(base: str, path: str) -> str:
    """Join a relative path as `resolved` does; an absolute one stays where links may come before a `..`."""
    return path if path.startswith("/") and _system.sep == "/" else resolved(base, path)


def from_shell(path: str) -> str:
    """Return a path of a Unix shell for Windows, such as `/c/a.txt`, with its drive; any other as it is."""
    found = _DRIVE.match(path) if _system.sep != "/" else None
    return f"{found[1].upper()}:{path[found.end() :] or '/'}" if found else path


def is_absolute(path: str) -> bool:
    """Return whether a path is absolute; on Windows, also one that lacks only the drive."""
    return path.startswith(("/", _system.sep)) or _system.isabs(path)


def is_in(path: str, directory: str) -> bool:
    """Return whether a path is a directory or below it, by its text."""
    path, directory = path + _system.sep, directory.rstrip(_system.sep) + _system.sep
    return path.startswith(directory) or _system.normcase(path).startswith(_system.normcase(directory))


def relative_path(directory: str, path: str) -> str:
    """Return an absolute path relative to a directory, as `path.relative` does; "": it is the directory."""
    below = directory.rstrip(_system.sep) + _system.sep
    # `relpath` takes ten times as long.
    if path.startswith(below) and _system.sep * 2 not in path and _system.normpath(path) == path:
        return path[len(below) :]
    try:
        relative = _system.relpath(path, directory)
    except ValueError:
        # It is on another drive.
        return path
    return "" if relative == "." else relative


def expanded_home(path: str) -> str:
    """Replace `~` at the beginning of a path with the home directory."""
    return _system.expanduser(path) if path == "~" or path.startswith(("~/", f"~{_system.sep}")) else path


def name_of(path: str) -> str:
    """Return the last name of a path."""
    return with_slashes(path).rpartition("/")[2]


def with_slashes(path: str) -> str:
    """Return a path with `/` between its names."""
    return path.replace(_system.sep, "/")
