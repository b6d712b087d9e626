"""Paths as JSONPath, jq, Python and validators write them, as JSON pointers."""

from __future__ import annotations

import re

_STEP = re.compile(
    r"""\.?\[\s*(?:(?P<index>\d+)|(?P<mark>["'])(?P<key>(?:(?!(?P=mark)).)+)(?P=mark))\s*\]"""
    r"""|\."(?P<quoted>[^"]+)"|\.(?P<name>[^\s.\[\]"'*?|(),:](?:[^.\[\]"'*?|(),:]*[^\s.\[\]"'*?|(),:])?)"""
)


def pointer(path: str, *, is_list: bool) -> tuple[str, bool]:
    """Write a path as an address, and return whether it is all of it.

    A path goes on with what no address says, such as `[*]`, `[1:3]`, `..` and `[?(@.id)]`.

    Args:
        path: The path, such as `$.todos[0].status`, `.a[3].name`, `todos.0.status` or `1234.output`.
        is_list: Whether the file is a list; in other files, a number that begins a path is that of a record.
    """
    path = path.strip()
    rest = path.removeprefix("$")
    if path and path[0] not in "$.[":
        if "/" in path:
            return f"/{path}", True
        rest = f".{path}"
    address, end = "", 0
    while found := _STEP.match(rest, end):
        step = found["index"] or found["key"] or found["quoted"] or found["name"]
        step = step.replace("~", "~0").replace("/", "~1")
        is_record = not address and path[0] != "$" and step.isdecimal()
        is_record &= not is_list if found["index"] else end == 0 and path[0] != "."
        address += step if is_record else f"/{step}"
        end = found.end()
    return address, end == len(rest)
