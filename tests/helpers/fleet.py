"""Many small files, among them broken and hostile ones, and what a batch must report about each."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
RARE = 500
"""One file in so many is one of those that take milliseconds: images, long lines, many lines."""


class Case(NamedTuple):
    """One file, and what a read reports about it."""

    path: str
    error: str = ""
    kind: str = "text"
    encoding: str = "utf-8"
    lines: int = -1
    marker: str = ""
    """A text that only this file contains."""


def write(directory: Path, count: int) -> list[Case]:
    """Write `count` files below a directory, a thousand in each; a few of them are missing on purpose."""
    cases = []
    for number in range(count):
        parent = directory / f"{number // 1_000:03}"
        if number % 1_000 == 0:
            parent.mkdir(parents=True)
        cases.append(_written(str(parent / f"{number:06}"), number))
    return cases


def wrong(case: Case, row: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the row of `read_rows` for a case."""
    expected = {"error": case.error, "kind": case.kind, "encoding": case.encoding, "total_lines": case.lines}
    found = [f"{case.path}: {name} {row[name]!r}" for name, value in expected.items() if row[name] != value]
    if case.marker not in row["text"] or (case.error and row["text"]):
        found.append(f"{case.path}: text {row['text'][:80]!r}")
    if bool(row["error_message"]) != bool(case.error):
        found.append(f"{case.path}: error_message {row['error_message']!r}")
    return found


def _written(path: str, number: int) -> Case:
    name = f"file {number:06}"
    if number % RARE < len(_RARE):
        return _RARE[number % RARE](f"{path}.rare", name)
    if number % 100 in _BROKEN_AT:
        return _BROKEN_AT[number % 100](path, name)
    lines = number % 9 + 1
    _write(f"{path}.log", f"{name}\n".encode() + b"2026-11-22 INFO all is well\n" * (lines - 1))
    return Case(f"{path}.log", lines=lines, marker=name)


def _write(path: str, data: bytes) -> None:
    # Faster than pathlib, for a hundred thousand files.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(descriptor, data)
    os.close(descriptor)


def _failed(path: str, error: str, kind: str = "") -> Case:
    return Case(path, error, kind, "")


def _missing(path: str, name: str) -> Case:
    return _failed(path, "not_found")


def _directory(path: str, name: str) -> Case:
    os.mkdir(path)
    return _failed(path, "is_a_directory")


def _fifo(path: str, name: str) -> Case:
    os.mkfifo(path)
    return _failed(path, "not_a_regular_file")


def _dangling(path: str, name: str) -> Case:
    os.symlink("nowhere", path)
    return _failed(path, "not_found")


def _binary(path: str, name: str) -> Case:
    _write(path, b"\x7fELF\x02\x01\x01" + bytes(57) + name.encode())
    return _failed(path, "binary", "binary")


def _latin(path: str, name: str) -> Case:
    _write(path, f"{name} für Überprüfung, naïve café, Ærøskøbing\n".encode("cp1252") * 3)
    return Case(path, encoding="windows-1252", lines=3, marker=f"{name} für Überprüfung")


def _utf16(path: str, name: str) -> Case:
    _write(path, f"\ufeff{name} Größe\r\nzwei\r\n".encode("utf-16-le"))
    return Case(path, encoding="utf-16-le", lines=2, marker=f"{name} Größe")


def _empty(path: str, name: str) -> Case:
    _write(path, b"")
    return Case(path, lines=0)


def _no_permission(path: str, name: str) -> Case:
    _write(path, f"{name}\n".encode())
    os.chmod(path, 0)
    # Permissions do not apply to root.
    return Case(path, lines=1, marker=name) if os.geteuid() == 0 else _failed(path, "permission_denied")


def _image(path: str, name: str) -> Case:
    _write(path, PNG)
    return Case(path, kind="image", encoding="", marker="[image: PNG 1×1")


def _damaged_image(path: str, name: str) -> Case:
    _write(path, PNG[:40])
    return _failed(path, "damaged")


def _long_line(path: str, name: str) -> Case:
    _write(path, name.encode() + b" x" * 200_000)
    return Case(path, lines=1, marker=name)


def _many_lines(path: str, name: str) -> Case:
    _write(path, f"{name}\n".encode() * 5_000)
    return Case(path, lines=5_000, marker=name)


_BROKEN = (_missing, _directory, _fifo, _dangling, _binary, _latin, _utf16, _empty, _no_permission)
_BROKEN_AT = dict(enumerate(_BROKEN, start=10))
_RARE = (_image, _damaged_image, _long_line, _many_lines)
