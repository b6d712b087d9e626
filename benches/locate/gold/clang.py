"""The innermost function around a line of C or C++, by libclang; the line if there is none."""

from __future__ import annotations

from typing import Any

Span = tuple[int, int]


def span(path: str, line: int, *arguments: str) -> Span:
    """Return the first and the last line of the function around a line."""
    from clang import cindex

    kinds = {
        getattr(cindex.CursorKind, name)
        for name in ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "FUNCTION_TEMPLATE")
    }
    unit = cindex.Index.create().parse(path, args=list(arguments))
    best = (line, line)

    def visit(cursor: Any) -> None:
        nonlocal best
        for child in cursor.get_children():
            if child.location.file is None or child.location.file.name != path:
                continue
            first, last = child.extent.start.line, child.extent.end.line
            if first <= line <= last:
                if child.kind in kinds and child.is_definition():
                    best = (first, last)
                visit(child)

    visit(unit.cursor)
    return best
