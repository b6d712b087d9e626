"""Paths as gemini-cli takes them from a model, and as it shows them to people."""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import unquote

SHOWN_CHARS: Final = 35
"""The most characters of a path in a description."""
_LOG_FRAGMENT: Final = re.compile(r"(^|[/\\])(AssertionError:|FAIL |✓ |× |TestingLibraryElementError:)")
_CLOSED: Final = re.compile(
    r"\.git|\.env|node_modules|gha-creds-.*\.json"
    # The short names of these in NTFS.
    r"|(git|gi[0-9a-f]{4}|env|en[0-9a-f]{4}|node_m|no[0-9a-f]{4})~\d+|(gha-cr|gh[0-9a-f]{4})~\d+\.json?",
    re.ASCII | re.DOTALL,
)
_MAX_PATH_CHARS: Final = 4096
_MAX_NAME_CHARS: Final = 255


def path_fault(path: str) -> str | None:
    """Return why a path cannot be one; `None`: it can."""
    if not path.isprintable() and re.search(r"[\n\r\0\t]", path):
        return "Path contains invalid characters (newlines or control characters)."
    # Every fragment has one of these.
    if (":" in path or "FAIL " in path or not path.isascii()) and _LOG_FRAGMENT.search(path):
        return "Path appears to be a misinterpreted log fragment."
    if ('"' in path or "..." in path) and len(path) > 20:
        return (
            "Path contains suspicious characters (double quotes or ellipses) and is too long to be a simple"
            " filename."
        )
    if len(path) > _MAX_PATH_CHARS:
        return f"Path is too long (maximum {_MAX_PATH_CHARS} characters)."
    names = re.split(r"[/\\]", path) if len(path) > _MAX_NAME_CHARS else ()
    long = next((name for name in names if len(name) > _MAX_NAME_CHARS), None)
    if long is not None:
        return f'Path component "{long[:20]}..." is too long (maximum {_MAX_NAME_CHARS} characters).'
    return None


def is_closed(path: str) -> bool:
    """Return whether a path below a directory of the workspace has a name that may not be read."""
    names = re.split(r"[/\\]", f"{path}/{decoded(path)}" if "%" in path else path)
    return any(_CLOSED.fullmatch(name.partition(":")[0].rstrip(" .").lower()) for name in names)


def without_mark(path: str, cwd: str) -> str:
    """Remove an `@` at the beginning of a path that is not part of a name.

    This call looks at the file system.
    """
    stripped = path[1:].lstrip("/\\")
    first = re.split(r"[/\\]", stripped)[0]
    is_name = path[1:2] not in {"/", "\\"} and os.path.exists(os.path.join(cwd, f"@{first}"))  # noqa: PTH110, PTH118
    is_path = is_name or os.path.exists(os.path.join(cwd, path))  # noqa: PTH110, PTH118 - text
    return path if is_path or not stripped else stripped


def decoded(path: str) -> str:
    """Decode `%20` and the like, unless the path has a `%` that means itself."""
    if "%" not in path or re.search("%(?![0-9a-fA-F]{2})", path):
        return path
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        return path


def shortened(path: str, maximum: int = SHOWN_CHARS) -> str:
    """Shorten a path for people: its first directory, `...`, and as many of its last names as fit."""
    if len(path) <= maximum:
        return path
    root = "/" if path.startswith("/") else ""
    names = [name for name in path.split("/") if name]
    if len(names) <= 1:
        return _without_middle(path, maximum)
    first, last = names[0], names[-1]
    tail, tail_chars = [last], len(last)
    for name in reversed(names[1:-1]):
        if len(root + first) + 6 + tail_chars + len(name) > maximum:
            break
        tail.insert(0, name)
        tail_chars += 1 + len(name)
    parts = [first, *tail]
    available = maximum - (len(root) + len(parts) + 3)
    least = [*(min(len(part), 1) for part in parts[:-1]), len(last)]
    if available < sum(least):
        return _last_name(root, last, path, maximum)
    lengths = [len(part) for part in parts]
    while sum(lengths) > available:
        candidates = [index for index, length in enumerate(lengths[:-1]) if length > least[index]]
        # The first of the longest, but never the last name.
        lengths[max(candidates, key=lambda index: (lengths[index], -index))] -= 1
    short = [
        _cut(part, length, is_first=index == 0)
        for index, (part, length) in enumerate(zip(parts, lengths, strict=True))
    ]
    return f"{root}{short[0]}/.../{'/'.join(short[1:])}"


def _cut(part: str, length: int, *, is_first: bool) -> str:
    if len(part) <= length:
        return part
    if length <= 3:
        return part[:length]
    if is_first:
        return f"{part[: length - 3]}..."
    front = (length - 2) // 2
    back = length - 3 - front
    return f"{part[:front]}...{part[len(part) - back :]}"


def _last_name(root: str, last: str, path: str, maximum: int) -> str:
    for candidate in (f".../{last}", f"{root}.../{last}" if root else "", f"{root}{last}", last):
        if candidate and len(candidate) <= maximum:
            return candidate
    return _without_middle(path, maximum)


def _without_middle(path: str, maximum: int) -> str:
    kept = (maximum - 3) // 2
    return f"{path[:kept]}...{path[len(path) - kept :]}"
