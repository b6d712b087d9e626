"""What each client shows of each kind of reply: the cells, their record, and their table in docs/mcp.md."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from clients.questions import ERROR_WORDS, KINDS, PDF_WORDS, Kind, Truth

DIRECTORY = Path(__file__).parent
RECORD = DIRECTORY / "cells.json"
DOCUMENT = DIRECTORY.parents[1] / "docs" / "mcp.md"
TABLE = re.compile(r"(?<=<!-- clients -->\n\n).*?(?=\n<!-- end of clients -->)", re.DOTALL)

TITLES: dict[Kind, str] = {
    "text": "text over 50,000 characters",
    "PNG": "PNG",
    "PDF": "PDF of 2 pages",
    "error": "error",
}


def cell(kind: Kind, answer: dict[str, Any], truth: Truth) -> str:
    """Return what a client shows of a reply, as the words of the table.

    Args:
        kind: Which call was answered.
        answer: The answer in the form of `programs/asking.py`.
        truth: What is in the files.
    """
    items: list[dict[str, str]] = answer["items"]
    text = "\n".join(item["text"] for item in items if "text" in item)
    images = [base64.b64decode(item["image"], validate=True) for item in items if "image" in item]
    if kind == "error":
        if ERROR_WORDS not in text:
            return "not shown"
        return "marked as an error" if answer["is_error"] else "text"
    if answer["is_error"]:
        return "error"
    if kind == "text":
        return "complete" if truth.text in text else "not complete"
    if kind == "PNG":
        return _of_image(images, text, truth)
    has_text = all(words in text for words in PDF_WORDS)
    shown = (["text"] if has_text else []) + ([f"{len(images)} images"] if images else [])
    return " and ".join(shown) or "not shown"


def _of_image(images: list[bytes], text: str, truth: Truth) -> str:
    if images == [truth.png]:
        return "image"
    if images:
        return "another image"
    return "described in text" if "PNG 40×30" in text else "not shown"


def load() -> dict[str, dict[str, str]]:
    """Return the recorded cells by client."""
    found: dict[str, dict[str, str]] = json.loads(RECORD.read_text("utf-8"))
    return found


def save(record: dict[str, dict[str, str]]) -> None:
    """Replace the record, with one line for each client."""
    lines = (f"  {json.dumps(name)}: {json.dumps(record[name])}" for name in sorted(record))
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def package(name: str) -> tuple[str, str]:
    """Return the package of a client and its pinned version."""
    node = DIRECTORY / "node" / f"{name}.json"
    if node.exists():
        ((title, version),) = json.loads(node.read_text("utf-8"))["dependencies"].items()
        return title, version
    first = (DIRECTORY / "requirements" / f"{name}.txt").read_text("utf-8").splitlines()[0]
    title, _, version = first.partition("==")
    return title.partition("[")[0], version


def table(record: dict[str, dict[str, str]]) -> str:
    """Return the cells as a table in Markdown, with a row for each client."""
    rows = [["client", *TITLES.values()], ["---"] * (len(KINDS) + 1)]
    for name in sorted(record):
        title, version = package(name)
        rows.append([f"`{title}` {version}", *(record[name][kind] for kind in KINDS)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def publish() -> None:
    """Write the table of the document."""
    text = DOCUMENT.read_text("utf-8")
    DOCUMENT.write_text(TABLE.sub(lambda _: table(load()), text), "utf-8")
