"""What `anyread.info` returns: the facts about a file, without its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from anyread.errors import ReadError
from anyread.errors.base import counted, quoted
from anyread.values import Value

from .notices import Notice


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Info(Value):
    """Describe a file; facts that its kind does not have, or that are not known, are `None`.

    Example:
        >>> info = anyread.info_sync("server.log")
        >>> info.kind, info.encoding, info.lines
        ('text', 'utf-8', 500000)
    """

    path: str
    """The path as given; bytes that are not UTF-8 are written as `\\xff`."""
    resolved_path: str
    """The absolute path of the file, with links followed."""
    kind: str
    """What the file is read as."""
    media_type: str
    """The media type detected from the file's content."""
    size_bytes: int
    """The file's size in bytes."""
    modified_ns: int
    """The time of the last modification, in nanoseconds since 1970 in UTC."""
    version: str
    """The state of the file, for `unless_version`; empty while a rewrite could go unnoticed."""
    notices: tuple[Notice, ...] = ()
    """What else is worth knowing, for example that the path was corrected."""
    encoding: str | None = None
    """The encoding of a text, as the name of a Python codec."""
    encoding_confidence: float | None = None
    """How certain the encoding is, from 0 to 1."""
    bom: bool | None = None
    """Whether a text starts with a byte order mark."""
    line_ending: Literal["lf", "crlf", "cr", "mixed"] | None = None
    """How the lines of a text end; "lf" if no line has an ending."""
    final_newline: bool | None = None
    """Whether the last line of a text has a line ending."""
    lines: int | None = None
    """The exact number of lines of a text."""
    compression: Literal["gzip"] | None = None
    """How the file is compressed, if its text was decompressed."""
    text_bytes: int | None = None
    """The size of that text in bytes, as far as it could be decompressed."""
    verified: bool | None = None
    """Whether all of it was decompressed, and has the checksums and sizes that the file declares."""
    format: str | None = None
    """The format of an image: "PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF" or "ICO"."""
    width: int | None = None
    """The width of an image in pixels, after its orientation is applied."""
    height: int | None = None
    """The height of an image in pixels, after its orientation is applied."""
    frames: int | None = None
    """The number of frames of an animated image; 1 for other images."""
    pages: int | None = None
    """The number of pages of a PDF or a TIFF; 1 for other images."""
    is_encrypted: bool | None = None
    """Whether the file is encrypted; the pages of a PDF are counted if a password opens it."""
    cells: int | None = None
    """The number of cells of a notebook."""
    language: str | None = None
    """The language of a notebook's code cells, if the notebook names it."""
    entries: int | None = None
    """The number of entries of a directory, without those that are ignored or denied."""
    facts: Mapping[str, Any] | None = None
    """Facts that only files of this kind have and that have no field above."""
    problem: ReadError | None = None
    """Why the facts that only files of its kind have are missing: the file may be damaged."""

    def summary(self) -> str:
        """Return the facts in one line."""
        size = [] if self.kind == "directory" else [f"{self.size_bytes:,} bytes"]
        return f"{quoted(self.path)}: {', '.join([self.kind, *self._facts(), *size])}"

    def _facts(self) -> list[str]:
        if self.width is not None and self.height is not None:
            return [f"{self.format} {self.width:,}×{self.height:,} pixels"]
        facts = self.facts or {}
        numbers = {
            "lines": facts.get("text_lines", self.lines),
            "pages": self.pages,
            "cells": self.cells,
            "entries": self.entries,
            "sheets": len(facts["sheets"]) if "sheets" in facts else None,
            "slides": facts.get("slides"),
        }
        counts = [counted(number, unit) for unit, number in numbers.items() if number is not None]
        named = [f"{name} {value}" for name, value in facts.items()] or [self.media_type]
        return [*(counts or named), *([self.encoding] if self.encoding else [])]
