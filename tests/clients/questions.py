"""The files that every client reads, the calls that read them, and what is in each file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from helpers import media

Kind: TypeAlias = Literal["text", "PNG", "PDF", "error"]
KINDS: tuple[Kind, ...] = get_args(Kind)

PDF_WORDS = ("line 1 of page 1 tells of the sea", "line 1 of page 2 tells of the sea")
"""A line of each page of the PDF."""
ERROR_WORDS = "`missing.log` does not exist"
"""A part of the message for the path that does not exist."""

_SENTENCE = "the pump of block seven reports a steady flow and the valve stays open while the crew checks it"


@dataclass(frozen=True)
class Truth:
    """What a client should show, from the files themselves."""

    text: str
    """All lines of the log with their numbers: more than 50,000 characters, for which hosts have limits."""
    png: bytes
    """The image file, which the server sends unchanged."""


def write(directory: Path) -> Truth:
    """Write the files, and return what is in them."""
    words = _SENTENCE.split()
    lines = [" ".join(words[(line + 7 * word) % len(words)] for word in range(16)) for line in range(1, 651)]
    (directory / "server.log").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    png = media.encoded(media.drawing(40, 30), "PNG")
    (directory / "chart.png").write_bytes(png)
    (directory / "report.pdf").write_bytes(media.text_pdf(len(PDF_WORDS)))
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start=1))
    assert len(text) > 50_000
    return Truth(text, png)


ARGUMENTS: dict[Kind, dict[str, str]] = {
    "text": {"path": "server.log"},
    "PNG": {"path": "chart.png"},
    "PDF": {"path": "report.pdf"},
    "error": {"path": "missing.log"},
}
"""The arguments of the call for each kind."""
